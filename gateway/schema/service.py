"""Public facts about the service over GraphQL."""

import strawberry

from gateway.resolvers import service as services
from gateway.resolvers.service import DemoLoginView, ServiceView
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_output

define_output(DemoLoginView, "DemoLogin")
define_output(ServiceView, "Service")


@strawberry.type
class ServiceQuery:
    @strawberry.field(description="O que qualquer um pode saber sobre este serviço.")
    async def service(self, info: Info) -> ServiceView:
        return await services.read_service(info.context.call, {})

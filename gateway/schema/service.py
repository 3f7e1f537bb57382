"""Public facts about the service over GraphQL."""

import strawberry

from gateway.resolvers import service as services
from gateway.resolvers.service import DemoLoginView, ServiceView
from gateway.schema.fields import query_field
from gateway.schema.strawberry_types import define_outputs

define_outputs(DemoLoginView, ServiceView)


@strawberry.type
class ServiceQuery:
    service = query_field(services.read_service, "O que qualquer um pode saber sobre este serviço.")

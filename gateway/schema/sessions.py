"""Open sessions over GraphQL."""

import strawberry

from gateway.resolvers.accounts.types import SessionView
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.sessions import store, tokens
from gateway.resolvers.sessions.store import OpenSessionView
from gateway.schema import drafts
from gateway.schema.context import Info

drafts.output(OpenSessionView, "OpenSession")


@strawberry.type
class SessionsQuery:
    @strawberry.field(description="As sessões abertas da própria conta, as últimas usadas primeiro.")
    async def sessions(self, info: Info) -> list[OpenSessionView]:
        return (await store.list_sessions(info.context.call, {})).items


@strawberry.type
class SessionsMutation:
    @strawberry.mutation(description="Encerra uma sessão; vale já na próxima requisição.")
    async def end_session(self, info: Info, id: strawberry.ID) -> Deleted:
        return await tokens.end_session(info.context.call, {"id": id})

    @strawberry.mutation(description="Encerra todas as outras sessões; só o token da resposta vale daí em diante.")
    async def end_other_sessions(self, info: Info) -> SessionView:
        return await tokens.end_other_sessions(info.context.call, {})

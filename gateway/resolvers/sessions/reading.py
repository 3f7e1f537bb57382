"""`GET /auth/sessions`: where an account is logged in."""

from sqlalchemy import bindparam, select

from gateway.models.database import Statement
from gateway.models.sessions import sessions
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.sessions.keeping import over_since
from gateway.resolvers.sessions.views import OpenSessionView

MOST_SHOWN = 100
_S = sessions
OPEN = Statement(
    select(_S.c.id, _S.c.ip, _S.c.user_agent, _S.c.begun_at, _S.c.last_used_at)
    .where(_S.c.user_id == bindparam("user_id"), _S.c.last_used_at >= bindparam("since", type_=_S.c.last_used_at.type))
    .order_by(_S.c.last_used_at.desc(), _S.c.id.desc())
    .limit(MOST_SHOWN)
)


@operation("sessions.list", Permission.session)
async def list_sessions(ctx: Context, _: Nothing) -> Page[OpenSessionView]:
    """List the caller's open sessions, the last used first; of more than a hundred, those."""
    rows = await ctx.database.all(OPEN, user_id=ctx.actor.user_id, since=over_since(ctx))
    views = [OpenSessionView.adopt(dict(row) | {"current": row["id"] == ctx.actor.session_id}) for row in rows]
    return Page(views, limit=MOST_SHOWN)

"""The repayments that a store gets: what staff has recorded for it and what is done. What staff has discarded was never on its way.

So what is shown adds up to what the balance calls leaving and gone, in single-account mode.
"""

from sqlalchemy import bindparam, select

from gateway.errors import NotFound
from gateway.models.database import Statement
from gateway.models.repayments import RepaymentStatus, repayments
from gateway.resolvers.access import Permission
from gateway.resolvers.context import Context
from gateway.resolvers.listing.filters import created, equals, search
from gateway.resolvers.listing.statements import Listing
from gateway.resolvers.listing.windows import page_of
from gateway.resolvers.operation import operation
from gateway.resolvers.repayments.inputs import ListReceivedRepayments, ReceivedStatus, WhichRepayment
from gateway.resolvers.repayments.recording import MISSING
from gateway.resolvers.repayments.views import RECEIVED_COLUMNS, ReceivedRepaymentView
from gateway.resolvers.views import Page

_R = repayments
_scope = (equals(_R.c.user_id), equals(_R.c.environment), _R.c.status != RepaymentStatus.discarded.value)
BY_ID = Statement(select(*RECEIVED_COLUMNS).where(*_scope, _R.c.id == bindparam("id")))
RECEIVED = Listing(
    repayments,
    RECEIVED_COLUMNS,
    scope=_scope,
    filters={
        **created(_R.c.created_at),
        "status": {status.value: _R.c.status == status.value for status in ReceivedStatus},
    },
    search=search(_R.c.id, _R.c.end_to_end_id),
)


@operation("repayments.list_received", Permission.read)
async def list_received_repayments(ctx: Context, asked: ListReceivedRepayments) -> Page[ReceivedRepaymentView]:
    """List the repayments to the store."""
    return await page_of(ctx, RECEIVED, asked, ReceivedRepaymentView.adopt)


@operation("repayments.read_received", Permission.read)
async def read_received_repayment(ctx: Context, which: WhichRepayment) -> ReceivedRepaymentView:
    """Read one repayment to the store."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, environment=ctx.environment, id=which.id)
    if row is None:
        raise NotFound(MISSING)
    return ReceivedRepaymentView.of(row)

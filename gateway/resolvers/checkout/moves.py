"""What became of the charges that payers are looking at: one question for all of them."""

from collections.abc import Collection

from sqlalchemy import ARRAY, Text, any_, bindparam, case, select

from gateway.models.charges import ChargeStatus, charges
from gateway.models.clocks import test_clocks
from gateway.models.database import Statement
from gateway.resolvers.charges.views import effective_status
from gateway.resolvers.clocks.own import keeps_time, store_now
from gateway.resolvers.core.context import Services

_C = charges
UNDER_REVIEW = "under_review"
"""What the pages call a charge whose payment the bank is looking into, in place of its status."""
_page_status = case((_C.c.held_at.is_not(None), UNDER_REVIEW), else_=effective_status(store_now()))
MOVED = Statement(
    select(_C.c.txid, _page_status.label("status"))
    .outerjoin_from(_C, test_clocks, keeps_time(_C.c.user_id, _C.c.environment))
    .where(
        _C.c.txid == any_(bindparam("txids", type_=ARRAY(Text))),
        _page_status != ChargeStatus.pending.value,
    )
)


async def moved_charges(services: Services, txids: Collection[str]) -> dict[str, str]:
    """Those of the charges that no longer wait, with their status, or `under_review`. The caller has read each of them
    before.
    """
    rows = await services.database.all(MOVED, txids=list(txids), now=services.clock.now())
    return {row["txid"]: row["status"] for row in rows}

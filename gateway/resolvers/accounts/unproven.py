"""Who else was let into an account before anybody had proven its address.

Registering proves no address: whoever is first with somebody's e-mail has the account, and may let programs, webhooks
and people in before its owner comes and resets the password. A store that was never approved lives without these, so
they are switched off then, once; an approved one takes money with them.
"""

from typing import NamedTuple

from sqlalchemy import text

from gateway.models.accounts import ProductionStatus
from gateway.models.database import Executor, Row, Statement
from gateway.resolvers.core.context import Context

NEVER_APPROVED = frozenset({ProductionStatus.sandbox, ProductionStatus.pending, ProductionStatus.rejected})
SHUT_OUT = Statement(
    text("""
with keys as (
    update api_keys set active = false where user_id = :user_id and active returning id
),
endpoints as (
    update webhook_endpoints set active = false, updated_at = :now
     where user_id = :user_id and active and deleted_at is null returning id
),
people as (
    update members set status = 'removed', removed_at = :now, token_hash = null
     where store_id = :user_id and status <> 'removed' returning id
)
select (select count(*) from keys) as keys,
       (select count(*) from endpoints) as endpoints,
       (select count(*) from people) as people
""")
)


class ShutOut(NamedTuple):
    """How many of each were switched off, or taken out of the team."""

    keys: int = 0
    endpoints: int = 0
    people: int = 0

    @property
    def changes(self) -> dict[str, dict[str, int]]:
        """As the trail tells it."""
        told = {"active_api_keys": self.keys, "active_webhook_endpoints": self.endpoints, "members": self.people}
        return {name: {"from": count, "to": 0} for name, count in told.items() if count}


async def shut_out_others(ctx: Context, transaction: Executor, account: Row) -> ShutOut:
    """Switch off what could be somebody else's, unless the account's address was proven before or the store has been
    approved. `account` is its locked row.
    """
    if account["email_proven_at"] is not None or account["production_status"] not in NEVER_APPROVED:
        return ShutOut()
    row = await transaction.one(SHUT_OUT, user_id=account["id"], now=ctx.real_clock.now())
    assert row is not None
    return ShutOut(*row)

"""Revoke access to an account that someone else may have registered with the owner's email.

Registration verifies no email. Another person can register first, and add API keys, webhooks and members before the
owner resets the password. So the first reset revokes these, unless the store was approved: an approved store earns
money with them.
"""

from typing import NamedTuple

from sqlalchemy import text

from gateway.models.accounts import ProductionStatus
from gateway.models.database import Executor, Row, Statement
from gateway.resolvers.core.context import Context

NEVER_APPROVED = frozenset({ProductionStatus.sandbox, ProductionStatus.pending, ProductionStatus.rejected})
REVOKE = Statement(
    text("""
with keys as (
    update api_keys set active = false where user_id = :user_id and active returning id
),
endpoints as (
    update webhook_endpoints set active = false, disabled_at = :now, updated_at = :now
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


class RevokedAccess(NamedTuple):
    """The number of API keys and endpoints that were deactivated, and of members that were removed."""

    keys: int = 0
    endpoints: int = 0
    people: int = 0

    @property
    def changes(self) -> dict[str, dict[str, int]]:
        """The changes for the audit record."""
        counts = {"active_api_keys": self.keys, "active_webhook_endpoints": self.endpoints, "members": self.people}
        return {name: {"from": count, "to": 0} for name, count in counts.items() if count}


async def revoke_unverified_access(ctx: Context, transaction: Executor, account: Row) -> RevokedAccess:
    """Revoke the access of others, unless the email was verified before or the store was ever approved. `account` is
    its locked row.
    """
    if account["email_verified_at"] is not None or account["production_status"] not in NEVER_APPROVED:
        return RevokedAccess()
    row = await transaction.single(REVOKE, user_id=account["id"], now=ctx.real_clock.now())
    return RevokedAccess(*row)

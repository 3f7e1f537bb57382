"""An account that the engine has opened, with its key: committed before anything else is done."""

from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.port import OpenedAccount
from gateway.models.database import Statement
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.audit.trail import record_of, recording
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.claims import CLAIMED
from gateway.resolvers.receiving.registration import TRIED_AGAIN_AFTER

_R = receiving_accounts
_SCOPE = ("id", "user_id", "environment", "engine")
_KEPT = (*CLAIMED, "account_id", "wallet_id", "secret", "webhook_registered")
_given = insert(_R).values({name: bindparam(name, type_=_R.c[name].type) for name in _KEPT})
_kept = (
    # Whoever else looked after the claim meanwhile: the key is here now, and nothing may keep it from being kept.
    _given.on_conflict_do_update(
        constraint="uq_receiving_accounts_user_id",
        set_={name: _given.excluded[name] for name in _KEPT if name not in _SCOPE},
        where=_R.c.state != AccountState.open.value,
    )
    .returning(_R.c.id)
    .cte("kept")
)
KEEP = Statement(select(_kept.c.id).add_cte(recording(_kept).cte("audit")))


async def keep(ctx: Context, claim: dict[str, Any], opened: OpenedAccount) -> bool:
    """Commit the account of a claim (`claim_of`). False where the store has another one by now, which can't be."""
    now = ctx.real_clock.now()
    account = {
        "state": AccountState.open.value,
        "account_id": opened.account.id,
        "wallet_id": opened.wallet_id,
        "secret": ctx.services.vault.seal(opened.account.secret),
        "webhook_registered": opened.notices_registered,
        "look_after": now + TRIED_AGAIN_AFTER,
        "created_at": now,
        "updated_at": now,
    }
    told = {"account_id": {"from": None, "to": opened.account.id}}
    written = record_of(ctx, "receiving_account.opened", claim["id"], changes=told)
    return await ctx.database.value(KEEP, **claim | account, **written) is not None

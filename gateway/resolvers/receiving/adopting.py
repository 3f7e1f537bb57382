"""`gateway admin adopt-account`: a lost account becomes the store's, with a key that
staff has had made at the engine.
"""

from sqlalchemy import bindparam, select, update

from gateway.errors import EngineFailed, InvalidInput, NotFound
from gateway.integrations.engines.port import Account, EngineError, EngineRefused
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.audit.trail import record_of, recording
from gateway.resolvers.core.context import Context

_R = receiving_accounts
LOST = Statement(
    select(_R.c.id, _R.c.user_id, _R.c.environment, _R.c.engine).where(
        _R.c.account_id == bindparam("account_id"), _R.c.state == AccountState.lost.value
    )
)
_adopted = (
    update(_R)
    .where(_R.c.id == bindparam("account", type_=_R.c.id.type), _R.c.state == AccountState.lost.value)
    .values(
        state=AccountState.open.value,
        secret=bindparam("secret", type_=_R.c.secret.type),
        # Now: the worker registers its notices and reads its approval.
        look_after=bindparam("now", type_=_R.c.look_after.type),
        updated_at=bindparam("now", type_=_R.c.updated_at.type),
        attempts=0,
    )
    .returning(_R.c.id)
    .cte("adopted")
)
ADOPT = Statement(select(_adopted.c.id).add_cte(recording(_adopted).cte("audit")))


async def adopt_account(ctx: Context, account_id: str, key: str) -> None:
    """Keep the key of a lost account, sealed, after the engine has let us in with it. Raises `NotFound`, `InvalidInput`
    where the key is refused, and `EngineFailed`.
    """
    row = await ctx.database.one(LOST, account_id=account_id)
    engine = ctx.services.engines.of(row["environment"]) if row else None
    if row is None or engine is None or engine.name != row["engine"]:
        raise NotFound(f"there is no lost account with the id {account_id}")
    try:
        await engine.account_status(Account(account_id, key))
    except EngineRefused:
        raise InvalidInput(message="the engine doesn't accept this key for this account") from None
    except EngineError as error:
        raise EngineFailed(f"the engine failed: {error}") from error
    written = record_of(ctx, "receiving_account.adopted", row["id"], store_id=row["user_id"])
    about = written | {"audit_environment": Environment(row["environment"])}
    sealed = ctx.services.vault.seal(key)
    await ctx.database.run(ADOPT, account=row["id"], secret=sealed, now=ctx.real_clock.now(), **about)

"""`POST /receiving-account`: a store's own account at the engine, opened once, in three phases like a charge (ADR
0027).

1. Claim: commit a row that says that the engine may soon hold an account of this store.
2. Ask the engine. No transaction is open.
3. Keep: the account's key, sealed, is committed before anything else is done, because no engine tells it twice.

Whatever comes then (registering its notices, reading its approval) may fail: upkeep does it later.
"""

from typing import Any

from gateway.errors import Conflict, EngineFailed
from gateway.integrations.engines.port import (
    AccountExists,
    Engine,
    EngineError,
    EngineUnknown,
    NewAccount,
    OpenedAccount,
)
from gateway.models.database import Row
from gateway.models.receiving import AccountState
from gateway.resolvers.charges.engine_calls import log_engine_failure
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.engine_failures import failed
from gateway.resolvers.receiving.accounts import account_of
from gateway.resolvers.receiving.approval import LOCK, read_approval, write_approval
from gateway.resolvers.receiving.claims import (
    CLAIM,
    POSTPONE,
    SETTLE_AFTER,
    claim_of,
    free,
    is_being_opened,
    lose,
    settle_claim,
    standing_of,
)
from gateway.resolvers.receiving.inputs import OpenReceivingAccount
from gateway.resolvers.receiving.keeping import keep
from gateway.resolvers.receiving.registration import register
from gateway.resolvers.receiving.views import OpenedAccountView, opened_view
from gateway.settings import ReceivingMode
from gateway.telemetry import log

SINGLE = "Neste serviço as cobranças caem na conta única do serviço; não há conta de recebimento a abrir."
TAKEN = (
    "Este CNPJ já tem uma conta de recebimento no provedor de pagamentos, e a chave dela não pode ser recuperada "
    "automaticamente. Fale com a equipe do serviço."
)
UNDERWAY = "A conta de recebimento já está sendo aberta por outra requisição. Aguarde alguns segundos e tente de novo."
UNCONFIRMED = "O provedor de pagamentos ainda não confirmou a abertura da conta. Consulte a conta de recebimento em alguns minutos."


def needs_subaccounts(ctx: Context) -> None:
    """Refuse where every store receives in the service's own account."""
    if ctx.settings.receiving_mode is ReceivingMode.conta_unica:
        raise Conflict(SINGLE)


@operation("receiving.open", Permission.holder, issues=True, creates=True, premise=needs_subaccounts)
async def open_account(ctx: Context, order: OpenReceivingAccount) -> OpenedAccountView:
    """Open the store's receiving account; one that is open already is answered as it is.

    Raises `Conflict` where the company has an account whose key we don't hold or another request is opening one, and
    `EngineFailed`.
    """
    engine = ctx.services.engines.of(ctx.environment)
    claim = claim_of(ctx, engine, order)
    while await ctx.database.value(CLAIM, **claim) is None:
        standing = await standing_of(ctx)
        if standing is not None and standing["state"] == AccountState.open:
            return await _as_it_is(ctx, standing)
        if standing is not None:
            await _settle(ctx, standing)
    opened = await _ask(ctx, engine, order, claim)
    if not await keep(ctx, claim, opened):
        log.error("receiving_account_orphaned", store_id=ctx.store_id, account_id=opened.account.id)
        raise EngineFailed(UNCONFIRMED)
    return await _introduce(ctx)


async def _as_it_is(ctx: Context, standing: Row) -> OpenedAccountView:
    ctx.reply.found = True
    view = opened_view(standing, fresh=False)
    await idempotency.conclude(ctx, ctx.database, view)
    return view


async def _settle(ctx: Context, standing: Row) -> None:
    """Make room for a new claim, where an earlier one has come to nothing."""
    if standing["state"] == AccountState.lost:
        raise Conflict(TAKEN)
    if standing["look_after"] > ctx.real_clock.now():
        raise Conflict(UNDERWAY).for_now() if is_being_opened(standing) else EngineFailed(UNCONFIRMED)
    try:
        await settle_claim(ctx, standing)
    except EngineError as error:
        log_engine_failure(ctx.services.engines.of(ctx.environment), error)
        raise EngineFailed(UNCONFIRMED) from error


async def _ask(ctx: Context, engine: Engine, order: OpenReceivingAccount, claim: dict[str, Any]) -> OpenedAccount:
    try:
        return await engine.open_account(_as_asked(order))
    except EngineUnknown as error:
        await ctx.database.run(POSTPONE, account=claim["id"], look_after=ctx.real_clock.now() + SETTLE_AFTER)
        log_engine_failure(engine, error)
        raise EngineFailed(UNCONFIRMED) from error
    except AccountExists as error:
        if error.just_made:
            await lose(ctx, claim["id"], ctx.store_id, ctx.environment, error.account_id)
        else:
            await free(ctx, claim["id"], ctx.store_id, ctx.environment)
        raise Conflict(TAKEN) from error
    except EngineError as error:
        await free(ctx, claim["id"], ctx.store_id, ctx.environment)
        log_engine_failure(engine, error)
        raise failed(error) from error


async def _introduce(ctx: Context) -> OpenedAccountView:
    """The account's notices and approval, as far as they can be had now, and the answer."""
    own = await account_of(ctx, ctx.store_id, ctx.environment)
    assert own is not None, "it has just been kept"
    await register(ctx, own)
    try:
        reading = await read_approval(ctx, own)
    except EngineError as error:
        log_engine_failure(ctx.services.engines.of(ctx.environment), error)
        reading = None
    async with ctx.database.transaction() as transaction:
        if reading is not None:
            await write_approval(ctx, transaction, own.id, reading)
        row = await transaction.one(LOCK, id=own.id)
        assert row is not None
        view = opened_view(row, fresh=True)
        await idempotency.conclude(ctx, transaction, view)
    return view


def _as_asked(order: OpenReceivingAccount) -> NewAccount:
    company = order.company_type
    return NewAccount(
        name=order.company_name,
        email=order.email,
        document=order.cnpj,
        phone=order.phone,
        monthly_revenue=order.monthly_revenue,
        address=order.address,
        address_number=order.address_number,
        province=order.province,
        postal_code=order.postal_code,
        complement=order.complement,
        company_type=company.value if company else None,
        site=order.site,
    )

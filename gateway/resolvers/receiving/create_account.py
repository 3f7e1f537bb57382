"""`POST /receiving-account`: create a store's account at the engine, once, in three phases like a charge.

1. Reserve: commit a row before the engine is called.
2. Call the engine, outside any transaction.
3. Save: commit the encrypted key before anything else, because no engine returns it twice.

Registering the webhook and reading the approval may fail then: maintenance repeats them.
"""

from typing import Any

from gateway.errors import Conflict, EngineFailed
from gateway.integrations.engines.errors import AccountExists, EngineError, EngineOutcomeUnknown
from gateway.integrations.engines.interface import Engine, NewAccount, OpenedAccount
from gateway.models.database import Row
from gateway.models.receiving import AccountState
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.engine_failures import engine_failure, log_engine_failure
from gateway.resolvers.engine_notifications.registration import register_account_webhook
from gateway.resolvers.receiving.accounts import find_store_account
from gateway.resolvers.receiving.approval import LOCK, read_approval, save_approval
from gateway.resolvers.receiving.reservation import (
    POSTPONE,
    RESERVE,
    RESOLVE_AFTER,
    creation_in_progress,
    find_reservation,
    mark_lost,
    release,
    reservation_values,
    resolve_unknown_outcome,
    save_account,
)
from gateway.resolvers.receiving.types import OpenedAccountView, OpenReceivingAccount, opened_view
from gateway.settings import ReceivingMode
from gateway.telemetry import log

SINGLE = "Neste serviço as cobranças caem na conta única do serviço; não há conta de recebimento a abrir."
TAKEN = (
    "Este CNPJ já tem uma conta de recebimento no provedor de pagamentos, e a chave dela não pode ser recuperada "
    "automaticamente. Fale com a equipe do serviço."
)
IN_PROGRESS = (
    "A conta de recebimento já está sendo aberta por outra requisição. Aguarde alguns segundos e tente de novo."
)
UNCONFIRMED = "O provedor de pagamentos ainda não confirmou a abertura da conta. Consulte a conta de recebimento em alguns minutos."


def require_subaccount_mode(ctx: Context) -> None:
    """Raise `Conflict` where all stores receive in the service's main account."""
    if ctx.settings.receiving_mode is ReceivingMode.conta_unica:
        raise Conflict(SINGLE)


@operation(
    "receiving.open", Permission.owner, needs_live_approval=True, idempotent=True, precondition=require_subaccount_mode
)
async def open_account(ctx: Context, company: OpenReceivingAccount) -> OpenedAccountView:
    """Create the store's receiving account, or return the open one.

    Raises `Conflict` where the company has an account whose key is lost or another request is creating one, and
    `EngineFailed`.
    """
    engine = ctx.services.engines.of(ctx.environment)
    reservation = reservation_values(ctx, engine, company)
    while await ctx.database.value(RESERVE, **reservation) is None:
        existing = await find_reservation(ctx)
        if existing is not None and existing["state"] == AccountState.open:
            return await _return_existing(ctx, existing)
        if existing is not None:
            await _resolve_existing(ctx, existing)
    opened = await _create_at_engine(ctx, engine, company, reservation)
    if not await save_account(ctx, reservation, opened):
        log.error("receiving_account_orphaned", store_id=ctx.store_id, account_id=opened.account.id)
        raise EngineFailed(UNCONFIRMED)
    return await _complete(ctx)


async def _return_existing(ctx: Context, existing: Row) -> OpenedAccountView:
    ctx.reply.found = True
    view = opened_view(existing, created=False)
    await idempotency.complete(ctx, ctx.database, view)
    return view


async def _resolve_existing(ctx: Context, existing: Row) -> None:
    """Resolve an earlier reservation, or raise why this request cannot proceed."""
    if existing["state"] == AccountState.lost:
        raise Conflict(TAKEN)
    if existing["next_attempt_at"] > ctx.real_clock.now():
        raise Conflict(IN_PROGRESS).retryable() if creation_in_progress(existing) else EngineFailed(UNCONFIRMED)
    try:
        await resolve_unknown_outcome(ctx, existing)
    except EngineError as error:
        log_engine_failure(ctx.services.engines.of(ctx.environment), error)
        raise EngineFailed(UNCONFIRMED) from error


async def _create_at_engine(
    ctx: Context, engine: Engine, company: OpenReceivingAccount, reservation: dict[str, Any]
) -> OpenedAccount:
    try:
        return await engine.open_account(_new_account(company))
    except EngineOutcomeUnknown as error:
        await ctx.database.run(
            POSTPONE, account=reservation["id"], next_attempt_at=ctx.real_clock.now() + RESOLVE_AFTER
        )
        log_engine_failure(engine, error)
        raise EngineFailed(UNCONFIRMED) from error
    except AccountExists as error:
        if error.just_created:
            await mark_lost(ctx, reservation, error.account_id)
        else:
            await release(ctx, reservation)
        raise Conflict(TAKEN) from error
    except EngineError as error:
        await release(ctx, reservation)
        log_engine_failure(engine, error)
        raise engine_failure(error) from error


async def _complete(ctx: Context) -> OpenedAccountView:
    """Register the webhook and read the approval, where that works now. Returns the response."""
    own = await find_store_account(ctx, ctx.store_id, ctx.environment)
    assert own is not None, "it was saved above"
    await register_account_webhook(ctx, own)
    try:
        reading = await read_approval(ctx, own)
    except EngineError as error:
        log_engine_failure(ctx.services.engines.of(ctx.environment), error)
        reading = None
    async with ctx.database.transaction() as transaction:
        if reading is None:
            row = await transaction.single(LOCK, id=own.id)
        else:
            row = await save_approval(ctx, transaction, own.id, reading)
        view = opened_view(row, created=True)
        await idempotency.complete(ctx, transaction, view)
    return view


def _new_account(company: OpenReceivingAccount) -> NewAccount:
    return NewAccount(
        name=company.company_name,
        email=company.email,
        document=company.cnpj,
        phone=company.phone,
        monthly_revenue=company.monthly_revenue,
        address=company.address,
        address_number=company.address_number,
        province=company.province,
        postal_code=company.postal_code,
        complement=company.complement,
        company_type=company.company_type.value if company.company_type else None,
        site=company.site,
    )

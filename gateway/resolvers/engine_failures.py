"""Failures of the payment engine: the errors, always 502 (specification section 7), the log, and the refused accounts.

A definite refusal has the engine's reason, if any, and never suggests to try again. Problems of the service's or a
merchant's account are for the merchant and staff; a payer only learns that the store cannot receive now.
"""

from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy import bindparam, case
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import EngineFailed
from gateway.integrations.engines.errors import (
    AccountRefused,
    EngineError,
    EngineMisconfigured,
    EngineNotConfigured,
    EngineRefused,
    PayerRefused,
    sanitize_reason,
)
from gateway.integrations.engines.interface import Account, Engine
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.engines import account_refusals
from gateway.resolvers.core.context import Context
from gateway.telemetry import ENGINE_FAILURES, log

NO_ENGINE = (
    "Este serviço ainda não tem um provedor de pagamentos para produção: nenhuma cobrança real pode ser emitida. "
    "Fale com a equipe do serviço."
)
UNAUTHORIZED = (
    "O provedor de pagamentos não aceitou a credencial da conta que recebe. Só a equipe do serviço pode corrigir isso."
)
REFUSED = "O provedor de pagamentos recusou a operação"
PAYER_DATA = "O banco não aceitou os dados do pagador: confira o nome e o CPF ou CNPJ."
STORE_CANNOT_RECEIVE = "Esta loja não consegue receber por Pix no momento, e nada foi cobrado. Fale com a loja."
REFUSALS_RESET_AFTER = timedelta(days=1)
"""Without a refusal for this long, the next one counts as the first."""

_R = account_refusals
_KEY = ("engine", "environment", "account_id")
_now = bindparam("now", type_=_R.c.last_at.type)
_inserted = insert(_R).values(
    {name: bindparam(name) for name in (*_KEY, "reason")} | {"refusals": 1, "first_at": _now, "last_at": _now}
)
_is_old = _R.c.last_at <= bindparam("oldest")
RECORD_REFUSAL = Statement(
    _inserted.on_conflict_do_update(
        constraint="pk_account_refusals",
        set_={
            "reason": _inserted.excluded.reason,
            "refusals": case((_is_old, 1), else_=_R.c.refusals + 1),
            "first_at": case((_is_old, _inserted.excluded.first_at), else_=_R.c.first_at),
            "last_at": _inserted.excluded.last_at,
        },
    )
)


def engine_failure(error: Exception) -> EngineFailed:
    """The error for a caller. Only a temporary failure suggests to try again."""
    if isinstance(error, EngineRefused):
        return EngineFailed(
            refusal_message(error), to_payer=PAYER_DATA if isinstance(error, PayerRefused) else STORE_CANNOT_RECEIVE
        )
    return EngineFailed()


def refusal_message(error: EngineRefused) -> str:
    """The message of a definite refusal, for the merchant."""
    if isinstance(error, EngineNotConfigured):
        return NO_ENGINE
    if isinstance(error, EngineMisconfigured):
        return UNAUTHORIZED
    message = "O provedor de pagamentos recusou os dados do pagador" if isinstance(error, PayerRefused) else REFUSED
    return f"{message}: {error.reason.removesuffix('.')}." if error.reason else f"{message}."


def needs_operator(error: Exception) -> bool:
    """Whether the account cannot receive until an operator acts."""
    return isinstance(error, AccountRefused)


def log_engine_failure(engine: Engine, error: Exception) -> None:
    """Count and log an engine failure; at level error if a person must act at the engine."""
    ENGINE_FAILURES.labels(engine.name, type(error).__name__).inc()
    write = log.error if needs_operator(error) else log.warning
    write("engine_failed", engine=engine.name, error=type(error).__name__, detail=str(error)[:500])


def log_failure(event: str, error: Exception, **about: str) -> None:
    """Log why something is tried again: an engine's failure as a warning, any other error with its traceback."""
    if isinstance(error, EngineError):
        log.warning(event, **about, error=type(error).__name__, detail=error.detail)
    else:
        log.error(event, **about, exc_info=error)


async def record_account_refusals(
    ctx: Context, engine: Engine, environment: Environment | str, refused: Iterable[tuple[Account | None, Exception]]
) -> None:
    """Record refusals that concern an account, for `gateway doctor`: one an account. Ignores other errors."""
    reasons = {
        account.id if account else "": sanitize_reason(str(error)) or type(error).__name__
        for account, error in refused
        if needs_operator(error) and not isinstance(error, EngineNotConfigured)
    }
    now = ctx.real_clock.now()
    rows = [
        {
            "engine": engine.name,
            "environment": str(environment),
            "account_id": account_id,
            "reason": reason,
            "now": now,
            "oldest": now - REFUSALS_RESET_AFTER,
        }
        for account_id, reason in sorted(reasons.items())
    ]
    if rows:
        async with ctx.database.transaction() as transaction:
            await transaction.run_many(RECORD_REFUSAL, rows)

"""Run the billing job: by a schedule, a command, a platform admin, or `POST /jobs/subscriptions` with its token.

An advisory lock lets one run at a time work, in any process. PostgreSQL releases it with its connection, so a crash
blocks no later run. The lock saves work and gives 409 its meaning; the database prevents double charges (ADR 0019).
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated

from msgspec.structs import replace
from pydantic import BeforeValidator, Field
from sqlalchemy import BigInteger, func, literal_column, select

from gateway.errors import JobInProgress
from gateway.models.base import Environment
from gateway.models.database import Database, Statement, Transaction
from gateway.rate_limits import wrong_token
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import SYSTEM
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import EmptyToNone, End, Flag, Input
from gateway.resolvers.core.operation import operation
from gateway.resolvers.subscriptions.billing import BillingOptions, BillingRun, Lock
from gateway.resolvers.subscriptions.due import COUNT
from gateway.resolvers.subscriptions.summary import BillingCounts, BillingSummaryView
from gateway.security import same_secret

_LOCK_KEY = literal_column("7305816224031", BigInteger())  # An arbitrary number that no other lock uses.
TRY_LOCK = Statement(select(func.pg_try_advisory_lock(_LOCK_KEY)))
UNLOCK = Statement(select(func.pg_advisory_unlock(_LOCK_KEY)))
PING = Statement(select(literal_column("1")))


class AdvisoryLock:
    """The lock of the job, on a connection that is idle and in no transaction."""

    def __init__(self, connection: Transaction) -> None:
        self._connection = connection

    async def verify(self) -> None:
        """Raise `ConnectionError` if the lock was lost with its connection: another run may be working."""
        try:
            await self._connection.value(PING)
        except Exception as error:
            raise ConnectionError("the billing job has lost its lock") from error


@asynccontextmanager
async def lock_job(database: Database) -> AsyncIterator[AdvisoryLock]:
    """Hold the lock of the job. Raises `JobInProgress` while another run holds it."""
    async with database.pool.acquire() as connection:
        locked = Transaction(connection)
        if not await locked.value(TRY_LOCK):
            raise JobInProgress
        try:
            yield AdvisoryLock(locked)
        finally:
            if not connection.is_closed():
                await locked.value(UNLOCK)


async def bill(
    ctx: Context, options: BillingOptions, on_progress: Callable[[int], None] | None = None
) -> BillingSummaryView:
    """Run the job. Calls `on_progress` with the number of subscriptions so far. Raises `JobInProgress`."""
    ctx = ctx.timed_by(None)
    now = ctx.clock.now()
    run = BillingRun.of(ctx, options, BillingCounts(on_progress))
    if options.dry_run:
        await run.run_dry()
    else:
        async with lock_job(ctx.database) as lock:
            await run.run(lock)
        run.counts.observe()
    return run.counts.summary(now, ctx.clock.now())


async def count_due(ctx: Context, options: BillingOptions) -> int:
    """How many subscriptions a run would find due, for a progress bar."""
    run = BillingRun.of(ctx.timed_by(None), options)
    dues = [run.due(environment) for environment in Environment]
    dues += [each.due(Environment.test) for each in await run.runs_by_store_clocks()]
    return sum([await ctx.database.value(COUNT.of(due.scope), **due.values()) for due in dues])


async def bill_store(ctx: Context, store_id: str, lock: Lock) -> None:
    """Charge what is due in a store's test environment, by the clock of `ctx`, as the catch-up job does for all."""
    run = BillingRun.of(ctx, BillingOptions(retry_failed=False), store=store_id)
    await run.bill_environment(Environment.test, lock)
    run.counts.observe()


def _flag(value: object) -> object:
    """`true` and `false` of a query string."""
    flags = {"true": True, "1": True, "false": False, "0": False, "": False}
    return flags.get(value.lower(), value) if isinstance(value, str) else value


class RunBilling(Input):
    """Como executar a cobrança de assinaturas."""

    as_of: Annotated[End | None, EmptyToNone] = Field(
        None, description="Cobra o que estaria vencido neste momento; de uma data, no fim do dia. Padrão: agora."
    )
    dry_run: Annotated[Flag, BeforeValidator(_flag)] = Field(
        False, description="Só conta o que seria feito; nada é cobrado nem gravado."
    )


class RunBillingByToken(RunBilling):
    """As `RunBilling`, from a program that sends the job's token."""

    token: str | None = Field(None, description="Token do cabeçalho `X-Job-Token`.")


@operation("subscriptions.bill", Permission.staff)
async def bill_subscriptions(ctx: Context, order: RunBilling) -> BillingSummaryView:
    """Run the billing job now, for all stores."""
    return await bill(ctx, BillingOptions(order.as_of, order.dry_run))


async def require_job_token(ctx: Context, token: str | None) -> None:
    """Raise `InvalidSession` without the job's token. REST checks it before it reads the body."""
    expected = ctx.settings.job_token
    if expected is None or not same_secret(token, expected.get_secret_value()):
        raise await wrong_token(ctx.services.limiter, "job", ctx.origin.ip)


@operation("subscriptions.bill_by_token", Permission.public)
async def bill_by_token(ctx: Context, order: RunBillingByToken) -> BillingSummaryView:
    """Run the billing job with the job's token, as an external scheduler does. Raises `InvalidSession`."""
    await require_job_token(ctx, order.token)
    as_job = replace(ctx, actor=SYSTEM, origin=replace(ctx.origin, source="job"))
    return await bill(as_job, BillingOptions(order.as_of, order.dry_run))

"""`/health`, `/health/live`, `/health/ready` (contract section 7) and `/metrics`: quick checks that call no bank."""

import asyncio
import time
from datetime import datetime
from enum import StrEnum
from ipaddress import ip_address

import asyncpg
from pydantic import Field
from sqlalchemy import text

from gateway import __version__
from gateway.errors import Forbidden, MissingCredential, Unhealthy
from gateway.models.database import DatabaseUnavailable, Statement
from gateway.rate_limits import wrong_token
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty, Input
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import View
from gateway.resolvers.reconciliation.discrepancies import measure_discrepancies
from gateway.resolvers.webhooks.backlog import measure_backlog, read_backlog
from gateway.security import same_secret
from gateway.telemetry import exposition, log

MAX_COUNTED_DELIVERIES = 10_000
CHECK_TIMEOUT_SECONDS = 2.0
DATABASE_ERRORS = (*DatabaseUnavailable, asyncpg.PostgresError)
_STARTED = time.monotonic()

NO_RESPONSE = "O serviço está indisponível: o banco de dados não responde."
NO_TABLES = "O serviço está indisponível: o banco de dados não tem as tabelas do serviço; falta `gateway migrate`."
READ_ONLY = "O serviço está indisponível: o banco de dados não aceita gravações."
# `users` exists in every version of the schema, so the check also works during an upgrade.
STATE = Statement(
    text("""
select current_setting('transaction_read_only') = 'on' as read_only, to_regclass('users') is not null as migrated
""")
)


class CheckStatus(StrEnum):
    """The result of one check."""

    ok = "ok"
    failing = "failing"


class HealthStatus(StrEnum):
    """`degraded`: the service works, but something other than the database fails."""

    ok = "ok"
    degraded = "degraded"


class OutboxView(View):
    """Deliveries that wait to be sent."""

    pending: int = Field(description="Entregas de webhook à espera de envio; 10000 quer dizer ao menos tantas.")
    oldest_seconds: float = Field(description="Há quantos segundos a mais atrasada deveria ter saído.")
    stuck: bool = Field(
        description="Se há entregas que ninguém leva: vencidas há dois minutos, sem envio algum a seu endpoint nesse tempo."
    )


class ChecksView(View):
    """Each dependency of the service."""

    database: CheckStatus = Field(description="PostgreSQL.")
    redis: CheckStatus = Field(description="Redis. Sem ele tudo funciona, com entregas mais lentas.")
    outbox: OutboxView = Field(description="Fila de eventos.")
    engine: CheckStatus = Field(description="Provedor de pagamentos, pelo que mostrou a última chamada.")


class HealthView(View):
    """The state of the service."""

    status: HealthStatus = Field(description="`ok`, ou `degraded` quando algo além do banco de dados falha.")
    version: str = Field(description="Versão da interface.")
    time: datetime = Field(description="Hora do serviço.")
    uptime_seconds: int = Field(description="Há quantos segundos este processo atende.")
    checks: ChecksView = Field(description="Verificações.")


class LifeView(View):
    """The minimum that a load balancer needs."""

    status: CheckStatus = Field(description="`ok`.")


ALIVE = LifeView.of({"status": CheckStatus.ok})


class Scrape(Input):
    """The origin of a request for metrics: its bearer token, the peer's address, and whether it came by a proxy."""

    token: str | None = Field(None, description="Token de leitura das métricas.")
    peer: str | None = Field(None, description="Endereço de quem conectou.")
    forwarded: bool = Field(False, description="Se a requisição passou por um proxy.")


class MetricsView(View):
    """The metrics in Prometheus' text format."""

    text: bytes = Field(description="Métricas no formato de texto do Prometheus.")


@operation("health.read", Permission.public)
async def read_health(ctx: Context, _: Empty) -> HealthView:
    """Report the state of the service and its dependencies. Only a failing database is an error: `Unhealthy`."""
    failure, waiting, redis = await asyncio.gather(
        _database_failure(ctx), _outbox(ctx), ctx.services.notifier.answers()
    )
    if waiting is None and failure is None:
        failure = NO_RESPONSE
    engines = ctx.services.engines
    checks = ChecksView.of(
        {
            "database": _status(failure is None),
            "redis": _status(redis),
            "outbox": waiting or OutboxView.of({"pending": 0, "oldest_seconds": 0.0, "stuck": False}),
            "engine": _status(engines.test.responding and engines.live.responding),
        }
    )
    if failure is not None:
        raise Unhealthy(failure, checks=checks.model_dump(mode="json", exclude={"outbox"}))
    good = checks.redis is CheckStatus.ok and checks.engine is CheckStatus.ok and not checks.outbox.stuck
    return HealthView.of(
        {
            "status": HealthStatus.ok if good else HealthStatus.degraded,
            "version": __version__,
            "time": ctx.clock.now(),
            "uptime_seconds": int(time.monotonic() - _STARTED),
            "checks": checks,
        }
    )


@operation("health.live", Permission.public)
async def read_life(_ctx: Context, _: Empty) -> LifeView:
    """Report that the process responds. Reads nothing."""
    return ALIVE


@operation("health.ready", Permission.public)
async def read_readiness(ctx: Context, _: Empty) -> LifeView:
    """Report whether requests may be sent here: the database responds, has our tables, and can be written."""
    failure = await _database_failure(ctx)
    if failure is not None:
        raise Unhealthy(failure)
    return ALIVE


@operation("health.metrics", Permission.public)
async def read_metrics(ctx: Context, scrape: Scrape) -> MetricsView:
    """Return the metrics to the bearer of the token or, if none is set, to this machine only."""
    expected = ctx.settings.metrics_token
    if expected is None:
        _require_this_machine(scrape)
    elif scrape.token is None:
        raise MissingCredential
    elif not same_secret(scrape.token, expected.get_secret_value()):
        raise await wrong_token(ctx.services.limiter, "metrics", ctx.origin.ip)
    try:
        await measure_backlog(ctx)
        await measure_discrepancies(ctx)
    except DATABASE_ERRORS:
        log.warning("metrics_without_database")  # The counters of this process are still reported.
    return MetricsView.of({"text": exposition()})


def _status(good: bool) -> CheckStatus:
    return CheckStatus.ok if good else CheckStatus.failing


async def _database_failure(ctx: Context) -> str | None:
    """Why the database can't serve: no answer in time, no tables, or read-only; None if it can."""
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_SECONDS):
            state = await ctx.database.one(STATE)
    except DATABASE_ERRORS:
        return NO_RESPONSE
    if state is None or not state["migrated"]:
        return NO_TABLES
    return READ_ONLY if state["read_only"] else None


async def _outbox(ctx: Context) -> OutboxView | None:
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_SECONDS):
            waiting = await read_backlog(ctx, MAX_COUNTED_DELIVERIES)
    except DATABASE_ERRORS:
        return None
    oldest = round(waiting.oldest_seconds, 3)
    return OutboxView.of({"pending": waiting.pending, "oldest_seconds": oldest, "stuck": waiting.stuck > 0})


def _require_this_machine(scrape: Scrape) -> None:
    # Behind a proxy on the same machine, every connection comes from loopback.
    if scrape.forwarded or scrape.peer is None or not _is_loopback(scrape.peer):
        raise Forbidden("Sem GATEWAY_METRICS_TOKEN, as métricas só são lidas da própria máquina.")


def _is_loopback(peer: str) -> bool:
    try:
        return ip_address(peer).is_loopback
    except ValueError:
        return False

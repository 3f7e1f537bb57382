"""The worker's process: webhook dispatcher, email worker, periodic jobs and arq.

Deliveries and jobs go on without Redis. The start waits for PostgreSQL.
"""

import asyncio
import gc
import logging
import signal
from collections.abc import Iterable
from contextlib import AsyncExitStack, suppress

import asyncpg
import uvloop
from msgspec.structs import replace

from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.client import EgressClient
from gateway.integrations.egress.resolver import Lookup, Resolver, system_lookup
from gateway.integrations.smtp.client import Relay
from gateway.models.connectivity import sanitize_reason, unreachable
from gateway.models.database import Database, DatabaseUnavailable
from gateway.models.database_clock import DatabaseClock
from gateway.resolvers.core.context import Services, system_context
from gateway.services import open_services
from gateway.settings import Settings, SettingsError
from gateway.telemetry import configure_logging, log, serve_metrics
from gateway.values.ids import new_id
from gateway.workers.arq_settings import consume_notifications
from gateway.workers.backoff import Backoff
from gateway.workers.email_worker import EmailWorker
from gateway.workers.notify import LocalNotifier
from gateway.workers.periodic_jobs import all_jobs
from gateway.workers.webhook_dispatcher import Dispatcher, DispatcherConfig
from gateway.workers.webhook_sender import Sender

DATABASE_ERRORS = (*DatabaseUnavailable, asyncpg.PostgresError)
FINISH_SECONDS = 17.0
"""The time to finish for dispatcher and email worker: more than the `drain` of each, less than the half minute after
which supervisors kill.
"""


def run_worker(settings: Settings) -> bool:
    """Work until SIGTERM or SIGINT; running work then ends or is released within half a minute. False if a task of the
    worker failed, which stops the rest.
    """
    configure_logging(settings.log_level, settings.log_format)
    # arq logs each job and cron, dozens a minute.
    logging.getLogger("arq").setLevel(logging.WARNING)
    if settings.metrics_port is not None:
        _serve_metrics(settings.metrics_host, settings.metrics_port)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work(settings))


def _serve_metrics(host: str, port: int) -> None:
    """Raises `SettingsError` if the port can't be opened."""
    try:
        serve_metrics(host, port)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError(
            f"metrics can't be served on port {port} of {host}: {reason}; look at GATEWAY_METRICS_HOST and GATEWAY_METRICS_PORT"
        ) from None


async def work(settings: Settings, config: DispatcherConfig | None = None, lookup: Lookup = system_lookup) -> bool:
    """Run the worker in the current loop, whose SIGTERM and SIGINT it handles. Tests pass limits and a DNS."""
    succeeded = True
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        services = await _open_services(settings, stack, stop)
        if services is not None:
            succeeded = await _work(services, _dispatcher(services, stack, config, lookup), stop)
    log.info("worker_stopped")
    return succeeded


async def _open_services(settings: Settings, stack: AsyncExitStack, stop: asyncio.Event) -> Services | None:
    """The services, once the database answers; None if the worker is stopped before. Raises `DatabaseUnreachable` for
    invalid settings. A role or password that the server refuses may yet be created, so it is retried.
    """
    backoff = Backoff(first=0.5, max_seconds=5.0)
    clock = DatabaseClock()
    while not stop.is_set():
        try:
            services = await stack.enter_async_context(open_services(settings, clock=clock))
            await clock.set_by(services.database)
        except asyncpg.ClientConfigurationError as error:
            raise unreachable(error) from None
        except DATABASE_ERRORS as error:
            log.warning("worker_without_database", error=type(error).__name__, reason=sanitize_reason(error))
            await backoff.wait()
        else:
            return services
    return None


async def _work(services: Services, dispatcher: Dispatcher, stop: asyncio.Event) -> bool:
    jobs = all_jobs(services.settings)
    local = replace(services, notifier=LocalNotifier(dispatcher, services.notifier))
    background = [asyncio.create_task(job.run(local), name=f"job {job.name}") for job in jobs]
    if isinstance(services.clock, DatabaseClock):
        background.append(asyncio.create_task(_sync_clock(services.clock, services.database), name="clock"))
    background.append(asyncio.create_task(consume_notifications(services.settings, dispatcher, jobs), name="arq"))
    email_worker = _email_worker(services)
    working = [asyncio.create_task(dispatcher.run(), name="dispatcher")]
    if email_worker is not None:
        working.append(asyncio.create_task(email_worker.run(), name="email_worker"))
    gc.collect()
    gc.freeze()
    log.info(
        "worker_started", allowed_networks=[str(network) for network in services.settings.webhook_allowed_networks]
    )
    succeeded = await _stopped(stop, [*working, *background])
    log.info("worker_stopping")
    dispatcher.stop()
    if email_worker is not None:
        email_worker.stop()
    await asyncio.gather(_finish(working), _cancel(background), return_exceptions=True)
    return succeeded


async def _stopped(stop: asyncio.Event, tasks: Iterable[asyncio.Task[None]]) -> bool:
    """Wait until the worker is stopped. False if one of its tasks ended before: the supervisor shall restart the whole
    process, for without the dispatcher nothing is delivered.
    """
    stopping = asyncio.create_task(stop.wait())
    ended, _ = await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    broken = [task for task in ended if task is not stopping]
    for task in broken:
        error = None if task.cancelled() else task.exception()
        log.error("worker_task_ended", task=task.get_name(), exc_info=error)
    return not broken


async def _finish(tasks: Iterable[asyncio.Task[None]], within: float = FINISH_SECONDS) -> None:
    """Wait for tasks, and cancel those that last longer: a database may hang. Their claims return when the leases
    expire.
    """
    _, late = await asyncio.wait(tasks, timeout=within)
    for task in late:
        log.error("worker_not_finished", task=task.get_name())
    await _cancel(late, again_after=1.0)


async def _cancel(tasks: Iterable[asyncio.Task[None]], again_after: float = 3.0) -> None:
    """Cancel tasks until they have ended. Before Python 3.12 `asyncio.wait_for`, which redis-py uses, can swallow a
    cancellation.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=again_after)


async def _sync_clock(clock: DatabaseClock, database: Database) -> None:
    """Synchronise the worker's clock with the database's every minute."""
    while True:
        await asyncio.sleep(60)
        with suppress(*DATABASE_ERRORS):
            await clock.set_by(database)


def _dispatcher(
    services: Services, stack: AsyncExitStack, config: DispatcherConfig | None, lookup: Lookup
) -> Dispatcher:
    settings = services.settings
    resolver = Resolver(lookup)
    stack.callback(resolver.close)
    client = EgressClient(AddressGuard(settings.webhook_allowed_networks), resolver)
    sender = Sender(client.post, services.vault, time_scale=settings.webhook_retry_scale)
    ctx = system_context(services, source="job", request_id=new_id())
    return Dispatcher(ctx, sender.send, config, time_scale=settings.webhook_retry_scale)


def _email_worker(services: Services) -> EmailWorker | None:
    """None without a relay: messages then wait."""
    settings = services.settings
    if settings.relay is None:
        log.info("emails_not_sent", reason="GATEWAY_SMTP_URL is not set")
        return None
    relay = Relay(settings.relay, helo=settings.mail_sender.domain)
    return EmailWorker(system_context(services, source="job", request_id=new_id()), relay)

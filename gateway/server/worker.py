"""The worker's process: the dispatcher of webhooks, the postman, the sweeps, and arq's hints.

Redis may be absent at the start or go away later: deliveries and sweeps go on. PostgreSQL is waited for.
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
from gateway.models.database import Database, DatabaseUnavailable
from gateway.models.reach import sanitize_reason, unreachable
from gateway.models.timekeeping import DatabaseClock
from gateway.resolvers.core.context import Services, system_context
from gateway.services import open_services
from gateway.settings import Settings, SettingsError
from gateway.telemetry import configure_logging, log, serve_metrics
from gateway.values.ids import new_id
from gateway.workers.deliveries import Dispatcher, Pace
from gateway.workers.patience import Patience
from gateway.workers.post import Postman
from gateway.workers.sender import Sender
from gateway.workers.settings import take_hints
from gateway.workers.sweeps import all_sweeps
from gateway.workers.wake import WakesNearby

WAITED_FOR = (*DatabaseUnavailable, asyncpg.PostgresError)
FINISH_SECONDS = 17.0
"""What the dispatcher and the postman get to finish: beyond what each gives to what it has under way, and far enough
from the half minute after which a supervisor kills.
"""


def run_worker(settings: Settings) -> bool:
    """Work until SIGTERM or SIGINT; what is under way then ends or is given back, in less than half a minute. False
    where a part of the worker ended by itself, and so stopped the rest.
    """
    configure_logging(settings.log_level, settings.log_format)
    # arq tells of each job and cron; they are hints, dozens a minute, and nobody's news.
    logging.getLogger("arq").setLevel(logging.WARNING)
    if settings.metrics_port is not None:
        _tell_metrics(settings.metrics_host, settings.metrics_port)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work(settings))


def _tell_metrics(host: str, port: int) -> None:
    """Raises `SettingsError` where the port can't be had."""
    try:
        serve_metrics(host, port)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError(
            f"metrics can't be told on port {port} of {host}: {reason}; look at GATEWAY_METRICS_HOST and GATEWAY_METRICS_PORT"
        ) from None


async def work(settings: Settings, pace: Pace | None = None, lookup: Lookup = system_lookup) -> bool:
    """The worker, in a running loop whose SIGTERM and SIGINT it takes; whether it ended for one of them. Rehearsals
    have a pace and a DNS of their own.
    """
    well = True
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        services = await _open_services(settings, stack, stop)
        if services is not None:
            well = await _work(services, _dispatcher(services, stack, pace, lookup), stop)
    log.info("worker_stopped")
    return well


async def _open_services(settings: Settings, stack: AsyncExitStack, stop: asyncio.Event) -> Services | None:
    """The services, as soon as the database answers; None if the worker is stopped before. Raises
    `DatabaseUnreachable` where the settings are wrong in themselves. What the server refuses, a name or a password,
    may be right once somebody has made it.
    """
    patience = Patience(first=0.5, longest=5.0)
    clock = DatabaseClock()
    while not stop.is_set():
        try:
            services = await stack.enter_async_context(open_services(settings, clock=clock))
            await clock.set_by(services.database)
        except asyncpg.ClientConfigurationError as error:
            raise unreachable(error) from None
        except WAITED_FOR as error:
            log.warning("worker_without_database", error=type(error).__name__, reason=sanitize_reason(error))
            await patience.wait()
        else:
            return services
    return None


async def _work(services: Services, dispatcher: Dispatcher, stop: asyncio.Event) -> bool:
    sweeps = all_sweeps(services.settings)
    nearby = replace(services, wake=WakesNearby(dispatcher, services.wake))
    others = [asyncio.create_task(sweep.run(nearby), name=f"sweep {sweep.name}") for sweep in sweeps]
    if isinstance(services.clock, DatabaseClock):
        others.append(asyncio.create_task(_keep_time(services.clock, services.database), name="clock"))
    others.append(asyncio.create_task(take_hints(services.settings, dispatcher, sweeps), name="hints"))
    postman = _postman(services)
    working = [asyncio.create_task(dispatcher.run(), name="dispatcher")]
    if postman is not None:
        working.append(asyncio.create_task(postman.run(), name="postman"))
    gc.collect()
    gc.freeze()
    log.info(
        "worker_started", allowed_networks=[str(network) for network in services.settings.webhook_allowed_networks]
    )
    well = await _stopped(stop, [*working, *others])
    log.info("worker_stopping")
    dispatcher.stop()
    if postman is not None:
        postman.stop()
    await asyncio.gather(_finish(working), _end(others), return_exceptions=True)
    return well


async def _stopped(stop: asyncio.Event, tasks: Iterable[asyncio.Task[None]]) -> bool:
    """Wait until the worker is stopped; false where one of its tasks has ended without that. Without the dispatcher
    nothing is delivered, however alive the rest is: whoever supervises the process starts a whole one.
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
    """Let tasks end, and end those that haven't after `within` seconds: a database that hangs answers neither them nor
    their roll-backs. What they had claimed comes back when its lease is over.
    """
    _, late = await asyncio.wait(tasks, timeout=within)
    for task in late:
        log.error("worker_not_finished", task=task.get_name())
    await _end(late, again_after=1.0)


async def _end(tasks: Iterable[asyncio.Task[None]], again_after: float = 3.0) -> None:
    """Cancel until they have ended. Once is not enough: before Python 3.12 `asyncio.wait_for`, by which redis-py sends,
    swallows a cancellation that comes in the moment in which what it waits for ends, and arq then works on for ever.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=again_after)


async def _keep_time(clock: DatabaseClock, database: Database) -> None:
    """Set the worker's clock by the database's every minute, until canceled."""
    while True:
        await asyncio.sleep(60)
        with suppress(*WAITED_FOR):
            await clock.set_by(database)


def _dispatcher(services: Services, stack: AsyncExitStack, pace: Pace | None, lookup: Lookup) -> Dispatcher:
    settings = services.settings
    resolver = Resolver(lookup)
    stack.callback(resolver.close)
    client = EgressClient(AddressGuard(settings.webhook_allowed_networks), resolver)
    sender = Sender(client.post, services.vault, time_scale=settings.webhook_time_scale)
    ctx = system_context(services, source="job", request_id=new_id())
    return Dispatcher(ctx, sender.send, pace, time_scale=settings.webhook_time_scale)


def _postman(services: Services) -> Postman | None:
    """Who brings mails to the relay; nobody, where there is none: the mails wait."""
    settings = services.settings
    if settings.relay is None:
        log.info("mails_wait", reason="GATEWAY_SMTP_URL is not set")
        return None
    relay = Relay(settings.relay, helo=settings.mail_sender.domain)
    return Postman(system_context(services, source="job", request_id=new_id()), relay)

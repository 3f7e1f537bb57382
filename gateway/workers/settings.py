"""arq: the table of jobs and crons, and a worker that outlives Redis.

Nothing durable is in Redis. A job is a hint, "look now", and so is a cron; losing one costs a polling interval. arq's
own worker ends when Redis is away for seconds, so it is started anew for as long as the process lives.
"""

import asyncio
import os
import socket
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import orjson
from arq.connections import ArqRedis
from arq.cron import CronJob, cron
from arq.typing import OptionType
from arq.worker import Worker, func
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from gateway.clock import SAO_PAULO
from gateway.ids import new_id
from gateway.settings import Settings
from gateway.telemetry import log
from gateway.workers.patience import Patience
from gateway.workers.sweeps import Sweep
from gateway.workers.wake import Wakeable, open_queue

JOB_TIMEOUT = 60
JOB_COMPLETION_WAIT = 25
HEALTH_CHECK_INTERVAL = 15
_EVERY_TEN: OptionType = set(range(0, 60, 10))


async def webhook_nudge(ctx: dict[str, Any]) -> None:
    """Something was committed that has to be delivered."""
    ctx["dispatcher"].wake()


async def look_at_webhooks(ctx: dict[str, Any]) -> None:
    ctx["dispatcher"].wake()
    ctx["sweeps"]["webhooks"].look()
    ctx["sweeps"]["backlog"].look()
    ctx["sweeps"]["audit"].look()


async def look_at_expiry(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["expiry"].look()
    ctx["sweeps"]["balances"].look()
    ctx["sweeps"]["clocks"].look()


async def look_at_issuances(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["issuances"].look()
    ctx["sweeps"]["notices"].look()
    ctx["sweeps"]["receiving"].look()
    ctx["sweeps"]["withdrawals"].look()


async def look_at_charges(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["looks"].look()


async def look_at_old_charges(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["old_charges"].look()


async def look_at_mails(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["mails"].look()


async def look_at_alarms(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["alarms"].look()


async def look_at_billing(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["billing"].look()


async def look_at_daily_billing(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["daily_billing"].look()


async def look_at_lists(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["milestones"].look()
    ctx["sweeps"]["delivery_counts"].look()


async def look_at_archive(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["archive"].look()


async def look_at_old(ctx: dict[str, Any]) -> None:
    ctx["sweeps"]["old_webhooks"].look()
    ctx["sweeps"]["old_mails"].look()
    ctx["sweeps"]["idempotency"].look()
    ctx["sweeps"]["sessions"].look()
    ctx["sweeps"]["enrolments"].look()
    ctx["sweeps"]["password_resets"].look()
    ctx["sweeps"]["audit_parts"].look()


def _every(minutes: float) -> OptionType:
    """The minutes of an hour that lie so far apart; one that doesn't divide it begins anew with each hour."""
    return set(range(0, 60, max(1, min(60, round(minutes)))))


def crons(settings: Settings) -> list[CronJob]:
    """The table of crons; hours are São Paulo's."""
    return [
        cron(look_at_webhooks, second=_EVERY_TEN),
        cron(look_at_expiry, second=_EVERY_TEN),
        cron(look_at_issuances, second=5),
        cron(look_at_charges, second=_EVERY_TEN),
        cron(look_at_old_charges, minute=_every(5), second=40),
        cron(look_at_mails, second=_EVERY_TEN),
        cron(look_at_alarms, minute=_EVERY_TEN, second=20),
        cron(look_at_billing, minute=_every(settings.billing_sweep_minutes), second=30),
        cron(look_at_daily_billing, hour=settings.billing_hour, minute=0, second=0),
        cron(look_at_lists, minute=_every(15), second=50),
        cron(look_at_archive, second=35),
        cron(look_at_old, minute=7, second=0),
    ]


def open_worker(redis: ArqRedis, ctx: dict[str, Any]) -> Worker:
    """An arq worker; the process handles the signals."""
    return Worker(
        functions=[func(webhook_nudge, keep_result=0, max_tries=1)],
        cron_jobs=crons(ctx["settings"]),
        redis_pool=redis,
        ctx=dict(ctx),
        handle_signals=False,
        job_timeout=JOB_TIMEOUT,
        job_completion_wait=JOB_COMPLETION_WAIT,
        health_check_interval=HEALTH_CHECK_INTERVAL,
        # A key of its own: a worker that stops deletes its key, and must not take another's with it.
        health_check_key=f"arq:health-check:{socket.gethostname()}:{os.getpid()}:{new_id()[-8:]}",
        poll_delay=0.05,
        max_jobs=100,
        keep_result=0,
        job_serializer=orjson.dumps,
        job_deserializer=orjson.loads,
        timezone=SAO_PAULO,  # type: ignore[arg-type]  # Any tzinfo will do; arq names the narrower type.
        log_results=False,
    )


async def take_hints(settings: Settings, dispatcher: Wakeable, sweeps: Iterable[Sweep]) -> None:
    """Run arq until canceled, whatever Redis does."""
    ctx = {"settings": settings, "dispatcher": dispatcher, "sweeps": {sweep.name: sweep for sweep in sweeps}}
    patience = Patience(first=0.5, longest=5.0)
    while True:
        worker = open_worker(_patient_queue(settings.redis_url), ctx)
        try:
            await worker.async_run()
        except asyncio.CancelledError:
            await _finish_jobs(worker)
            raise
        except (RedisError, OSError) as error:
            log.warning("worker_without_redis", error=type(error).__name__)
        except Exception as error:  # noqa: BLE001  # Deliveries and sweeps don't need arq; it is tried again.
            log.error("arq_failed", exc_info=error)
        finally:
            await _close(worker)
        await patience.wait()


def _patient_queue(redis_url: str) -> ArqRedis:
    # redis-py retries no OSError by itself, and an outage of seconds shows as one.
    retried: Any = (RedisConnectionError, RedisTimeoutError, OSError)
    return open_queue(redis_url, socket_timeout=5, retry=Retry(ExponentialBackoff(cap=1, base=0.1), 5, retried))


async def _finish_jobs(worker: Worker) -> None:
    """Let jobs under way end. arq itself waits for them in its handlers of signals only, and those are the process's."""
    if worker.tasks:
        await asyncio.wait(worker.tasks.values(), timeout=JOB_COMPLETION_WAIT)


async def _close(worker: Worker) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(2):
            # Gathered, so that the cancellation of its jobs is not taken for ours.
            await asyncio.gather(worker.close(), return_exceptions=True)

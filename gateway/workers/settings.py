"""arq: the table of jobs and crons, and a worker that outlives Redis.

Nothing durable is in Redis. A job is a hint, "look now", and so is a cron; losing one costs a polling interval. arq's
own worker ends when Redis is away for seconds, so it is started anew for as long as the process lives.
"""

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any

import orjson
from arq.connections import ArqRedis
from arq.cron import CronJob, cron
from arq.worker import Worker, func
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from gateway.settings import Settings
from gateway.telemetry import log
from gateway.values.clock import SAO_PAULO
from gateway.values.ids import new_id
from gateway.workers.patience import Patience
from gateway.workers.sweeps import TEN_SECONDS, Beat, Sweep
from gateway.workers.wake import Wakeable, open_queue

JOB_TIMEOUT = 60
JOB_COMPLETION_WAIT = 25
HEALTH_CHECK_INTERVAL = 15


async def webhook_nudge(ctx: dict[str, Any]) -> None:
    """Something was committed that has to be delivered."""
    ctx["dispatcher"].wake()


async def look_for_deliveries(ctx: dict[str, Any]) -> None:
    """A nudge may have been lost."""
    ctx["dispatcher"].wake()


def crons(sweeps: Iterable[Sweep]) -> list[CronJob]:
    """One cron for each beat, which tells all that goes by it to look; hours are São Paulo's."""
    by_beat: dict[str, list[Sweep]] = {}
    for sweep in sweeps:
        if sweep.beat.cron is not None:
            by_beat.setdefault(sweep.beat.name, []).append(sweep)
    return [
        cron(look_for_deliveries, **_moments(TEN_SECONDS)),
        *(cron(_looking(some), name=f"cron:{name}", **_moments(some[0].beat)) for name, some in by_beat.items()),
    ]


def _moments(beat: Beat) -> dict[str, Any]:
    return dict(beat.cron or {})


def _looking(sweeps: Iterable[Sweep]) -> Callable[..., Coroutine[Any, Any, None]]:
    async def look(_: dict[str, Any]) -> None:
        for sweep in sweeps:
            sweep.look()

    return look


def open_worker(redis: ArqRedis, ctx: dict[str, Any]) -> Worker:
    """An arq worker; the process handles the signals."""
    return Worker(
        functions=[func(webhook_nudge, keep_result=0, max_tries=1)],
        cron_jobs=crons(ctx["sweeps"]),
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
    ctx = {"settings": settings, "dispatcher": dispatcher, "sweeps": list(sweeps)}
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
    """Let jobs under way end. arq itself waits for them in its handlers of signals only,
    and those are the process's.
    """
    if worker.tasks:
        await asyncio.wait(worker.tasks.values(), timeout=JOB_COMPLETION_WAIT)


async def _close(worker: Worker) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(2):
            # Gathered, so that the cancellation of its jobs is not taken for ours.
            await asyncio.gather(worker.close(), return_exceptions=True)

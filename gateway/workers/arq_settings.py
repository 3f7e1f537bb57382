"""arq: its functions and crons, and a loop that restarts its worker after an outage of Redis.

Redis holds nothing durable. A job and a cron only trigger work at once; losing one costs a polling interval.
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
from gateway.workers.backoff import Backoff
from gateway.workers.notify import Notifiable, open_queue
from gateway.workers.periodic_jobs import TEN_SECONDS, PeriodicJob

JOB_TIMEOUT = 60
JOB_COMPLETION_WAIT = 25
HEALTH_CHECK_INTERVAL = 15


async def notify_dispatcher(ctx: dict[str, Any]) -> None:
    """Enqueued after a commit that made deliveries due."""
    ctx["dispatcher"].wake()


def cron_jobs(jobs: Iterable[PeriodicJob]) -> list[CronJob]:
    """One cron for each schedule, which triggers all its jobs, and one that covers lost notifications."""
    by_schedule: dict[str, list[PeriodicJob]] = {}
    for job in jobs:
        if job.schedule.cron:
            by_schedule.setdefault(job.schedule.name, []).append(job)
    return [
        cron(notify_dispatcher, name="cron:poll_deliveries", **TEN_SECONDS.cron),
        *(cron(_trigger_all(same), name=f"cron:{name}", **same[0].schedule.cron) for name, same in by_schedule.items()),
    ]


def _trigger_all(jobs: Iterable[PeriodicJob]) -> Callable[..., Coroutine[Any, Any, None]]:
    async def trigger(_: dict[str, Any]) -> None:
        for job in jobs:
            job.trigger()

    return trigger


def open_worker(redis: ArqRedis, ctx: dict[str, Any]) -> Worker:
    """An arq worker. The process handles the signals."""
    return Worker(
        functions=[func(notify_dispatcher, keep_result=0, max_tries=1)],
        cron_jobs=cron_jobs(ctx["jobs"]),
        redis_pool=redis,
        ctx=dict(ctx),
        handle_signals=False,
        job_timeout=JOB_TIMEOUT,
        job_completion_wait=JOB_COMPLETION_WAIT,
        health_check_interval=HEALTH_CHECK_INTERVAL,
        # Unique: a worker that stops deletes its key, which must not be another's.
        health_check_key=f"arq:health-check:{socket.gethostname()}:{os.getpid()}:{new_id()[-8:]}",
        poll_delay=0.05,
        max_jobs=100,
        keep_result=0,
        job_serializer=orjson.dumps,
        job_deserializer=orjson.loads,
        timezone=SAO_PAULO,  # type: ignore[arg-type]  # Any tzinfo works; arq declares the narrower type.
        log_results=False,
    )


async def consume_notifications(settings: Settings, dispatcher: Notifiable, jobs: Iterable[PeriodicJob]) -> None:
    """Run arq until canceled; restart it after each failure."""
    ctx = {"settings": settings, "dispatcher": dispatcher, "jobs": list(jobs)}
    backoff = Backoff(first=0.5, max_seconds=5.0)
    while True:
        worker = open_worker(_open_retrying_queue(settings.redis_url), ctx)
        try:
            await worker.async_run()
        except asyncio.CancelledError:
            await _finish_jobs(worker)
            raise
        except (RedisError, OSError) as error:
            log.warning("worker_without_redis", error=type(error).__name__)
        except Exception as error:  # noqa: BLE001  # Deliveries and periodic jobs go on without arq.
            log.error("arq_failed", exc_info=error)
        finally:
            await _close(worker)
        await backoff.wait()


def _open_retrying_queue(redis_url: str) -> ArqRedis:
    # redis-py doesn't retry an OSError by default.
    retried: Any = (RedisConnectionError, RedisTimeoutError, OSError)
    return open_queue(redis_url, socket_timeout=5, retry=Retry(ExponentialBackoff(cap=1, base=0.1), 5, retried))


async def _finish_jobs(worker: Worker) -> None:
    """Wait for running jobs. arq does so only in its signal handlers, which are off."""
    if worker.tasks:
        await asyncio.wait(worker.tasks.values(), timeout=JOB_COMPLETION_WAIT)


async def _close(worker: Worker) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(2):
            # gather keeps the cancellation of its jobs apart from our own.
            await asyncio.gather(worker.close(), return_exceptions=True)

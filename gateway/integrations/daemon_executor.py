"""A thread pool for blocking calls that can't be interrupted. The process doesn't wait for it when it exits.

Python waits for the threads of a `ThreadPoolExecutor` at exit: a hanging name lookup would delay it by half a minute.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, TypeAlias, TypeVar

_T = TypeVar("_T")
_Job: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], "Future[Any]"]


class DaemonThreadPool:
    """Up to `max_threads` threads, each started when none is idle. Use it from the event loop's thread only."""

    def __init__(self, max_threads: int, name: str) -> None:
        self._max_threads = max_threads
        self._name = name
        self._started = 0
        self._idle = Semaphore(0)
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()

    async def run(self, call: Callable[..., _T], *args: Any) -> _T:
        """The result of the call. A canceled caller leaves a started call to its thread; a queued one never starts."""
        result: _T = await asyncio.wrap_future(self.submit(call, *args))
        return result

    def submit(self, call: Callable[..., Any], *args: Any) -> "Future[Any]":
        """Queue the call for the next free thread."""
        future: Future[Any] = Future()
        self._jobs.put((call, args, future))
        if not self._idle.acquire(blocking=False) and self._started < self._max_threads:
            self._started += 1
            Thread(target=self._work, name=f"{self._name}-{self._started}", daemon=True).start()
        return future

    def close(self) -> None:
        """Cancel queued calls, and end each thread after its current call."""
        while not self._jobs.empty():
            if job := self._jobs.get():
                job[-1].cancel()
        for _ in range(self._started):
            self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            call, args, future = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call(*args))
                except BaseException as error:  # noqa: BLE001  # It is the caller's.
                    future.set_exception(error)
            self._idle.release()

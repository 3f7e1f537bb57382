"""Threads for calls that can't be interrupted, and that the process does not wait for when it exits.

Python waits for those of a `ThreadPoolExecutor` before it exits: a name whose lookup hangs would delay a worker's exit
by up to half a minute, the default of libc. And the loop's own executor has few threads, shared by its name lookups.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, TypeAlias, TypeVar

_T = TypeVar("_T")
_Job: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], "Future[Any]"]


class DaemonThreads:
    """Up to `most` threads, each started when none is idle. Used from one thread, that of the loop."""

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._started = 0
        self._idle = Semaphore(0)
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()

    async def run(self, call: Callable[..., _T], *given: Any) -> _T:
        """What it gives back. Who gives up waiting leaves the thread to it; what no thread has begun is never begun."""
        answer: _T = await asyncio.wrap_future(self.submit(call, *given))
        return answer

    def submit(self, call: Callable[..., Any], *given: Any) -> "Future[Any]":
        """Have it called with what is given, as soon as a thread is free."""
        future: Future[Any] = Future()
        self._jobs.put((call, given, future))
        if not self._idle.acquire(blocking=False) and self._started < self._most:
            self._started += 1
            Thread(target=self._work, name=f"{self._name}-{self._started}", daemon=True).start()
        return future

    def close(self) -> None:
        """Let the threads end, each when what it is at has ended; what no thread has begun is canceled."""
        while not self._jobs.empty():
            if job := self._jobs.get():
                job[-1].cancel()
        for _ in range(self._started):
            self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            call, given, future = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call(*given))
                except BaseException as error:  # noqa: BLE001  # It is the caller's.
                    future.set_exception(error)
            self._idle.release()

"""Runs coroutines concurrently.

Not with `asyncio.TaskGroup`: in Python 3.11 and 3.12 its failure leaves the parent task marked as canceled. In 3.11.2,
the Python of Debian 12, the next `asyncio.timeout` then cancels that task instead of raising `TimeoutError`.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any


async def run_concurrently(coroutines: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run all. If one raises, the others are canceled before its exception propagates."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        raise

"""`gateway serve` that takes samples of itself: `python -m bench.sampled FILE serve …`. For `bench.flames`, and for nothing else.

A thread of its own looks every millisecond at what the main thread is doing and counts the stack. Python changes threads between two
instructions, so what C code takes (asyncpg's protocol, orjson, httptools) counts for the function that called it; a main thread that
waits for its sockets is in no function of ours, and is left out when the stacks are drawn. SIGUSR1 begins anew; SIGUSR2 writes
the counted stacks to FILE, a line each: `a;b;c 12`.
"""

import os
import signal
import sys
import threading
import time
from collections import Counter
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

from gateway.cli import main

EVERY_SECONDS = 0.001
HANDED_OVER_AFTER_SECONDS = 0.0001
"""How long the main thread may go on when the sampler wants to look; Python's default is 5 ms."""
ROOT = f"{Path(__file__).parents[1]}{os.sep}"
_stacks: Counter[tuple[CodeType, ...]] = Counter()


def keep_sampling() -> None:
    looked_at = threading.main_thread().ident
    assert looked_at is not None
    while True:
        time.sleep(EVERY_SECONDS)
        frame: FrameType | None = sys._current_frames().get(looked_at)  # noqa: SLF001  # Documented, and made for this.
        stack: list[CodeType] = []
        while frame is not None:
            stack.append(frame.f_code)
            frame = frame.f_back
        _stacks[tuple(stack)] += 1


@cache
def named(code: CodeType) -> str:
    """`gateway.money:reais_of`: the module by its file, and the function."""
    path = code.co_filename.removeprefix(ROOT).rpartition("site-packages/")[2].rpartition("lib/python")[2]
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"{module}:{getattr(code, 'co_qualname', code.co_name)}".replace(";", ",")


def write_to(target: Path) -> None:
    counted = list(_stacks.items())
    draft = target.with_suffix(".draft")
    draft.write_text("".join(f"{';'.join(map(named, reversed(stack)))} {count}\n" for stack, count in counted))
    draft.replace(target)


if __name__ == "__main__":
    file = Path(sys.argv.pop(1))
    signal.signal(signal.SIGUSR1, lambda _signal, _frame: _stacks.clear())
    signal.signal(signal.SIGUSR2, lambda _signal, _frame: write_to(file))
    sys.setswitchinterval(HANDED_OVER_AFTER_SECONDS)
    threading.Thread(target=keep_sampling, daemon=True).start()
    main()

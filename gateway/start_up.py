"""Starting a process: the garbage collector rests while the application is imported (ADR 0036)."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_resting() -> Iterator[None]:
    """Around imports, which make 350,000 objects that live as long as the process does: none of them is looked at while they come,
    nor ever again.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()

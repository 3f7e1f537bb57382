"""Starting a process: how the application is imported."""

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

UNUSED = ("PIL", "crypt", "pygments", "rich", "watchfiles")
"""What libraries import where it happens to be installed, for what is never asked of them here: structlog and httpx to
colour a terminal, qrcode to draw symbols in other shapes, passlib to know the system's own hashes (which `crypt` tries
out when it is imported), uvicorn to start again when a file changes.
"""


@contextmanager
def collector_resting() -> Iterator[None]:
    """Around imports, which make 350,000 objects that live as long as the process does: none of them is looked at
    while they come, nor ever again.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def without_unused(unused: Sequence[str] = UNUSED) -> Iterator[None]:
    """Around imports: such libraries seem not to be installed. Afterwards whoever wants one can import it."""
    hidden = [name for name in unused if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None makes an import an ImportError.
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]

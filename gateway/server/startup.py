"""Starting a process: how the application is imported."""

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

UNUSED = ("PIL", "crypt", "pygments", "rich", "watchfiles")
"""Optional imports of libraries, for features that the gateway doesn't use: colours of structlog and httpx, shapes of
qrcode, system hashes of passlib, uvicorn's reload.
"""


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable garbage collection around imports, and freeze their objects, which live as long as the process."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def without_unused(unused: Sequence[str] = UNUSED) -> Iterator[None]:
    """Hide these libraries around imports, as if they were not installed."""
    hidden = [name for name in unused if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None makes an import an ImportError.
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]

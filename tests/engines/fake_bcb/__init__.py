"""A fake bank that speaks the Central Bank's Pix API: an HTTPS server on loopback that demands client certificates. It
validates every request, its own answers and its callbacks by `schemas`, and imports nothing of the gateway.
"""

from tests.engines.fake_bcb.bank import Bank, Manners
from tests.engines.fake_bcb.faults import conflict, dropped, empty, html, late, problem, slow, soap, throttled
from tests.engines.fake_bcb.server import FakeBcb

__all__ = [
    "Bank",
    "FakeBcb",
    "Manners",
    "conflict",
    "dropped",
    "empty",
    "html",
    "late",
    "problem",
    "slow",
    "soap",
    "throttled",
]

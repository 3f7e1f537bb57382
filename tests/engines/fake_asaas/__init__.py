"""A fake Asaas: an HTTP server on loopback that follows the documentation and captured traffic, stores its
objects, and fails on request. It imports nothing of the gateway.
"""

from tests.engines.fake_asaas.faults import Fault, dropped, empty, fault, html, oversized, refusal, slow, throttled
from tests.engines.fake_asaas.server import FakeAsaas

__all__ = ["FakeAsaas", "Fault", "dropped", "empty", "fault", "html", "oversized", "refusal", "slow", "throttled"]

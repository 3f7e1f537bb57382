"""An Asaas on loopback: a real HTTP server that answers as its documentation and captures of its traffic say, keeps
what it was told, and fails on request. Nothing of the gateway is in it.
"""

from tests.engines.fake_asaas.faults import Fault, dropped, empty, fault, html, oversized, refusal, slow, throttled
from tests.engines.fake_asaas.server import FakeAsaas

__all__ = ["FakeAsaas", "Fault", "dropped", "empty", "fault", "html", "oversized", "refusal", "slow", "throttled"]

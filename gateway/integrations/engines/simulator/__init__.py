"""The simulator: an engine without a bank, as a product of its own.

It keeps its own books (`simulator_charges`, `simulator_accounts`, `simulator_transfers`), makes valid dynamic BR Codes,
and speaks the notice format of a real engine through the same inbound handler. A `Script` makes it misbehave on
purpose: what a bank does on a bad day, rehearsed.
"""

from gateway.integrations.engines.simulator.engine import Simulator
from gateway.integrations.engines.simulator.script import Behaviour, Script

__all__ = ["Behaviour", "Script", "Simulator"]

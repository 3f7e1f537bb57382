"""The simulator: an engine without a bank.

It has its own tables (`simulator_…`), makes valid dynamic BR Codes, and sends notifications through the same endpoint
as a real engine. A `Scenario` makes it fail on purpose.
"""

from gateway.integrations.engines.simulator.engine import Simulator
from gateway.integrations.engines.simulator.scenario import Behaviour, Scenario

__all__ = ["Behaviour", "Scenario", "Simulator"]

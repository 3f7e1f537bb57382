"""What an engine can do beyond a charge's life cycle.

Stated by name, because the settings are validated before an engine is opened. An engine's `capabilities` are its entry.
"""

from enum import StrEnum
from typing import Final


class Capability(StrEnum):
    """An optional part of the engine interface. An engine without it refuses its methods."""

    accounts = "accounts"
    """Accounts for merchants, which receive their charges and pay the service's fee."""
    transfers = "transfers"
    """The balance, and transfers to Pix keys."""
    refunds = "refunds"
    """Refunds of paid charges."""
    period = "period"
    """A list of the payments of a period."""


_WITH_ACCOUNTS = frozenset({Capability.accounts, Capability.transfers, Capability.refunds})
CAPABILITIES: Final[dict[str, frozenset[Capability]]] = {
    "simulator": _WITH_ACCOUNTS,
    "asaas": _WITH_ACCOUNTS,
    "bcb": frozenset({Capability.refunds, Capability.period}),
}
"""By the engine's name."""

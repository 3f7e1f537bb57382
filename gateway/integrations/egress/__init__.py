"""The only way out to a merchant's server: which addresses, by which names, over which connection, with what outcome.

Nothing else in the gateway opens a connection to an address that a merchant chose. A leaf: it imports nothing of ours.
"""

from gateway.integrations.egress.addresses import AddressGuard, BlockedAddress
from gateway.integrations.egress.answers import Answer
from gateway.integrations.egress.client import EgressClient
from gateway.integrations.egress.resolver import Lookup, NameNotResolved, Resolver
from gateway.integrations.egress.urls import RefusedUrl, check_webhook_name, check_webhook_url

__all__ = [
    "AddressGuard",
    "Answer",
    "BlockedAddress",
    "EgressClient",
    "Lookup",
    "NameNotResolved",
    "RefusedUrl",
    "Resolver",
    "check_webhook_name",
    "check_webhook_url",
]

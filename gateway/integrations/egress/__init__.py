"""Requests to merchants' servers. No other module connects to an address that a merchant chose.

It imports nothing else of the gateway but the thread pool.
"""

from gateway.integrations.egress.addresses import AddressGuard, BlockedAddress
from gateway.integrations.egress.client import EgressClient
from gateway.integrations.egress.resolver import Lookup, NameNotResolved, Resolver
from gateway.integrations.egress.response import DeliveryResponse
from gateway.integrations.egress.urls import RefusedUrl, check_webhook_name, check_webhook_url

__all__ = [
    "AddressGuard",
    "BlockedAddress",
    "DeliveryResponse",
    "EgressClient",
    "Lookup",
    "NameNotResolved",
    "RefusedUrl",
    "Resolver",
    "check_webhook_name",
    "check_webhook_url",
]

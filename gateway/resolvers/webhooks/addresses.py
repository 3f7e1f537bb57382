"""Validates a webhook's URL at registration, as a courtesy to the merchant. The control is in
`integrations.egress`, which checks the address that is dialled at every delivery.
"""

from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.resolver import Resolver
from gateway.integrations.egress.urls import check_webhook_name, check_webhook_url


class EgressAddresses:
    """The `AddressPolicy` of the real network."""

    def __init__(self, guard: AddressGuard, resolver: Resolver) -> None:
        self._guard = guard
        self._resolver = resolver

    def check(self, url: str, *, test: bool) -> str:
        """As `accept`, but looks nothing up."""
        return check_webhook_url(url, environment_is_test=test, guard=self._guard)

    async def accept(self, url: str, *, test: bool) -> str:
        """The URL as it will be called. Raises `RefusedUrl` (a ValueError) with a Portuguese reason."""
        accepted = self.check(url, test=test)
        await check_webhook_name(accepted, resolver=self._resolver, guard=self._guard)
        return accepted

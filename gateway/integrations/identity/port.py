"""What the rooms ask of an identity service."""

from typing import Protocol

from msgspec import Struct

from gateway.errors import IdentityNotConfigured


class Identity(Struct, frozen=True):
    """Somebody whom Google knows. `uid` is Google's own id of them, for good; `email` is
    lower-case and proven theirs.
    """

    uid: str
    email: str
    name: str


class Identities(Protocol):
    """Says who holds a token."""

    async def identify(self, token: str) -> Identity:
        """Raises `IdentityRefused`, `IdentityUnavailable` or `IdentityNotConfigured`."""


class NoIdentities:
    """Stands where no identity service is configured."""

    async def identify(self, token: str) -> Identity:
        del token
        raise IdentityNotConfigured

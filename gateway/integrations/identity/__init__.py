"""External identity services: who holds a token. `gateway.resolvers.accounts` decides what an identity may open."""

from typing import Protocol

from msgspec import Struct

from gateway.errors import IdentityNotConfigured


class Identity(Struct, frozen=True):
    """A person at Google. `uid` is Google's permanent id; `email` is lower-case and verified."""

    uid: str
    email: str
    name: str


class Identities(Protocol):
    """An identity service."""

    async def identify(self, token: str) -> Identity:
        """Raises `IdentityRefused`, `IdentityUnavailable` or `IdentityNotConfigured`."""


class NoIdentities:
    """The service of a deployment that has none configured."""

    async def identify(self, token: str) -> Identity:
        del token
        raise IdentityNotConfigured

"""What the rooms ask of an identity service."""

from dataclasses import dataclass
from typing import Protocol

from gateway.errors import IdentityNotConfigured


@dataclass(frozen=True, slots=True)
class Identity:
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

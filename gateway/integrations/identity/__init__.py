"""Who somebody is, in the words of an external identity service: what the rooms ask, and who answers.

Nothing here knows an account. What an identity opens, and what it doesn't, is decided in `gateway.resolvers.accounts`.
"""

from gateway.integrations.identity.opening import open_identities
from gateway.integrations.identity.port import Identities, Identity, NoIdentities

__all__ = ["Identities", "Identity", "NoIdentities", "open_identities"]

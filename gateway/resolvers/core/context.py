"""What an operation is given: who calls, through which request, and the services of the process.

The context carries the database, never one connection, because sibling GraphQL fields run at the same time. The
transaction belongs to the command.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from gateway.integrations.engines.interface import Engines
from gateway.integrations.identity import Identities, NoIdentities
from gateway.integrations.object_storage import ObjectStorage
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.rate_limits import RateLimiter
from gateway.resolvers.core.actor import ANONYMOUS, SYSTEM, Actor
from gateway.resolvers.core.credentials import Credentials
from gateway.security import Passwords, SessionTokens, Vault
from gateway.settings import Settings
from gateway.values.clock import Clock


class Wake(Protocol):
    """Notifies the workers of new work. A lost call costs at most their polling interval."""

    def webhooks(self) -> None: ...

    async def answers(self) -> bool:
        """Whether a call would reach them now."""


class Authenticator(Protocol):
    """Turns what a request showed into an actor, once for all operations of the request that follow at once."""

    async def actor(self) -> Actor:
        """The caller, in the store that the request names."""

    async def account(self) -> Actor:
        """The caller, in their own store, independent of the store that the request names."""

    @property
    def refused(self) -> Actor | None:
        """Who showed a good credential and was refused all the same, for the audit trail."""


class AddressPolicy(Protocol):
    """Decides which URLs a webhook may have (gateway.integrations.egress)."""

    def check(self, url: str, *, test: bool) -> str:
        """As `accept`, but looks nothing up."""

    async def accept(self, url: str, *, test: bool) -> str:
        """The URL as it will be called. Raises ValueError with a Portuguese reason."""


class Services(Struct, frozen=True):
    """What one process shares between all its requests and jobs."""

    settings: Settings
    database: Database
    credentials: Credentials
    engines: Engines
    clock: Clock
    limiter: RateLimiter
    wake: Wake
    passwords: Passwords
    tokens: SessionTokens
    vault: Vault
    addresses: AddressPolicy
    archive: ObjectStorage
    identities: Identities = field(default_factory=NoIdentities)


class Origin(Struct, frozen=True):
    """Where a call came from; written to the audit trail."""

    request_id: str
    source: str
    ip: str | None = None
    user_agent: str | None = None


class Reply(Struct):
    """Additions to an operation's result. Transports render `notices` as `aviso`. `found`: nothing was created, because
    it exists already.
    """

    notices: list[str] = field(default_factory=list)
    found: bool = False
    replayed: bool = False


class Work(Struct):
    """Costly steps that one request has taken, counted over all of its operations."""

    hashes: int = 0


class Slot(Struct):
    """The idempotency key of a running creation. Its id fences a runner whose lease was taken over. `request` is what
    is bound of whose key it is, and of which order; it is `reserved` once it is written, and nothing is made before.
    """

    id: str
    request: Mapping[str, Any]
    reserved: bool = False


class Context(Struct, frozen=True):
    """One call of an operation."""

    services: Services
    origin: Origin
    authenticator: Authenticator
    actor: Actor = ANONYMOUS
    idempotency_key: str | None = None
    slot: Slot | None = None
    reply: Reply = field(default_factory=Reply)
    work: Work = field(default_factory=Work)

    @property
    def settings(self) -> Settings:
        return self.services.settings

    @property
    def database(self) -> Database:
        return self.services.database

    @property
    def clock(self) -> Clock:
        """What time it is for the store: by its own clock, where its merchant has moved that."""
        return self.actor.clock or self.services.clock

    @property
    def real_clock(self) -> Clock:
        """The real time, for security limits and real deadlines."""
        return self.services.clock

    @property
    def store_id(self) -> str:
        return self.actor.store_id

    @property
    def environment(self) -> Environment:
        return self.actor.environment

    def acting_as(self, actor: Actor) -> "Context":
        """The same call with another actor."""
        # Written out: `replace` looks up the fields on every call, and this runs on every request.
        return Context(
            self.services, self.origin, self.authenticator, actor, self.idempotency_key, self.slot, self.reply
        )

    def using(self, database: Database) -> "Context":
        """The same call, its statements by way of `database`."""
        return replace(self, services=replace(self.services, database=database))

    def timed_by(self, clock: Clock | None) -> "Context":
        """The same call by another clock; None for real time."""
        return self.acting_as(replace(self.actor, clock=clock))


class _SystemItself:
    refused = None

    async def actor(self) -> Actor:
        return SYSTEM

    async def account(self) -> Actor:
        return SYSTEM


def system_context(services: Services, *, source: str, request_id: str) -> Context:
    """The context of a job: the system acts."""
    return Context(services, Origin(request_id, source), _SystemItself(), SYSTEM)

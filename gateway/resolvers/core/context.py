"""The context of an operation: the caller, the request, and the services of the process.

It has the database and not a connection, because sibling GraphQL fields run concurrently. Handlers open transactions.
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
from gateway.resolvers.changes.feed import ChangeFeed
from gateway.resolvers.core.actor import ANONYMOUS, SYSTEM, Actor
from gateway.resolvers.core.credentials import Credentials
from gateway.security import Passwords, SessionTokens, Vault
from gateway.settings import Settings
from gateway.values.clock import Clock


class WorkerNotifier(Protocol):
    """Notifies the workers of new work. A lost call costs at most their polling interval."""

    def webhooks(self) -> None: ...

    async def answers(self) -> bool:
        """Whether a notification would reach them now."""


class Authenticator(Protocol):
    """Authenticates a request, once for its concurrent operations."""

    async def actor(self) -> Actor:
        """The caller, in the store that the request names."""

    async def account(self) -> Actor:
        """The caller, in their own store."""

    @property
    def refused(self) -> Actor | None:
        """The caller with a valid credential that was refused, for the audit trail."""


class AddressPolicy(Protocol):
    """Decides which URLs a webhook may have (gateway.integrations.egress)."""

    def check(self, url: str, *, test: bool) -> str:
        """Like `accept`, without a DNS look-up."""

    async def accept(self, url: str, *, test: bool) -> str:
        """The URL in the form that is called. Raises ValueError with a reason in Portuguese."""


class DemoLogin(Struct, frozen=True):
    """The login of the demo merchant."""

    email: str
    password: str


class Development(Protocol):
    """What only `gateway dev` has."""

    async def demo_login(self, host: str | None) -> DemoLogin | None:
        """The demo merchant's login, for a request with this `Host`; None without a demo."""


class Services(Struct, frozen=True):
    """The services that the requests and jobs of a process share."""

    settings: Settings
    database: Database
    credentials: Credentials
    engines: Engines
    clock: Clock
    limiter: RateLimiter
    tickets: RateLimiter
    """Counts the uses of tickets, also where the rate limits are off."""
    notifier: WorkerNotifier
    passwords: Passwords
    tokens: SessionTokens
    vault: Vault
    addresses: AddressPolicy
    object_storage: ObjectStorage
    identities: Identities = field(default_factory=NoIdentities)
    development: Development | None = None
    """Set in `gateway dev` only."""
    changes: ChangeFeed = field(default_factory=ChangeFeed)


class RequestMetadata(Struct, frozen=True):
    """The source of a call, for the audit trail."""

    request_id: str
    source: str
    ip: str | None = None
    user_agent: str | None = None
    host: str | None = None
    """The `Host` header."""


class ResponseNotes(Struct):
    """Additions to an operation's result. Transports render `notices` as `aviso`. `found`: the object existed."""

    notices: list[str] = field(default_factory=list)
    found: bool = False
    replayed: bool = False


class PanelCookie(Struct):
    """The cookie that resumes a session of the panel. Only requests of the panel have this object."""

    received: str | None = None
    """The request's cookie."""
    value: str | None = None
    """What the response sets: a new value, or an empty one to delete the cookie."""
    remember: bool = False
    """Whether the cookie outlives the browser."""


class Work(Struct):
    """The expensive steps of a request, counted over all of its operations."""

    hashes: int = 0


class IdempotencySlot(Struct):
    """The idempotency key of a running creation. Its id fences off a run whose lease was taken over.

    `request`: the bound values of the key. `reserved`: whether its row is inserted; nothing is created before.
    """

    id: str
    request: Mapping[str, Any]
    reserved: bool = False


class Context(Struct, frozen=True):
    """One call of an operation."""

    services: Services
    origin: RequestMetadata
    authenticator: Authenticator
    actor: Actor = ANONYMOUS
    idempotency_key: str | None = None
    slot: IdempotencySlot | None = None
    reply: ResponseNotes = field(default_factory=ResponseNotes)
    work: Work = field(default_factory=Work)
    panel: PanelCookie | None = None

    @property
    def settings(self) -> Settings:
        return self.services.settings

    @property
    def database(self) -> Database:
        return self.services.database

    @property
    def clock(self) -> Clock:
        """The store's time: that of its test clock, if the merchant has moved it."""
        return self.actor.clock or self.services.clock

    @property
    def real_clock(self) -> Clock:
        """The real time, for security limits and deadlines."""
        return self.services.clock

    @property
    def store_id(self) -> str:
        return self.actor.store_id

    @property
    def environment(self) -> Environment:
        return self.actor.environment

    @property
    def scope(self) -> dict[str, Any]:
        """The bound values of `of_store`: the caller's store and environment."""
        return {"user_id": self.store_id, "environment": self.environment}

    def with_actor(self, actor: Actor) -> "Context":
        """The same call with another actor."""
        return replace(self, actor=actor)

    def using(self, database: Database) -> "Context":
        """The same call with another database."""
        return replace(self, services=replace(self.services, database=database))

    def timed_by(self, clock: Clock | None) -> "Context":
        """The same call with another clock; None for real time."""
        return self.with_actor(replace(self.actor, clock=clock))


class _SystemAuthenticator:
    refused = None

    async def actor(self) -> Actor:
        return SYSTEM

    async def account(self) -> Actor:
        return SYSTEM


def system_context(services: Services, *, source: str, request_id: str) -> Context:
    """The context of a job, with the system as the actor."""
    return Context(services, RequestMetadata(request_id, source), _SystemAuthenticator(), SYSTEM)

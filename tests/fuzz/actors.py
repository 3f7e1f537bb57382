"""The callers, the ids that they may send, and a foreign store whose data must not leak."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

from sqlalchemy import Text, bindparam, update
from sqlalchemy.types import String

from gateway.integrations.engines.simulator.scenario import Behaviour
from gateway.models.database import Statement
from gateway.models.tables import metadata
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.operation import REGISTRY
from gateway.rest_compat.routes import ENDPOINTS
from gateway.security import SessionClaims, SessionTokens
from tests.api.actors import add_live_key, set_status
from tests.api.table import ROWS, RawInput, Row
from tests.api_client import Api, Merchant, session_id_of
from tests.applicants import staff_member
from tests.members import join

CANARY = "CANARIO-DE-OUTRA-LOJA"
FAILING_METHODS = ("create_charge", "confirm_test", "read_charge")
FAILURES = (Behaviour.refuse, Behaviour.unavailable, Behaviour.timeout_after, Behaviour.bad_code)
_TEXT_COLUMNS = {"name", "customer_name", "description", "title", "reject_reason"}
_SET_CANARIES = [
    Statement(
        update(table)
        .where(table.c.user_id == bindparam("store"))
        .values(
            {
                column.name: CANARY
                for column in table.c
                if column.name in _TEXT_COLUMNS and isinstance(column.type, String | Text)
            }
        )
    )
    for table in metadata.sorted_tables
    if "user_id" in table.c and _TEXT_COLUMNS & {column.name for column in table.c}
]
LISTS = [each.path for each in ENDPOINTS if each.method == "GET" and "{" not in each.path and each.special is None]
READ = [row for row in ROWS if row.owned and row.operation.partition(".")[2].startswith("read")]
"""Rows that create one of each object that can be read."""
CREATED = [row for row in ROWS if REGISTRY[row.operation].idempotent and not row.owned]


@dataclass(frozen=True)
class Caller:
    """A caller with its headers. `valid`: the gateway accepts the credential."""

    name: str
    headers: dict[str, str]
    valid: bool = True
    sees_all: bool = False
    """Staff, which may see all stores."""


@dataclass
class Actors:
    """The callers of one test. Callers that invalidate their credential are replaced."""

    api: Api
    services: Services
    random: Random
    prepared: Sequence[Row] = ()
    callers: list[Caller] = field(default_factory=list)
    known: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Known ids by the path of their list, of own objects and of the foreign store's."""
    raw_inputs: dict[str, RawInput] = field(default_factory=dict)
    """Valid input of each GraphQL field."""
    foreign: set[str] = field(default_factory=set)
    """Texts that only the foreign store has: its ids and the words in its rows."""

    @classmethod
    async def create(cls, api: Api, services: Services, random: Random, *, everything: bool = False) -> "Actors":
        """`everything`: prepares input of all operations, instead of those that create and read."""
        actors = cls(api, services, random, ROWS if everything else [*READ, *CREATED])
        await actors._create_foreign_store()
        await actors._create_callers()
        return actors

    def caller(self) -> Caller:
        """A random caller, most often one with permissions."""
        return self.random.choice(self.callers)

    def fail_sometimes(self) -> None:
        """Sometimes make the engine fail."""
        if self.random.random() < 0.1:
            method = self.random.choice(["create_charge", *FAILING_METHODS])
            self.services.engines.test.scenario.plan(method, self.random.choice(FAILURES))  # type: ignore[attr-defined]  # a simulator.

    def collect_ids(self, path: str, answer: Any) -> None:
        """Store the ids in a response, for later requests."""
        data = answer.get("data") if isinstance(answer, dict) else None
        for item in data if isinstance(data, list) else [data]:
            if isinstance(item, dict):
                for key, name in ((path, "id"), ("txid", "txid"), ("slug", "slug")):
                    if isinstance(item.get(name), str):
                        self.known[key].append(item[name])

    def find_leak(self, caller: Caller, text: str, quoted: str = "") -> str | None:
        """A foreign text in the response that this caller may not see and that is not in `quoted`, its request."""
        if caller.sees_all:
            return None
        return next((one for one in (CANARY, *self.foreign) if one in text and one not in quoted), None)

    async def replace_unauthorized(self) -> None:
        """Replace the callers if one has invalidated its credential, as by a changed password or a revoked key."""
        for caller in self.callers:
            if caller.valid and (await self.api.client.get("/auth/me", headers=caller.headers)).status_code == 401:
                self.callers.clear()
                await self._create_callers()
                return

    async def _create_foreign_store(self) -> None:
        """A store with one of each object, and with a unique name for its people and payers."""
        other = await self.api.register_merchant(company=CANARY)
        for row in READ:
            await row.prepare(other)
        for path in LISTS:
            # All ids that the owner can see.
            answer = await self.api.get(path, token=other.token)
            data = answer.json().get("data") if answer.headers["content-type"] == "application/json" else None
            mine = [item["id"] for item in data if "id" in item] if isinstance(data, list) else []
            self.known[path] += mine
            self.foreign |= set(mine) if not path.startswith("/roadmap") else set()
        for statement in _SET_CANARIES:
            await self.services.database.run(statement, store=other.id)
        self.foreign.add(other.email)

    async def _create_callers(self) -> None:
        for method in FAILING_METHODS:  # The preparation needs a working engine.
            self.services.engines.test.scenario.clear(method)  # type: ignore[attr-defined]  # a simulator.
        owner, live, stopped = [await self.api.register_merchant() for _ in range(3)]
        self.raw_inputs = {row.field: await row.prepare(owner) for row in self.prepared}
        await set_status(self.services.database, live, "approved")
        await set_status(self.services.database, stopped, "suspended")
        viewer = await self.api.register_merchant()
        await join(owner, viewer, "viewer")
        staff = await staff_member(self.api, self.services)
        secret = self.services.settings.secret_key.get_secret_value()
        ended = SessionTokens(secret, self.services.clock, timedelta(seconds=-1))
        session, key = Caller("session", _bearer(owner.token)), Caller("key", _bearer(owner.key))
        self.callers += [
            *([session] * 6),
            *([key] * 3),
            Caller("anonymous", {}, valid=False),
            Caller(
                "ended session",
                _bearer(ended.issue(SessionClaims(owner.id, "test", 1, session_id_of(owner.token)))),
                valid=False,
            ),
            Caller("live session", _bearer(self._live(live))),
            Caller("live key", _bearer(await add_live_key(self.services, live))),
            Caller("suspended", _bearer(self._live(stopped))),
            Caller("viewer", _bearer(viewer.token) | {"x-store": owner.id}),
            Caller("stranger in the foreign store", _bearer(viewer.token) | {"x-store": await self._foreign_store()}),
            *([Caller("staff", _bearer(staff.token), sees_all=True)] * 3),
        ]
        for path in LISTS:
            for token in (owner.token, staff.token):
                answer = await self.api.get(path, token=token)
                if answer.status_code == 200 and answer.headers["content-type"] == "application/json":
                    # Twice, so that own ids are chosen more often than foreign ones.
                    self.collect_ids(path, answer.json())
                    self.collect_ids(path, answer.json())

    def _live(self, merchant: Merchant) -> str:
        return self.services.tokens.issue(SessionClaims(merchant.id, "live", 1, session_id_of(merchant.token)))

    async def _foreign_store(self) -> str:
        return str(await self.services.database.value(_STORE_BY_COMPANY, company=CANARY))


_users = metadata.tables["users"]
_STORE_BY_COMPANY = Statement(
    _users.select().with_only_columns(_users.c.id).where(_users.c.company == bindparam("company"))
)


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}

"""Everybody who calls, what they know, and the store whose secrets nobody may be shown."""

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
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.members import join

CANARY = "CANARIO-DE-OUTRA-LOJA"
TROUBLED = ("create_charge", "confirm_test", "read_charge")
TROUBLES = (Behaviour.refuse, Behaviour.unavailable, Behaviour.timeout_after, Behaviour.bad_code)
_MARKED = {"name", "customer_name", "description", "title", "reject_reason"}
_MARKS = [
    Statement(
        update(table)
        .where(table.c.user_id == bindparam("store"))
        .values(
            {
                column.name: CANARY
                for column in table.c
                if column.name in _MARKED and isinstance(column.type, String | Text)
            }
        )
    )
    for table in metadata.sorted_tables
    if "user_id" in table.c and _MARKED & {column.name for column in table.c}
]
LISTS = [each.path for each in ENDPOINTS if each.method == "GET" and "{" not in each.path and each.special is None]
READ = [row for row in ROWS if row.marks and row.operation.partition(".")[2].startswith("read")]
"""What makes one of each thing that can be read: of a new room, too."""
CREATED = [row for row in ROWS if REGISTRY[row.operation].creates and not row.marks]


@dataclass(frozen=True)
class Caller:
    """Somebody with a credential. `valid`: the gateway knows them."""

    name: str
    headers: dict[str, str]
    valid: bool = True
    sees_all: bool = False
    """The service's staff: every store is theirs to see."""


@dataclass
class Cast:
    """The callers of one test. Who shuts themselves out is replaced by their like."""

    api: Api
    services: Services
    random: Random
    drafted: Sequence[Row] = ()
    callers: list[Caller] = field(default_factory=list)
    known: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Ids that may be sent, by the path of the list they came from; own ones and a foreign store's."""
    drafts: dict[str, RawInput] = field(default_factory=dict)
    """What a GraphQL field is meant to be called with."""
    foreign: set[str] = field(default_factory=set)
    """What only the foreign store has: ids, and the words in its rows."""

    @classmethod
    async def gather(cls, api: Api, services: Services, random: Random, *, everything: bool = False) -> "Cast":
        """`everything`: a draft for each operation, instead of those that create and read."""
        cast = cls(api, services, random, ROWS if everything else [*READ, *CREATED])
        await cast._stage_the_foreign_store()
        await cast._stage_the_callers()
        return cast

    def caller(self) -> Caller:
        """Anybody; most often somebody who may do something."""
        return self.random.choice(self.callers)

    def trouble(self) -> None:
        """Now and then the bank misbehaves."""
        if self.random.random() < 0.1:
            method = self.random.choice(["create_charge", *TROUBLED])
            self.services.engines.test.scenario.plan(method, self.random.choice(TROUBLES))  # type: ignore[attr-defined]  # a simulator.

    def learn(self, path: str, answer: Any) -> None:
        """Remember the ids of what was answered, to ask for them later on."""
        data = answer.get("data") if isinstance(answer, dict) else None
        for item in data if isinstance(data, list) else [data]:
            if isinstance(item, dict):
                for place, name in ((path, "id"), ("txid", "txid"), ("slug", "slug")):
                    if isinstance(item.get(name), str):
                        self.known[place].append(item[name])

    def shows(self, caller: Caller, text: str, quoted: str = "") -> str | None:
        """What of the foreign store the text shows to somebody who may not see it, and
        did not write what is `quoted`.
        """
        if caller.sees_all:
            return None
        return next((one for one in (CANARY, *self.foreign) if one in text and one not in quoted), None)

    async def replace_the_shut_out(self) -> None:
        """Callers whose credential has ended meanwhile: by a password they changed, a key they revoked."""
        for caller in self.callers:
            if caller.valid and (await self.api.client.get("/auth/me", headers=caller.headers)).status_code == 401:
                self.callers.clear()
                await self._stage_the_callers()
                return

    async def _stage_the_foreign_store(self) -> None:
        """A store with one of everything; its people and payers are called by a name that nothing else bears."""
        other = await self.api.register_merchant(company=CANARY)
        for row in READ:
            await row.prepare(other)
        for path in LISTS:
            # By the holder's own eyes: what of the store can be named at all.
            answer = await self.api.get(path, token=other.token)
            data = answer.json().get("data") if answer.headers["content-type"] == "application/json" else None
            mine = [item["id"] for item in data if "id" in item] if isinstance(data, list) else []
            self.known[path] += mine
            self.foreign |= set(mine) if not path.startswith("/roadmap") else set()
        for statement in _MARKS:
            await self.services.database.run(statement, store=other.id)
        self.foreign.add(other.email)

    async def _stage_the_callers(self) -> None:
        for method in TROUBLED:  # What is staged is staged in peace.
            self.services.engines.test.scenario.clear(method)  # type: ignore[attr-defined]  # a simulator.
        owner, live, stopped = [await self.api.register_merchant() for _ in range(3)]
        self.drafts = {row.field: await row.prepare(owner) for row in self.drafted}
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
            Caller("nobody", {}, valid=False),
            Caller("ended session", _bearer(ended.issue(SessionClaims(owner.id, "test", 1))), valid=False),
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
                    # Once for the foreign store's ids, and twice for one's own.
                    self.learn(path, answer.json())
                    self.learn(path, answer.json())

    def _live(self, merchant: Merchant) -> str:
        return self.services.tokens.issue(SessionClaims(merchant.id, "live", 1))

    async def _foreign_store(self) -> str:
        return str(await self.services.database.value(_STORE_CALLED, company=CANARY))


_users = metadata.tables["users"]
_STORE_CALLED = Statement(
    _users.select().with_only_columns(_users.c.id).where(_users.c.company == bindparam("company"))
)


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}

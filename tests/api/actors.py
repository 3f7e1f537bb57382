"""Kinds of callers with their credentials, and the refusal that `Permission` implies for each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import bindparam, insert, select, update

from gateway.models.accounts import users
from gateway.models.api_keys import api_keys
from gateway.models.database import Database, Statement
from gateway.resolvers.core.access import RULES, Permission
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.operation import Operation
from gateway.security import SessionClaims, SessionTokens, hash_api_key, new_api_key
from gateway.values.ids import new_id
from tests.api_client import PASSWORD, Api, Merchant, session_id_of

MISSING = "Token JWT ou chave de API ausente"
UNKNOWN_KEY = "Chave de API inválida ou revogada"
INVALID_SESSION = "Token inválido ou expirado"

SET_STATUS = Statement(
    update(users).where(users.c.id == bindparam("user_id")).values(production_status=bindparam("new_status"))
)
VERSION = Statement(select(users.c.session_version).where(users.c.id == bindparam("user_id")))
SET_STAFF = Statement(update(users).where(users.c.id == bindparam("user_id")).values(is_admin=bindparam("staff")))
ADD_KEY = Statement(
    insert(api_keys).values(
        {name: bindparam(name) for name in ("id", "user_id", "name", "prefix", "key_hash", "environment", "created_at")}
    )
)


@dataclass(frozen=True)
class Scene:
    """The owner of the objects, another merchant, and the application."""

    api: Api
    services: Services
    owner: Merchant
    stranger: Merchant

    @property
    def database(self) -> Database:
        return self.services.database


@dataclass(frozen=True)
class Refusal:
    """An expected_refusal refusal. `codigo` is None for authentication errors."""

    status: int
    codigo: str | None = None
    message: str | None = None


@dataclass(frozen=True)
class Caller:
    """A kind of caller. `refused` is its refusal by every operation, or None if the permission decides."""

    name: str
    credential: Callable[[Scene], Awaitable[str | None]]
    refused: Refusal | None = None
    panel: bool = True
    staff: bool = False
    live: bool = False
    approved: bool = False
    owns: bool = True


TEST_ONLY = {"charges.simulate_payment", "clocks.read", "clocks.advance", "webhooks.open_test_receiver"}


def expected_refusal(operation: Operation, caller: Caller) -> Refusal | None:  # type: ignore[type-arg]  # any operation.
    """The refusal of this caller by this operation, or None if it is admitted."""
    if operation.permission is Permission.public:
        return None
    rule = RULES[operation.permission]
    refusals = (
        (caller.refused is not None, caller.refused),
        (not rule.roles, Refusal(403)),
        (rule.staff and not caller.staff, Refusal(403, "SOMENTE_ADMIN")),
        (rule.panel and not caller.panel, Refusal(403, "SOMENTE_PAINEL")),
        (operation.name == "receiving.open", Refusal(409)),  # In single-account mode, with any production status.
        (operation.name in TEST_ONLY and caller.live, Refusal(409, "SOMENTE_TESTE")),
        (operation.needs_live_approval and caller.live and not caller.approved, Refusal(409, "PRODUCAO_NAO_LIBERADA")),
    )
    return next((refusal for applies, refusal in refusals if applies), None)


async def set_status(database: Database, merchant: Merchant, status: str) -> None:
    """Set a merchant's production status, as staff does."""
    await database.run(SET_STATUS, user_id=merchant.id, new_status=status)


async def add_live_key(services: Services, merchant: Merchant) -> str:
    """A live key, created while the merchant was approved."""
    key = new_api_key("service", "live")
    await services.database.run(
        ADD_KEY,
        id=new_id(),
        user_id=merchant.id,
        name="viva",
        prefix=key[:18],
        key_hash=hash_api_key(key),
        environment="live",
        created_at=services.clock.now(),
    )
    return key


async def live_session(scene: Scene) -> str:
    version = await scene.database.value(VERSION, user_id=scene.owner.id)
    return scene.services.tokens.issue(SessionClaims(scene.owner.id, "live", version, session_id_of(scene.owner.token)))


async def _no_credential(_: Scene) -> str | None:
    return None


async def _garbage(_: Scene) -> str:
    return "eyJhbGciOiJub25lIn0.lixo.lixo"


async def _garbage_key(_: Scene) -> str:
    return "service_test_" + "x" * 40


async def _expired_session(scene: Scene) -> str:
    secret = scene.services.settings.secret_key.get_secret_value()
    expired = SessionTokens(secret, scene.services.clock, timedelta(seconds=-1))
    return expired.issue(SessionClaims(scene.owner.id, "test", 1, session_id_of(scene.owner.token)))


async def _ended_session(scene: Scene) -> str:
    form = {"current_password": PASSWORD, "new_password": "outra senha comprida"}
    changed = await scene.api.put("/auth/password", form, token=scene.owner.token)
    assert changed.status_code == 200
    return scene.owner.token


async def _revoked_key(scene: Scene) -> str:
    gone = await scene.api.delete(f"/api-keys/{scene.owner.key_id}", token=scene.owner.token)
    assert gone.status_code == 200
    return scene.owner.key


async def _inactive_key(scene: Scene) -> str:
    stopped = await scene.api.put(f"/api-keys/{scene.owner.key_id}", {"active": False}, token=scene.owner.token)
    assert stopped.status_code == 200
    return scene.owner.key


async def _live_key_unapproved(scene: Scene) -> str:
    await set_status(scene.database, scene.owner, "sandbox")
    return await add_live_key(scene.services, scene.owner)


async def _live_key_suspended(scene: Scene) -> str:
    await set_status(scene.database, scene.owner, "suspended")
    return await add_live_key(scene.services, scene.owner)


async def _live_session_suspended(scene: Scene) -> str:
    await set_status(scene.database, scene.owner, "suspended")
    return await live_session(scene)


async def _live_session_approved(scene: Scene) -> str:
    await set_status(scene.database, scene.owner, "approved")
    return await live_session(scene)


async def _live_key_approved(scene: Scene) -> str:
    await set_status(scene.database, scene.owner, "approved")
    return await add_live_key(scene.services, scene.owner)


async def _own_key(scene: Scene) -> str:
    return scene.owner.key


async def _own_session(scene: Scene) -> str:
    return scene.owner.token


async def _strange_key(scene: Scene) -> str:
    return scene.stranger.key


async def _strange_session(scene: Scene) -> str:
    return scene.stranger.token


async def _staff(scene: Scene) -> str:
    await scene.database.run(SET_STAFF, user_id=scene.stranger.id, staff=True)
    return scene.stranger.token


_NOT_LIVE = Refusal(403, "PRODUCAO_NAO_LIBERADA")
CALLERS = [
    Caller("anonymous", _no_credential, Refusal(401, None, MISSING)),
    Caller("garbage token", _garbage, Refusal(401, None, INVALID_SESSION)),
    Caller("garbage key", _garbage_key, Refusal(401, None, UNKNOWN_KEY)),
    Caller("expired session", _expired_session, Refusal(401, None, INVALID_SESSION)),
    Caller("session before a password change", _ended_session, Refusal(401, None, INVALID_SESSION)),
    Caller("revoked key", _revoked_key, Refusal(401, None, UNKNOWN_KEY)),
    Caller("deactivated key", _inactive_key, Refusal(401, None, UNKNOWN_KEY)),
    Caller("live key of an unapproved merchant", _live_key_unapproved, _NOT_LIVE),
    Caller("live key of a suspended merchant", _live_key_suspended, _NOT_LIVE),
    Caller("live session of a suspended merchant", _live_session_suspended, live=True),
    Caller("live session", _live_session_approved, live=True, approved=True),
    Caller("live key", _live_key_approved, live=True, approved=True, panel=False),
    Caller("test key", _own_key, panel=False),
    Caller("test session", _own_session),
    Caller("another merchant's key", _strange_key, panel=False, owns=False),
    Caller("another merchant's session", _strange_session, owns=False),
    Caller("staff", _staff, staff=True, owns=False),
]

"""Everybody who may knock: each kind of caller with the credential it shows, and what `Permission` makes of it."""

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
from tests.api_client import PASSWORD, Api, Merchant

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
    """One merchant who owns things, another who doesn't, and where they live."""

    api: Api
    services: Services
    owner: Merchant
    stranger: Merchant

    @property
    def database(self) -> Database:
        return self.services.database


@dataclass(frozen=True)
class Verdict:
    """What a refused caller is told. `codigo` is None for authentication errors."""

    status: int
    codigo: str | None = None
    message: str | None = None


@dataclass(frozen=True)
class Knocker:
    """A kind of caller. `refused` is what it is always told, or None where the permission decides."""

    name: str
    credential: Callable[[Scene], Awaitable[str | None]]
    refused: Verdict | None = None
    panel: bool = True
    staff: bool = False
    live: bool = False
    approved: bool = False
    owns: bool = True


def expected(operation: Operation, knocker: Knocker) -> Verdict | None:  # type: ignore[type-arg]  # any operation.
    """What the rules say of this caller and this operation: a refusal, or None for admission."""
    if operation.permission is Permission.public:
        return None
    rule = RULES[operation.permission]
    verdicts = (
        (knocker.refused is not None, knocker.refused),
        (not rule.roles, Verdict(403)),
        (rule.staff and not knocker.staff, Verdict(403, "SOMENTE_ADMIN")),
        (rule.panel and not knocker.panel, Verdict(403, "SOMENTE_PAINEL")),
        (operation.name == "receiving.open", Verdict(409)),  # In single-account mode, whatever the store's standing.
        (operation.issues and knocker.live and not knocker.approved, Verdict(409, "PRODUCAO_NAO_LIBERADA")),
    )
    return next((verdict for applies, verdict in verdicts if applies), None)


async def set_status(database: Database, merchant: Merchant, status: str) -> None:
    """Move a merchant's production approval, as staff would."""
    await database.run(SET_STATUS, user_id=merchant.id, new_status=status)


async def add_live_key(services: Services, merchant: Merchant) -> str:
    """A live key that the merchant got while approved."""
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
    return scene.services.tokens.issue(SessionClaims(scene.owner.id, "live", version))


async def _nobody(_: Scene) -> str | None:
    return None


async def _garbage(_: Scene) -> str:
    return "eyJhbGciOiJub25lIn0.lixo.lixo"


async def _garbage_key(_: Scene) -> str:
    return "service_test_" + "x" * 40


async def _expired_session(scene: Scene) -> str:
    secret = scene.services.settings.secret_key.get_secret_value()
    lived = SessionTokens(secret, scene.services.clock, timedelta(seconds=-1))
    return lived.issue(SessionClaims(scene.owner.id, "test", 1))


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


_NOT_LIVE = Verdict(403, "PRODUCAO_NAO_LIBERADA")
KNOCKERS = [
    Knocker("anonymous", _nobody, Verdict(401, None, MISSING)),
    Knocker("garbage token", _garbage, Verdict(401, None, INVALID_SESSION)),
    Knocker("garbage key", _garbage_key, Verdict(401, None, UNKNOWN_KEY)),
    Knocker("expired session", _expired_session, Verdict(401, None, INVALID_SESSION)),
    Knocker("session before a password change", _ended_session, Verdict(401, None, INVALID_SESSION)),
    Knocker("revoked key", _revoked_key, Verdict(401, None, UNKNOWN_KEY)),
    Knocker("deactivated key", _inactive_key, Verdict(401, None, UNKNOWN_KEY)),
    Knocker("live key of an unapproved merchant", _live_key_unapproved, _NOT_LIVE),
    Knocker("live key of a suspended merchant", _live_key_suspended, _NOT_LIVE),
    Knocker("live session of a suspended merchant", _live_session_suspended, live=True),
    Knocker("live session", _live_session_approved, live=True, approved=True),
    Knocker("live key", _live_key_approved, live=True, approved=True, panel=False),
    Knocker("test key", _own_key, panel=False),
    Knocker("test session", _own_session),
    Knocker("another merchant's key", _strange_key, panel=False, owns=False),
    Knocker("another merchant's session", _strange_session, owns=False),
    Knocker("staff", _staff, staff=True, owns=False),
]

"""Creating, changing and revoking API keys: acts of the store's holder, in the panel."""

from typing import Any

from sqlalchemy import Update, bindparam, delete, insert, select, update

from gateway.errors import InvalidInput, LiveNotApproved, NotFound
from gateway.models.api_keys import api_keys
from gateway.models.base import Environment
from gateway.models.database import Row, Shapes, Statement
from gateway.resolvers.api_keys.inputs import CreateApiKey, UpdateApiKey, WhichApiKey, has_passed
from gateway.resolvers.api_keys.views import API_KEY_COLUMNS, ApiKeyView, NewApiKeyView
from gateway.resolvers.audit.changes import differences
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.inputs import PAST_END
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.updates import refuse_unchanged
from gateway.security import hash_api_key, new_api_key
from gateway.values.ids import new_id

SHOWN_OF_SECRET = 6
CHANGEABLE = ("name", "active")
MISSING = "Chave de API não encontrada."
_K = api_keys
_GIVEN = ("id", "user_id", "name", "prefix", "key_hash", "environment", "scopes", "expires_at", "created_at")
CREATE = Statement(
    insert(_K).values({name: bindparam(name, type_=_K.c[name].type) for name in _GIVEN}).returning(*API_KEY_COLUMNS)
)
_mine = (_K.c.id == bindparam("key_id"), _K.c.user_id == bindparam("store_id"))


def _update(*fields: str) -> Update:
    given: dict[str, Any] = {name: bindparam(f"new_{name}", type_=_K.c[name].type) for name in fields}
    return update(_K).where(*_mine).values(given).returning(*API_KEY_COLUMNS)


LOCK = Statement(select(*API_KEY_COLUMNS).where(*_mine).with_for_update())
UPDATE = Shapes(_update)
REVOKE = Statement(delete(_K).where(*_mine).returning(*API_KEY_COLUMNS))


@operation("api_keys.create", Permission.holder, creates=True)
async def create_api_key(ctx: Context, order: CreateApiKey) -> NewApiKeyView:
    """Create an API key; the answer is the only sight of it."""
    if order.environment is Environment.live and not ctx.actor.production.approved:
        raise LiveNotApproved(producao=ctx.actor.production.block())
    now, prefix = ctx.real_clock.now(), ctx.settings.key_prefix
    if order.expires_at is not None and has_passed(order.expires_at, now):
        raise InvalidInput(("expires_at", PAST_END))
    key = new_api_key(prefix, order.environment)
    shown = key[: len(f"{prefix}_{order.environment}_") + SHOWN_OF_SECRET]
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(
            CREATE,
            id=new_id(),
            user_id=ctx.store_id,
            name=order.name,
            prefix=shown,
            key_hash=hash_api_key(key),
            environment=order.environment,
            scopes=order.scopes,
            expires_at=order.expires_at,
            created_at=now,
        )
        assert row is not None
        created = NewApiKeyView.of(dict(row) | {"key": key})
        await record(ctx, transaction, "api_key.created", created.id, changes=_faces(row, born=True))
        await idempotency.conclude(ctx, transaction, created)
    return created


@operation("api_keys.update", Permission.holder)
async def update_api_key(ctx: Context, order: UpdateApiKey) -> ApiKeyView:
    """Rename a key, or stop and resume accepting it; effective on the very next request."""
    given = {name: value for name, value in order.sent().items() if name != "id"}
    refuse_unchanged(given, CHANGEABLE)
    mine = {"key_id": order.id, "store_id": ctx.store_id}
    async with ctx.database.transaction() as transaction:
        before = await transaction.one(LOCK, **mine)
        if before is None:
            raise NotFound(MISSING)
        changes = differences(before, given)
        if not changes:
            return ApiKeyView.of(before).as_of(ctx.real_clock.now())
        values = {f"new_{name}": given[name] for name in changes}
        after = await transaction.one(UPDATE.of(*sorted(changes)), **mine, **values)
        assert after is not None, "the row is locked"
        await record(ctx, transaction, "api_key.updated", order.id, changes=changes)
    return ApiKeyView.of(after).as_of(ctx.real_clock.now())


@operation("api_keys.revoke", Permission.holder)
async def revoke_api_key(ctx: Context, which: WhichApiKey) -> Deleted:
    """Revoke a key for good."""
    async with ctx.database.transaction() as transaction:
        revoked = await transaction.one(REVOKE, key_id=which.id, store_id=ctx.store_id)
        if revoked is None:
            raise NotFound(MISSING)
        await record(ctx, transaction, "api_key.revoked", which.id, changes=_faces(revoked))
    return Deleted.of({"id": which.id, "deleted": True, "desvinculados": {}})


def _faces(key: Row, *, born: bool = False) -> dict[str, Any]:
    """By what people know a key, for the trail: the row is gone when somebody asks which one it was."""
    always, sometimes = ("name", "prefix", "environment"), ("scopes", "expires_at")
    told = (*always, *(name for name in sometimes if key[name] is not None))
    return {name: {"to" if born else "from": key[name]} for name in told}

"""Save, list and delete the Pix keys that a store withdraws to."""

from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import Conflict, NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Statement
from gateway.models.pix_keys import pix_keys
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import of_store
from gateway.resolvers.core.views import Page
from gateway.resolvers.pix_keys.types import PIX_KEY_COLUMNS, PixKeyView, SavePixKey, WhichPixKey
from gateway.resolvers.withdrawals.pix_keys import mask_key, normalise_key
from gateway.values.ids import new_id

MAX_KEYS = 20
TOO_MANY = f"O limite é de {MAX_KEYS} chaves guardadas por ambiente; exclua alguma."
MISSING = "Chave Pix não encontrada."

_K = pix_keys
LIST = Statement(select(*PIX_KEY_COLUMNS).where(*of_store(_K)).order_by(_K.c.created_at.desc(), _K.c.id.desc()))
_inserted = insert(_K).values({column.name: bindparam(column.name) for column in _K.c})
SAVE = Statement(
    _inserted.on_conflict_do_update(
        index_elements=[_K.c.user_id, _K.c.environment, _K.c.pix_key],
        set_={"name": func.coalesce(_inserted.excluded.name, _K.c.name)},
    ).returning(*PIX_KEY_COLUMNS)
)
COUNT = Statement(select(func.count()).where(*of_store(_K)))
DELETE = Statement(
    delete(_K).where(*of_store(_K), _K.c.id == bindparam("id")).returning(_K.c.id, _K.c.pix_key, _K.c.pix_key_type)
)


@operation("pix_keys.list", Permission.read)
async def list_pix_keys(ctx: Context, _: Empty) -> Page[PixKeyView]:
    """List the saved Pix keys of the store, newest first."""
    rows = await ctx.database.all(LIST, **ctx.scope)
    return Page([PixKeyView.of(row) for row in rows], limit=MAX_KEYS)


@operation("pix_keys.save", Permission.finance, idempotent=True, scope=Scope.withdrawals)
async def save_pix_key(ctx: Context, order: SavePixKey) -> PixKeyView:
    """Save a Pix key for withdrawals. One that is saved already is renamed. Raises `InvalidPixKey`."""
    key = normalise_key(order.pix_key_type, order.pix_key)
    values = {"name": order.name, "pix_key": key, "pix_key_type": order.pix_key_type, "created_at": ctx.clock.now()}
    async with ctx.database.transaction() as transaction:
        # One request of a store at a time, so that two cannot exceed the limit.
        await transaction.lock(f"pix keys {ctx.environment} {ctx.store_id}")
        row = await transaction.single(SAVE, **ctx.scope, **values, id=new_id())
        saved = PixKeyView.of(row)
        if await transaction.value(COUNT, **ctx.scope) > MAX_KEYS:
            raise Conflict(TOO_MANY)
        changes = {"pix_key": mask_key(order.pix_key_type, key)}
        await record(ctx, transaction, "pix_key.saved", saved.id, changes=changes)
        await idempotency.complete(ctx, transaction, saved)
    return saved


@operation("pix_keys.delete", Permission.finance, scope=Scope.withdrawals)
async def delete_pix_key(ctx: Context, which: WhichPixKey) -> Deleted:
    """Delete a saved Pix key; withdrawals to it stay."""
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(DELETE, **ctx.scope, id=which.id)
        if row is None:
            raise NotFound(MISSING)
        changes = {"pix_key": {"from": mask_key(row["pix_key_type"], row["pix_key"]), "to": None}}
        await record(ctx, transaction, "pix_key.deleted", which.id, changes=changes)
    return Deleted.of_id(which.id)

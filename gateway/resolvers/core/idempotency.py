"""`Idempotency-Key`: one key, one creation, one answer (contract section 2).

The answer is stored in the transaction that creates, so a created object never lacks its answer. A request that died
holds its key until the lease ends; the slot's id then fences it. Where the creation may still be undone, the answer is
only promised: it is returned when the lease is over.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

import orjson
from msgspec.structs import replace
from sqlalchemy import CTE, ColumnElement, and_, bindparam, delete, exists, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway import errors
from gateway.errors import CouponRefused, GatewayError, IdempotencyConflict, IdempotencyInProgress, InvalidInput
from gateway.models.database import Executor, Row, Statement, synchronous_commit_off
from gateway.models.idempotency import idempotency_keys as keys
from gateway.resolvers.core.context import Context, Slot
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.views import View, default_encoder
from gateway.values.ids import first_id_of, new_id

ResultT = TypeVar("ResultT")
LEASE = timedelta(seconds=60)
RETENTION = timedelta(hours=24)
_READABLE = re.compile(r"[!-~]{1,255}")

_BOUND = {
    "id": "slot",
    "user_id": "slot_store",
    "environment": "slot_environment",
    "operation": "slot_operation",
    "key": "slot_key",
    "fingerprint": "slot_fingerprint",
    "lease_until": "slot_lease_until",
    "created_at": "slot_now",
}
"""By which names the columns of a key are bound in a statement that also binds what is created under it."""
NO_KEY = dict.fromkeys(_BOUND.values())
"""The bound values of a key where the caller sent none."""
_values = {column: bindparam(name, type_=keys.c[column].type) for column, name in _BOUND.items()}
_UNIQUE = ("user_id", "environment", "operation", "key")
_matches = [keys.c[column] == _values[column] for column in _UNIQUE]
has_no_key: ColumnElement[bool] = _values["id"].is_(None)
"""Whether the statement is run without a key: `NO_KEY` is bound."""


def insert_key(commit: CTE) -> CTE:
    """Insert the caller's key: one row, or none if the key exists or the caller sent none. Run it by `reserve_with`."""
    return (
        insert(keys)
        .from_select(list(_values), select(*_values.values()).select_from(commit).where(~has_no_key))
        .on_conflict_do_nothing(constraint="uq_idempotency_keys_user_id")
        .returning(keys.c.id)
        .cte("reserved")
    )


# A key means nothing without the object created under it, whose commit waits for the disk.
RESERVE = Statement(select(insert_key(synchronous_commit_off()).c.id))
FIND = Statement(select(keys.c.fingerprint, keys.c.status, keys.c.answer, keys.c.lease_until).where(*_matches))
_abandoned = and_(
    keys.c.status.is_(None),
    keys.c.answer.is_(None),  # An object that exists is never created again.
    keys.c.lease_until < bindparam("now", type_=keys.c.lease_until.type),
    keys.c.fingerprint == _values["fingerprint"],
)
_outdated = keys.c.created_at < bindparam("oldest", type_=keys.c.created_at.type)
VACATE = Statement(delete(keys).where(*_matches, or_(_abandoned, _outdated)))
"""Delete a key that is abandoned or outdated, so that the request can reserve it."""
# Every unique column: each index then finds one row, and a sharded database finds its node.
_slot = (keys.c.id == _values["id"], *_matches)
_mine = (*_slot, keys.c.status.is_(None))
_concluded = {"status": bindparam("key_status", type_=keys.c.status.type), "answer": bindparam("answer")}
CONCLUDE = Statement(update(keys).where(*_mine).values(_concluded))
PROMISE = Statement(update(keys).where(*_mine).values(answer=bindparam("answer"), lease_until=bindparam("lease_until")))
REVOKE = Statement(delete(keys).where(*_slot))
RELEASE = Statement(delete(keys).where(*_mine, keys.c.answer.is_(None)))
FORGET = Statement(delete(keys).where(keys.c.id < bindparam("before", type_=keys.c.id.type)))


class LeaseLost(RuntimeError):
    """Another request took the key over: this one must not commit."""


class KeyInUse(Exception):  # Not an error: the request has its answer, or will have it in a moment.
    """The key belongs to an earlier request."""


async def once(
    ctx: Context,
    operation: str,
    result_type: type[ResultT],
    order: Input,
    verb: Callable[[Context], Awaitable[ResultT]],
    *,
    reserves: bool = False,
) -> ResultT:
    """Run the handler under the caller's key, or return its earlier answer. A handler that `reserves` the key itself
    does so before it creates anything: with its own first statement (`reserve_with`), or with `reserve`.
    """
    _require_readable(ctx.idempotency_key)
    fingerprint = _fingerprint(order)
    request = {
        "slot_store": ctx.actor.store_id,
        "slot_environment": ctx.actor.environment,
        "slot_operation": operation,
        "slot_key": ctx.idempotency_key,
        "slot_fingerprint": fingerprint,
    }
    # What the verb calls is not the caller's request.
    slotted = replace(ctx, slot=Slot(new_id(), request), idempotency_key=None)
    try:
        if not reserves:
            await reserve(slotted)
        return await _run(slotted, verb)
    except KeyInUse:
        return _replay(ctx, await ctx.database.one(FIND, **request), fingerprint, result_type)


async def reserve(ctx: Context) -> None:
    """Reserve the caller's key, if there is one and it isn't reserved. Raises `KeyInUse`."""
    if ctx.slot is not None and not ctx.slot.reserved:
        await reserve_with(ctx, RESERVE)


async def reserve_with(ctx: Context, statement: Statement, **values: Any) -> Row:
    """Run a statement with `insert_key`, and return its row. The key's columns are null if there is no key, or it is
    reserved already. Raises `KeyInUse`; nothing is written then.
    """
    slot = ctx.slot
    if slot is None or slot.reserved:
        row = await ctx.database.one(statement, **values, **NO_KEY)
        assert row is not None
        return row
    now = ctx.real_clock.now()
    values |= _of(slot) | {"slot_lease_until": now + LEASE, "slot_now": now}
    row = await ctx.database.one(statement, **values)
    if row is None and await ctx.database.run(VACATE, **slot.request, now=now, oldest=now - RETENTION):
        row = await ctx.database.one(statement, **values)
    if row is None:
        raise KeyInUse
    slot.reserved = True
    return row


async def conclude(ctx: Context, transaction: Executor, view: View) -> None:
    """Store the answer in the transaction that creates, in place of a promised one. Each creating handler calls this
    once, or uses `store_answer`.
    """
    if ctx.slot is not None and not await transaction.run(CONCLUDE, **answer_values(ctx, view)):
        raise LeaseLost


def lock_key() -> CTE:
    """Lock the caller's key, for a statement that creates only while the key is the caller's. Binds `answer_values`.
    Without a key, no row.
    """
    return select(keys.c.id).where(*_mine).with_for_update().cte("locked_key")


def store_answer(act: CTE) -> CTE:
    """Store the answer under the caller's key, if `act` has a row. Binds `answer_values`."""
    return update(keys).where(*_mine, exists(select(act))).values(_concluded).returning(keys.c.id).cte("answered_key")


def answer_values(ctx: Context, view: View) -> dict[str, Any]:
    """The bound values of `store_answer`; nulls if the caller sent no key."""
    if ctx.slot is None:
        return NO_KEY | {"key_status": None, "answer": None}
    status = 200 if ctx.reply.found else 201
    return _of(ctx.slot) | {"key_status": status, "answer": _encrypted(ctx, _answer(ctx, view))}


async def promise(ctx: Context, transaction: Executor, view: View) -> None:
    """Store the answer in the transaction that creates what an engine has yet to take on: `conclude` or `revoke` follow
    after it answers. Until then a repeated request gets the error that it is running; where neither follows,
    because the process died, the answer stands as soon as the engine's deadline and the lease are over.
    """
    if ctx.slot is None:
        return
    engine_timeout = timedelta(seconds=ctx.settings.engine_timeout_seconds)
    done = await transaction.run(
        PROMISE,
        **_of(ctx.slot),
        answer=_encrypted(ctx, _answer(ctx, view)),
        lease_until=ctx.real_clock.now() + engine_timeout + LEASE,
    )
    if not done:
        raise LeaseLost


async def revoke(ctx: Context, transaction: Executor) -> None:
    """Forget the key in the transaction that unmakes what it created: the same order may be sent again."""
    if ctx.slot is not None:
        await transaction.run(REVOKE, **_of(ctx.slot))


async def forget(ctx: Context) -> None:
    """Delete keys that may no longer be repeated. An id contains its age."""
    await ctx.database.run(FORGET, before=first_id_of(ctx.clock.now() - RETENTION))


def _require_readable(key: str | None) -> None:
    if key is None or not _READABLE.fullmatch(key):
        raise InvalidInput(("Idempotency-Key", "use de 1 a 255 caracteres ASCII visíveis, sem espaços"))


def _of(slot: Slot) -> dict[str, Any]:
    return {"slot": slot.id, **slot.request}


def _replay(ctx: Context, row: Row | None, fingerprint: bytes, result_type: type[ResultT]) -> ResultT:
    if row is None:  # Its runner has just failed and let the key go.
        raise IdempotencyInProgress
    if row["fingerprint"] != fingerprint:
        raise IdempotencyConflict
    if row["status"] is None and (row["answer"] is None or row["lease_until"] >= ctx.real_clock.now()):
        raise IdempotencyInProgress
    ctx.reply.replayed = True
    answer = orjson.loads(ctx.services.vault.decrypt(row["answer"]))
    if "error" in answer:
        raise _revived(answer["error"])
    ctx.reply.notices[:] = answer["notices"]
    ctx.reply.found = answer.get("found", False)
    return result_type.of(answer["data"])  # type: ignore[attr-defined,no-any-return]  # creations answer a View.


async def _run(ctx: Context, verb: Callable[[Context], Awaitable[ResultT]]) -> ResultT:
    slot = ctx.slot
    assert slot is not None
    try:
        return await verb(ctx)
    except GatewayError as error:
        await reserve(ctx)  # A repeated request gets the stored response, even if it would fail now.
        if _is_stored(error):
            await ctx.database.run(
                CONCLUDE, **_of(slot), key_status=error.status, answer=_encrypted(ctx, _refusal(error))
            )
        else:
            await ctx.database.run(RELEASE, **_of(slot))
        raise
    except LeaseLost:
        raise IdempotencyInProgress from None
    except Exception:
        if slot.reserved:
            await ctx.database.run(RELEASE, **_of(slot))
        raise


def _is_stored(error: GatewayError) -> bool:
    """Whether the same request would be refused again, having been understood: not where the service failed, where it
    is only refused for now, or where its fields have to be corrected. A coupon is more than a field.
    """
    misfit = isinstance(error, InvalidInput) and not isinstance(error, CouponRefused)
    return error.status < 500 and not error.of_the_moment and not misfit


def _answer(ctx: Context, view: View) -> dict[str, Any]:
    return {"data": view.__dict__, "notices": ctx.reply.notices, "found": ctx.reply.found}


def _refusal(error: GatewayError) -> dict[str, Any]:
    return {"error": {"class": type(error).__name__, "message": error.message, "extra": error.extra}}


def _encrypted(ctx: Context, answer: dict[str, Any]) -> bytes:
    """Encrypted, because the answer of a creation may be the only sight of a secret."""
    return ctx.services.vault.encrypt_bytes(orjson.dumps(answer, default=default_encoder))


def _revived(said: dict[str, Any]) -> GatewayError:
    kind: type[GatewayError] = getattr(errors, said["class"])
    error = kind.__new__(kind)
    GatewayError.__init__(error, said["message"], **said["extra"])
    return error


def _fingerprint(order: Input) -> bytes:
    sent = order.model_dump(mode="json", include=order.model_fields_set)
    return hashlib.sha256(orjson.dumps(sent, option=orjson.OPT_SORT_KEYS)).digest()

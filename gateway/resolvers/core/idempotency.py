"""`Idempotency-Key`: one key, one creation, one response (contract section 2).

The response is stored in the transaction that creates the row, so no row lacks its response. A crashed request keeps
its key until the lease ends; after that, the slot's id fences it off. If the creation can still be undone, the response
is saved in advance, and replayed only after the lease ends.
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
from gateway.resolvers.core.context import Context, IdempotencySlot
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
"""The bind name of each column, distinct from those of the row created under the key."""
NO_KEY = dict.fromkeys(_BOUND.values())
"""The bound values without a key."""
_values = {column: bindparam(name, type_=keys.c[column].type) for column, name in _BOUND.items()}
_UNIQUE = ("user_id", "environment", "operation", "key")
_matches = [keys.c[column] == _values[column] for column in _UNIQUE]
has_no_key: ColumnElement[bool] = _values["id"].is_(None)
"""Whether the statement runs without a key, that is, with `NO_KEY`."""


def insert_key(commit: CTE) -> CTE:
    """Insert the caller's key. No row if the key exists, or if there is no key. Run it with `reserve_with`."""
    return (
        insert(keys)
        .from_select(list(_values), select(*_values.values()).select_from(commit).where(~has_no_key))
        .on_conflict_do_nothing(constraint="uq_idempotency_keys_user_id")
        .returning(keys.c.id)
        .cte("reserved")
    )


# Losing a key in a crash is harmless without its object, whose commit is synchronous.
RESERVE = Statement(select(insert_key(synchronous_commit_off()).c.id))
FIND = Statement(select(keys.c.fingerprint, keys.c.status, keys.c.answer, keys.c.lease_until).where(*_matches))
_abandoned = and_(
    keys.c.status.is_(None),
    keys.c.answer.is_(None),  # An existing object is never created again.
    keys.c.lease_until < bindparam("now"),
    keys.c.fingerprint == _values["fingerprint"],
)
_outdated = keys.c.created_at < bindparam("oldest")
RELEASE_EXPIRED = Statement(delete(keys).where(*_matches, or_(_abandoned, _outdated)))
"""Delete the key if it is abandoned or outdated, so that the request can reserve it."""
# All unique columns, so that each index finds one row, and a sharded database one node.
_slot = (keys.c.id == _values["id"], *_matches)
_mine = (*_slot, keys.c.status.is_(None))
_completed = {"status": bindparam("key_status", type_=keys.c.status.type), "answer": bindparam("answer")}
COMPLETE = Statement(update(keys).where(*_mine).values(_completed))
SAVE_RESULT = Statement(
    update(keys).where(*_mine).values(answer=bindparam("answer"), lease_until=bindparam("lease_until"))
)
REVOKE = Statement(delete(keys).where(*_slot))
RELEASE = Statement(delete(keys).where(*_mine, keys.c.answer.is_(None)))
DELETE_EXPIRED = Statement(delete(keys).where(keys.c.id < bindparam("before")))


class LeaseLost(RuntimeError):
    """Another request holds the key now, so this one must not commit."""


class KeyInUse(Exception):  # Not an error: the response exists, or will soon.
    """The key belongs to an earlier request."""


async def run_once(
    ctx: Context,
    operation: str,
    result_type: type[ResultT],
    order: Input,
    handler: Callable[[Context], Awaitable[ResultT]],
    *,
    reserves_key: bool = False,
) -> ResultT:
    """Run the handler under the caller's key, or return the stored response.

    With `reserves_key`, the handler calls `reserve_with` or `reserve` before it creates anything.
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
    # Operations that the handler calls run without the key.
    slotted = replace(ctx, slot=IdempotencySlot(new_id(), request), idempotency_key=None)
    try:
        if not reserves_key:
            await reserve(slotted)
        return await _run(slotted, handler)
    except KeyInUse:
        return _replay(ctx, await ctx.database.one(FIND, **request), fingerprint, result_type)


async def reserve(ctx: Context) -> None:
    """Reserve the caller's key, if there is one and it isn't reserved. Raises `KeyInUse`."""
    if ctx.slot is not None and not ctx.slot.reserved:
        await reserve_with(ctx, RESERVE)


async def reserve_with(ctx: Context, statement: Statement, **values: Any) -> Row:
    """Run a statement with `insert_key`, and return its row. Raises `KeyInUse`, with nothing written.

    Runs with `NO_KEY` if there is no key, or if it is reserved already.
    """
    slot = ctx.slot
    if slot is None or slot.reserved:
        return await ctx.database.single(statement, **values, **NO_KEY)
    now = ctx.real_clock.now()
    values |= _of(slot) | {"slot_lease_until": now + LEASE, "slot_now": now}
    row = await ctx.database.one(statement, **values)
    if row is None and await ctx.database.run(RELEASE_EXPIRED, **slot.request, now=now, oldest=now - RETENTION):
        row = await ctx.database.one(statement, **values)
    if row is None:
        raise KeyInUse
    slot.reserved = True
    return row


async def complete(ctx: Context, transaction: Executor, view: View) -> None:
    """Store the response in the transaction that creates the row; it replaces one of `save_result`.

    Each handler that creates calls this once, or uses `store_response`.
    """
    if ctx.slot is not None and not await transaction.run(COMPLETE, **response_values(ctx, view)):
        raise LeaseLost


def lock_key() -> CTE:
    """Lock the caller's key, so that the statement creates rows only while this request holds it.

    Binds `response_values`. No row without a key.
    """
    return select(keys.c.id).where(*_mine).with_for_update().cte("locked_key")


def store_response(action: CTE) -> CTE:
    """Store the response under the caller's key if `action` has a row. Binds `response_values`."""
    return (
        update(keys).where(*_mine, exists(select(action))).values(_completed).returning(keys.c.id).cte("completed_key")
    )


def response_values(ctx: Context, view: View) -> dict[str, Any]:
    """The bound values of `store_response`; nulls without a key."""
    if ctx.slot is None:
        return NO_KEY | {"key_status": None, "answer": None}
    status = 200 if ctx.reply.found else 201
    return _of(ctx.slot) | {"key_status": status, "answer": _encrypted(ctx, _response(ctx, view))}


async def save_result(ctx: Context, transaction: Executor, view: View) -> None:
    """Save the response before the engine is called, in the transaction that creates the row.

    `complete` or `revoke` follows after the engine's response. Until then, a repeated request gets
    `IdempotencyInProgress`. If the process crashes, the saved response is replayed after the engine timeout and lease.
    """
    if ctx.slot is None:
        return
    engine_timeout = timedelta(seconds=ctx.settings.engine_timeout_seconds)
    done = await transaction.run(
        SAVE_RESULT,
        **_of(ctx.slot),
        answer=_encrypted(ctx, _response(ctx, view)),
        lease_until=ctx.real_clock.now() + engine_timeout + LEASE,
    )
    if not done:
        raise LeaseLost


async def revoke(ctx: Context, transaction: Executor) -> None:
    """Delete the key in the transaction that undoes the creation, so that the request can be sent again."""
    if ctx.slot is not None:
        await transaction.run(REVOKE, **_of(ctx.slot))


async def delete_expired(ctx: Context) -> None:
    """Delete keys past their retention. The UUIDv7 id contains the time of creation."""
    await ctx.database.run(DELETE_EXPIRED, before=first_id_of(ctx.clock.now() - RETENTION))


def _require_readable(key: str | None) -> None:
    if key is None or not _READABLE.fullmatch(key):
        raise InvalidInput(("Idempotency-Key", "use de 1 a 255 caracteres ASCII visíveis, sem espaços"))


def _of(slot: IdempotencySlot) -> dict[str, Any]:
    return {"slot": slot.id, **slot.request}


def _replay(ctx: Context, row: Row | None, fingerprint: bytes, result_type: type[ResultT]) -> ResultT:
    if row is None:  # The other request has just failed and released the key.
        raise IdempotencyInProgress
    if row["fingerprint"] != fingerprint:
        raise IdempotencyConflict
    if row["status"] is None and (row["answer"] is None or row["lease_until"] >= ctx.real_clock.now()):
        raise IdempotencyInProgress
    ctx.reply.replayed = True
    stored = orjson.loads(ctx.services.vault.decrypt(row["answer"]))
    if "error" in stored:
        raise _decode_error(stored["error"])
    ctx.reply.notices[:] = stored["notices"]
    ctx.reply.found = stored.get("found", False)
    return result_type.of(stored["data"])  # type: ignore[attr-defined,no-any-return]  # Creations return a `View`.


async def _run(ctx: Context, handler: Callable[[Context], Awaitable[ResultT]]) -> ResultT:
    slot = ctx.slot
    assert slot is not None
    try:
        return await handler(ctx)
    except GatewayError as error:
        await reserve(ctx)  # A repeated request gets the stored response, even if it would fail now.
        if _is_stored(error):
            await ctx.database.run(
                COMPLETE, **_of(slot), key_status=error.status, answer=_encrypted(ctx, _encode_error(error))
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
    """Whether a repeated request gets this error again: not a failure of the service, a transient refusal, or invalid
    fields. A refused coupon is stored, though it is also a field error.
    """
    invalid = isinstance(error, InvalidInput) and not isinstance(error, CouponRefused)
    return error.status < 500 and not error.transient and not invalid


def _response(ctx: Context, view: View) -> dict[str, Any]:
    return {"data": view.__dict__, "notices": ctx.reply.notices, "found": ctx.reply.found}


def _encode_error(error: GatewayError) -> dict[str, Any]:
    return {"error": {"class": type(error).__name__, "message": error.message, "extra": error.extra}}


def _encrypted(ctx: Context, response: dict[str, Any]) -> bytes:
    """Encrypted, because the response of a creation may contain a secret."""
    return ctx.services.vault.encrypt_bytes(orjson.dumps(response, default=default_encoder))


def _decode_error(stored: dict[str, Any]) -> GatewayError:
    kind: type[GatewayError] = getattr(errors, stored["class"])
    error = kind.__new__(kind)
    GatewayError.__init__(error, stored["message"], **stored["extra"])
    return error


def _fingerprint(order: Input) -> bytes:
    sent = order.model_dump(mode="json", include=order.model_fields_set)
    return hashlib.sha256(orjson.dumps(sent, option=orjson.OPT_SORT_KEYS)).digest()

"""`Idempotency-Key`: one key, one creation, one answer (contract section 2).

The answer is stored in the transaction that creates, so there is no moment in which the thing exists and the key
doesn't know it. A runner that died is taken over after its lease; the slot's id fences it should it wake up. Where what
was created may still be unmade, its answer is only promised: it is told once nobody can be at it any more.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import orjson
from msgspec.structs import replace
from sqlalchemy import CTE, ColumnElement, and_, bindparam, delete, exists, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway import errors
from gateway.errors import CouponRefused, GatewayError, IdempotencyConflict, IdempotencyInProgress, InvalidInput
from gateway.ids import first_id_of, new_id
from gateway.models.database import Executor, Row, Statement, place_of, unflushed
from gateway.models.idempotency import idempotency_keys as keys
from gateway.resolvers.context import Context, Slot
from gateway.resolvers.inputs import Input
from gateway.resolvers.views import View, default_encoder

ResultT = TypeVar("ResultT")
LEASE = timedelta(seconds=60)
KEPT = timedelta(hours=24)
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
"""By which names the columns of a new key are bound, beside those of what is made under it."""
_values = {column: bindparam(name, type_=keys.c[column].type) for column, name in _BOUND.items()}
_UNIQUE = ("user_id", "environment", "operation", "key")
SHARED = ("slot_store", "slot_environment")
"""Of what is bound of a key, what those of one store have in common."""
RESERVED = {name: keys.c[column].type for column, name in _BOUND.items() if name not in SHARED}
"""Of what is bound of a key that is `reserving`, what is each one's own."""
CONCLUDED = {
    **{name: keys.c[column].type for column, name in _BOUND.items() if column in {"id", "operation", "key"}},
    "key_status": keys.c.status.type,
    "answer": keys.c.answer.type,
}
"""The same of one that is `held` and `concluding`."""


def _told(given: CTE | None) -> dict[str, ColumnElement[Any]]:
    """Where the columns of a key come from: each is bound, or those that are a key's own are of the rows `given`."""
    own = {} if given is None else {column: given.c[name] for column, name in _BOUND.items() if name in given.c}
    return {**_values, **own}


def _asked_of(told: Mapping[str, ColumnElement[Any]]) -> list[ColumnElement[bool]]:
    return [keys.c[column] == told[column] for column in _UNIQUE]


_asked = _asked_of(_values)
_place = place_of(keys)


def reserving(*commit: CTE, given: CTE | None = None) -> CTE:
    """The caller's key, written where it is free: one row, or none where it is taken. Run it by `reserve_by`. Of rows
    that are `given`, each one's.
    """
    told = _told(given)
    rows = commit if given is None else (given, *commit)
    return (
        insert(keys)
        .from_select(list(told), select(*told.values()).select_from(*rows))
        .on_conflict_do_nothing(constraint="uq_idempotency_keys_user_id")
        .returning(keys.c.id)
        .cte("reserved")
    )


# A key means nothing without what is made under it, whose commit waits for the disk (ADR 0017).
RESERVE = Statement(select(reserving(unflushed()).c.id))
FIND = Statement(select(keys.c.fingerprint, keys.c.status, keys.c.answer, keys.c.lease_until).where(*_asked))
_abandoned = and_(
    keys.c.status.is_(None),
    keys.c.answer.is_(None),  # What exists is never made again, whatever became of its maker.
    keys.c.lease_until < bindparam("now", type_=keys.c.lease_until.type),
    keys.c.fingerprint == _values["fingerprint"],
)
_outdated = keys.c.created_at < bindparam("oldest", type_=keys.c.created_at.type)
VACATE = Statement(delete(keys).where(*_asked, or_(_abandoned, _outdated)))
"""A key that stands for nothing any more: who meets it there makes room for its own request."""
# All that is unique of it: whichever index is read, and wherever a database that is spread keeps it, it is one row.
_slot = (keys.c.id == _values["id"], *_asked)
_mine = (*_slot, keys.c.status.is_(None))
_concluded = {"status": bindparam("key_status", type_=keys.c.status.type), "answer": bindparam("answer")}
CONCLUDE = Statement(update(keys).where(*_mine).values(_concluded))
PROMISE = Statement(update(keys).where(*_mine).values(answer=bindparam("answer"), lease_until=bindparam("lease_until")))
REVOKE = Statement(delete(keys).where(*_slot))
RELEASE = Statement(delete(keys).where(*_mine, keys.c.answer.is_(None)))
FORGET = Statement(delete(keys).where(keys.c.id < bindparam("before", type_=keys.c.id.type)))


class SlotLost(RuntimeError):
    """Another runner took the key over; what this one did must not be committed."""


class KeyTaken(Exception):  # It is no error: the request has its answer, or will have it in a moment.
    """The key stands for a request that came before."""


async def once(
    ctx: Context,
    operation: str,
    result_type: type[ResultT],
    order: Input,
    verb: Callable[[Context], Awaitable[ResultT]],
    *,
    reserves: bool = False,
) -> ResultT:
    """Run the verb under the caller's key, or answer what it answered before. A verb that `reserves` the key by itself
    does so before it makes anything: with its own first statement (`reserve_by`), or by `reserve`.
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
    except KeyTaken:
        return _replay(ctx, await ctx.database.one(FIND, **request), fingerprint, result_type)


def is_to_be_reserved(ctx: Context) -> bool:
    """Whether there is a key that nobody has written yet."""
    return ctx.slot is not None and not ctx.slot.reserved


async def reserve(ctx: Context) -> None:
    """Reserve the caller's key, if there is one and it isn't reserved. Raises `KeyTaken`."""
    if is_to_be_reserved(ctx):
        await reserve_by(ctx, partial(ctx.database.one, RESERVE))


async def reserve_by(ctx: Context, write: Callable[..., Awaitable[Row | None]], **values: Any) -> Row:
    """What a statement brings that is `reserving` the caller's key. Raises `KeyTaken`, where it has written nothing."""
    assert ctx.slot is not None
    now = ctx.real_clock.now()
    values |= _of(ctx.slot) | {"slot_lease_until": now + LEASE, "slot_now": now}
    found = await write(**values)
    if found is None and await ctx.database.run(VACATE, **ctx.slot.request, now=now, oldest=now - KEPT):
        found = await write(**values)
    if found is None:
        raise KeyTaken
    ctx.slot.reserved = True
    return found


async def conclude(ctx: Context, transaction: Executor, view: View) -> None:
    """Store the answer in the transaction that made it, in place of one that was promised. Every creating verb calls
    this once, or `concluding`.
    """
    if ctx.slot is not None and not await transaction.run(CONCLUDE, **concluded(ctx, view)):
        raise SlotLost


def held(given: CTE | None = None) -> CTE:
    """The caller's key, locked, for a statement that makes something only where there is one; nothing where another
    runner has taken it over. It binds what `concluded` says. Of rows that are `given`, each one's.
    """
    told = _told(given)
    mine = (keys.c.id == told["id"], *_asked_of(told), keys.c.status.is_(None))
    key = select(keys.c.id, *(keys.c[column] for column in _UNIQUE), _place.label("place")).where(*mine)
    if given is None:
        return key.with_for_update().cte("held")
    # What is locked in a lateral subquery is planned by itself, and looked up by all that is unique of it: in a join,
    # whichever columns are bound might do, and a store may have a million keys.
    one = key.with_for_update().lateral("one")
    return select(one).select_from(given, one).cte("held")


def concluding(key: CTE, act: CTE, given: CTE | None = None) -> CTE:
    """Store the answer under the key that is `held`, in the statement of the one row of `act`. Of rows that are
    `given`, each has an `id`, and its key the answer where `act` has a row of that `id`.
    """
    conclude = update(keys).returning(keys.c.id)
    # It is locked, so it lies where it lay. That it is the store's is said for whoever spreads the rows by that.
    conclude = conclude.where(_place == key.c.place, *(keys.c[column] == key.c[column] for column in _UNIQUE))
    if given is None:
        conclude = conclude.where(exists(select(act))).values(_concluded)
    else:
        conclude = conclude.where(key.c.id == given.c.slot, act.c.id == given.c.id)
        conclude = conclude.values(status=given.c.key_status, answer=given.c.answer)
    return conclude.cte("concluded")


def concluded(ctx: Context, view: View) -> dict[str, Any]:
    """The bound values of what stores the answer: of a context with a slot."""
    assert ctx.slot is not None
    status = 200 if ctx.reply.found else 201
    return _of(ctx.slot) | {"key_status": status, "answer": _sealed(ctx, _answer(ctx, view))}


async def promise(ctx: Context, transaction: Executor, view: View) -> None:
    """Store the answer in the transaction that creates what an engine has yet to take on: `conclude` or `revoke` follow
    when it has been asked. Who repeats the request is told until then that it is running; where neither follows,
    because the process died, the answer stands as soon as the engine's deadline and the lease are over.
    """
    if ctx.slot is None:
        return
    asked = timedelta(seconds=ctx.settings.engine_timeout_seconds)
    done = await transaction.run(
        PROMISE,
        **_of(ctx.slot),
        answer=_sealed(ctx, _answer(ctx, view)),
        lease_until=ctx.real_clock.now() + asked + LEASE,
    )
    if not done:
        raise SlotLost


async def revoke(ctx: Context, transaction: Executor) -> None:
    """Forget the key in the transaction that unmakes what it created: the same order may be sent again."""
    if ctx.slot is not None:
        await transaction.run(REVOKE, **_of(ctx.slot))


async def forget(ctx: Context) -> None:
    """Forget the keys that nobody may repeat any more. Their ids tell their age."""
    await ctx.database.run(FORGET, before=first_id_of(ctx.clock.now() - KEPT))


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
    answer = orjson.loads(ctx.services.vault.open(row["answer"]))
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
        await reserve(ctx)  # A repetition is answered as the request was, whatever is in its way by now.
        if _is_kept(error):
            await ctx.database.run(CONCLUDE, **_of(slot), key_status=error.status, answer=_sealed(ctx, _refusal(error)))
        else:
            await ctx.database.run(RELEASE, **_of(slot))
        raise
    except SlotLost:
        raise IdempotencyInProgress from None
    except Exception:
        if slot.reserved:
            await ctx.database.run(RELEASE, **_of(slot))
        raise


def _is_kept(error: GatewayError) -> bool:
    """Whether the same request would be refused again, having been understood: not where the service failed, where it
    is only refused for now, or where its fields have to be corrected. A coupon is more than a field.
    """
    misfit = isinstance(error, InvalidInput) and not isinstance(error, CouponRefused)
    return error.status < 500 and not error.of_the_moment and not misfit


def _answer(ctx: Context, view: View) -> dict[str, Any]:
    return {"data": view.__dict__, "notices": ctx.reply.notices, "found": ctx.reply.found}


def _refusal(error: GatewayError) -> dict[str, Any]:
    return {"error": {"class": type(error).__name__, "message": error.message, "extra": error.extra}}


def _sealed(ctx: Context, answer: dict[str, Any]) -> bytes:
    """Encrypted, because the answer of a creation may be the only sight of a secret."""
    return ctx.services.vault.seal_bytes(orjson.dumps(answer, default=default_encoder))


def _revived(said: dict[str, Any]) -> GatewayError:
    kind: type[GatewayError] = getattr(errors, said["class"])
    error = kind.__new__(kind)
    GatewayError.__init__(error, said["message"], **said["extra"])
    return error


def _fingerprint(order: Input) -> bytes:
    sent = order.model_dump(mode="json", include=order.model_fields_set)
    return hashlib.sha256(orjson.dumps(sent, option=orjson.OPT_SORT_KEYS)).digest()

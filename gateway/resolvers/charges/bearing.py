"""The statements by which charges are born: phase 3 of issuing, all or nothing, in one round trip (ADR 0005).

The issuance goes and the charge comes, with its event, deliveries and audit record, and with the answer under the
caller's key, if there is one. Charges of one store that come to this point together are written together (ADR 0069).
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from sqlalchemy import CTE, ColumnElement, Select, bindparam, delete, exists, insert, select, true

from gateway.models.charges import charges, issuances
from gateway.models.customers import customers
from gateway.models.database import Joint, Statement, given_as_json, place_of
from gateway.resolvers import idempotency
from gateway.resolvers.audit.trail import GIVEN, recording
from gateway.resolvers.charges.newborn import STORED
from gateway.resolvers.charges.reserving import STORE
from gateway.resolvers.webhooks import outbox

_I, _C = issuances, charges
_given = {name: bindparam(name, type_=_C.c[name].type) for name in STORED}
# A customer may be deleted while the engine is asked. Who deletes one locks it and clears the charges it sees: this
# lock lets the charge be seen, or finds the customer gone.
_living = (
    select(customers.c.id)
    .where(customers.c.id == _given["customer_id"], customers.c.user_id == _given["user_id"])
    .with_for_update(key_share=True, read=True)
)
_values = _given | {"customer_id": _living.scalar_subquery()}
# Nobody has given the issuance up, and no settler has begun to ask the engine, which may end in a withdrawal there.
_unsettled = (_I.c.user_id == _given["user_id"], _I.c.attempts == 0)
_place = place_of(_I)
_OWN = {name: _C.c[name].type for name in STORED if name not in STORE} | outbox.EVENT | GIVEN
"""What each of many charges of a store is told of, with its event and its record."""


def _bearing(settled: CTE, values: Mapping[str, ColumnElement[Any]], given: CTE | None, *, heard: bool) -> list[CTE]:
    """The charge, born where its issuance is `settled`, and behind it all else that is written with it."""
    source = select(*values.values()).select_from(settled)
    born = (
        insert(_C)
        .from_select(list(STORED), source if given is None else source.where(settled.c.charge_id == given.c.id))
        .returning(_C.c.id, _C.c.user_id, _C.c.environment)
        .cte("born")
    )
    # Where no endpoint hears there is nothing to deliver, and PostgreSQL needn't get ready for it.
    told = outbox.emitting(born, given) if heard else outbox.event_of(born, given)
    return [born, told, recording(born, given).cte("audit")]


def _settling(*where: ColumnElement[bool]) -> CTE:
    """The issuance goes."""
    return delete(_I).where(*where, *_unsettled).returning(_I.c.charge_id).cte("settled")


def _bear(*, heard: bool) -> Select[Any]:
    born, *told = _bearing(_settling(_I.c.charge_id == _given["id"]), _values, None, heard=heard)
    return select(born.c.id, true().label("is_mine")).add_cte(*told)


def _bear_once(*, heard: bool) -> Select[Any]:
    key = idempotency.held()
    settled = _settling(_I.c.charge_id == _given["id"], exists(select(key.c.id)))
    born, *told = _bearing(settled, _values, None, heard=heard)
    made = select(born.c.id).scalar_subquery().label("id")
    concluded = idempotency.concluding(key, born)
    return select(made, exists(select(key.c.id)).label("is_mine")).add_cte(*told, concluded)


def _bear_jointly(*, once: bool, heard: bool) -> Select[Any]:
    """Many charges of one store, which have no customer, each as `_bear` or `_bear_once` does it."""
    given = given_as_json("given", _OWN | (idempotency.CONCLUDED if once else {}), by="id")
    values = {**_given, **{name: given.c[name] for name in STORED if name in given.c}}
    key = idempotency.held(given) if once else None
    # By itself, each is looked up by its index; in a join, a queue that has been short so far is read from end to end.
    one = select(_place.label("place")).where(_I.c.charge_id == given.c.id, *_unsettled).offset(0).lateral("one")
    where = select(one.c.place).select_from(given, one)
    if key is not None:
        where = where.where(key.c.id == given.c.slot)
    found = where.cte("found")
    born, *told = _bearing(_settling(found.c.place == _place), values, given, heard=heard)
    if key is None:
        return select(born.c.id.label("of"), born.c.id, true().label("is_mine")).add_cte(*told)
    all_of_them = given.outerjoin(key, key.c.id == given.c.slot).outerjoin(born, born.c.id == given.c.id)
    answer = select(given.c.id.label("of"), born.c.id, key.c.id.is_not(None).label("is_mine"))
    return answer.select_from(all_of_them).add_cte(*told, idempotency.concluding(key, born, given))


def _bear_as(*, once: bool, heard: bool) -> Joint:
    return Joint(
        alone=Statement(partial(_bear_once if once else _bear, heard=heard)),
        many=Statement(partial(_bear_jointly, once=once, heard=heard)),
        shared=(*STORE, *(idempotency.SHARED if once else ())),
        names=(*_OWN, *(idempotency.CONCLUDED if once else ())),
        by="id",
    )


BEAR = {heard: _bear_as(once=False, heard=heard) for heard in (False, True)}
"""Issuance out, charge in, event, deliveries and audit record, by whether its store has an endpoint that may hear."""
BEAR_ONCE = {heard: _bear_as(once=True, heard=heard) for heard in (False, True)}
"""The same, with the answer under the caller's `Idempotency-Key`; nothing where the key is another runner's by now."""

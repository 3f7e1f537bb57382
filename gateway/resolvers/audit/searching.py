"""What lists of the audit trail look up. A search, by the form of what was typed: an id that is whole, an address
or the beginning of one, and otherwise part of an action or of the name of who acted. And whatever filters are
asked together (ADRs 0043, 0047).
"""

import re
from functools import lru_cache, partial

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Text,
    Uuid,
    and_,
    bindparam,
    cast,
    collate,
    func,
    literal_column,
    select,
)

from gateway.ids import is_id
from gateway.models.audit import FACETS, audit_records, facets_of, hash_of, origin_of
from gateway.resolvers.listing import milestones
from gateway.resolvers.listing.dictionary import Dictionary, Forms
from gateway.resolvers.listing.facets import Facet, Facets, Parts
from gateway.resolvers.listing.filters import SEARCH, Condition, Either, Shape, search, unseen

_R = audit_records
_ADDRESS = re.compile(r"\d{1,3}(\.\d{0,3}){1,3}|[\da-f]{0,4}(:[\da-f]{0,4}){1,7}", re.IGNORECASE)
_typed = bindparam("q_lower", type_=Text())
_TEXT, _ADDRESSES = (SEARCH, "text"), (SEARCH, "address")
_LINES = {name: line for line, name in enumerate(FACETS, start=1)}


def _form(q: str) -> str:
    if is_id(q):
        return "id"
    return "address" if _ADDRESS.fullmatch(q) else "text"


def _key(store_id: ColumnElement[str], environment: ColumnElement[str], told: ColumnElement[str]) -> ColumnElement[int]:
    return func.audit_key(store_id, environment, told, type_=BigInteger())


def _begins(address: ColumnElement[str]) -> ColumnElement[bool]:
    # Said as a range, which the index of the tallies finds: in no address is there a character above this one.
    by_bytes = collate(address, "C")
    return unseen(and_(by_bytes >= _typed, by_bytes < _typed + literal_column("'~'")))


def _part(text: ColumnElement[str], name: str) -> ColumnElement[str]:
    # Tallies are compared by bytes, and so know no letter case but that of ASCII.
    line = func.split_part(collate(text, "default"), literal_column("chr(10)"), literal_column(str(_LINES[name])))
    return func.nullif(line, literal_column("''"), type_=Text())


def _same(name: str) -> Facet:
    def facet(part: Parts, choice: str | None) -> Condition:
        return part(name) == (
            bindparam(name, type_=Text()) if choice is None else bindparam(None, choice, type_=Text())
        )

    return facet


_OF_FACETS = Facets(
    {
        **{name: _same(name) for name in FACETS if name != "actor_name"},
        SEARCH: lambda part, _: search(part("action"), part("actor_name")).part,
    },
    columns=dict(_R.c),
    part=_part,
    make=partial(Dictionary, milestones.AUDIT, "facets", "facets/stretch", facets_of, _key),
)


def dictionary_of(shape: Shape) -> Dictionary | None:
    """What records that these filters find are looked up in: none of those that have an index to themselves."""
    sought = [one for one in shape if one[0] == SEARCH]
    if sought == [_ADDRESSES]:
        return _of_addresses(tuple(one for one in shape if one != _ADDRESSES))
    looked_up = sought == [_TEXT] or (not sought and len(shape) > 1)
    return _OF_FACETS.of(shape) if looked_up else None


@lru_cache(maxsize=512)
def _of_addresses(others: Shape) -> Dictionary | None:
    """The dictionary of an address, or the beginning of one, and other filters, if all of them are facets."""
    facets = _OF_FACETS.of(others)
    if facets is None:
        return None

    def matches(origin: ColumnElement[str]) -> Condition:
        if not others:
            return _begins(origin)
        told = facets.values.subquery("told")
        of_facets = func.split_part(origin, literal_column("chr(10)"), literal_column("2"))
        return and_(_begins(origin), of_facets.in_(select(hash_of(told.c.value))))

    return Dictionary(
        *(milestones.AUDIT, "ip", "ip/stretch", origin_of, _key, matches),
        condition=and_(_begins(_R.c.ip), facets.condition),
        indexed=_R.c.ip.is_not(None),
    )


FORMS = Forms(
    of=_form,
    found={
        "id": Either(many=_R.c.resource_id == _typed, few=_R.c.id == cast(_typed, Uuid(as_uuid=False))),
        "address": _begins(_R.c.ip),
        "text": search(_R.c.action, _R.c.actor_name).part,
    },
)

"""What a search of the audit trail finds, by the form of what was typed: an id that is whole, an address or the beginning of one, and
otherwise part of an action or of the name of who acted.
"""

import re

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
from gateway.models.audit import audit_records, who_of
from gateway.resolvers.listing import milestones
from gateway.resolvers.listing.dictionary import Dictionary, Forms
from gateway.resolvers.listing.filters import Either, search

_R = audit_records
_ADDRESS = re.compile(r"\d{1,3}(\.\d{0,3}){1,3}|[\da-f]{0,4}(:[\da-f]{0,4}){1,7}", re.IGNORECASE)
_typed = bindparam("q_lower", type_=Text())


def _form(q: str) -> str:
    if is_id(q):
        return "id"
    return "address" if _ADDRESS.fullmatch(q) else "text"


def _key(store_id: ColumnElement[str], environment: ColumnElement[str], told: ColumnElement[str]) -> ColumnElement[int]:
    return func.audit_key(store_id, environment, told, type_=BigInteger())


def _begins(address: ColumnElement[str]) -> ColumnElement[bool]:
    # Said as a range, which the index of the tallies finds: in no address is there a character above this one. What was typed comes
    # from where the planner doesn't look, or it would plan for each address anew.
    by_bytes, begin = collate(address, "C"), select(_typed).scalar_subquery()
    return and_(by_bytes >= begin, by_bytes < begin + literal_column("'~'"))


def _contains(told: ColumnElement[str]) -> ColumnElement[bool]:
    # Tallies are compared by bytes, and so know no letter case but that of ASCII.
    return search(collate(told, "default"))


SEARCH = Forms(
    of=_form,
    found={
        "id": Either(many=_R.c.resource_id == _typed, few=_R.c.id == cast(_typed, Uuid(as_uuid=False))),
        "address": Dictionary(milestones.AUDIT, "ip", "ip", _R.c.ip, _key, _begins),
        "text": Dictionary(milestones.AUDIT, "who", "who/stretch", who_of, _key, _contains),
    },
)

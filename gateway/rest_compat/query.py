"""Reads query parameters, and refuses unknown ones."""

from collections.abc import Collection
from difflib import get_close_matches
from functools import cache
from urllib.parse import parse_qsl

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema
from starlette.types import Scope

from gateway.errors import InvalidInput

MAX_PARAMETERS = 100
MAX_UNKNOWN_NAMES = 10
"""Unknown parameters that a response names; a similar name takes a millisecond to find."""
_UNREADABLE = "Os parâmetros do endereço não podem ser lidos."
Fault = tuple[str, str]


def read_query(scope: Scope, known: Collection[str], *, ignore_unknown: bool = False) -> dict[str, str]:
    """The known parameters. Raises `InvalidInput` for repetitions, invalid UTF-8 and, unless ignored, unknown ones."""
    raw = scope["query_string"]
    if not raw:
        return {}
    pairs = _parse(raw)
    names = [name for name, _ in pairs]
    faults: list[Fault] = []
    if not ignore_unknown:
        unknown = list(dict.fromkeys(name for name in names if name not in known))
        faults += [(_printable(name), _unknown(name, known)) for name in unknown[:MAX_UNKNOWN_NAMES]]
    query = {name: value for name, value in pairs if name in known}
    faults += [(name, "aparece mais de uma vez no endereço") for name in query if names.count(name) > 1]
    if faults:
        raise InvalidInput(*faults)
    if not all(_is_unicode(value) for value in query.values()):
        raise InvalidInput(message=_UNREADABLE)
    return query


@cache
def parameters_of(model: type[BaseModel]) -> frozenset[str]:
    """The fields of an input that can be sent as a query parameter."""
    return frozenset(field.alias or name for name, field in model.model_fields.items() if not _is_internal(field))


def _is_internal(field: FieldInfo) -> bool:
    """Whether only GraphQL sets the field."""
    return any(isinstance(each, SkipJsonSchema) for each in field.metadata)  # type: ignore[misc]  # No generic at runtime.


def _parse(raw: bytes) -> list[tuple[str, str]]:
    text = raw.decode("ascii", errors="surrogateescape")
    try:
        return parse_qsl(text, keep_blank_values=True, errors="surrogateescape", max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise InvalidInput(message=_UNREADABLE) from None


def _unknown(name: str, known: Collection[str]) -> str:
    if not known:
        return "parâmetro desconhecido; este endereço não aceita parâmetros"
    normalized = name[:40].partition("[")[0].lower().replace("-", "_")
    [nearest] = get_close_matches(normalized, sorted(known), n=1, cutoff=0)
    return f"parâmetro desconhecido; o mais parecido é {nearest}"


def _printable(name: str) -> str:
    return name.encode(errors="replace").decode()[:40] if name else "(vazio)"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

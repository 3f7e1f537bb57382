"""The base class of inputs, and the types of their fields.

A transport decodes a request to a raw mapping. The operation validates it after authorization, so that validation
errors reveal nothing to others. All invalid fields are reported together, in Portuguese (`InvalidInput`).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import MAXYEAR, UTC, date, datetime
from typing import Annotated, Any, ClassVar, Self
from unicodedata import category
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    ValidationInfo,
)
from pydantic import ValidationError as PydanticError
from pydantic.json_schema import WithJsonSchema
from pydantic_core import ErrorDetails, PydanticCustomError

from gateway.errors import GatewayError, InvalidExpiry, InvalidInput, InvalidPixKey, MinimumAmount, NotFound
from gateway.resolvers.core.context import Context
from gateway.values.clock import SAO_PAULO
from gateway.values.cpf_cnpj import normalise_cnpj, normalise_cpf, normalise_document
from gateway.values.dates import read_beginning, read_day, read_end, read_zone
from gateway.values.idna import to_ascii
from gateway.values.ids import Id, is_id
from gateway.values.money import CEILING, MINIMUM_CHARGE, Centavos, centavos_from_reais, is_below, reais_from_centavos
from gateway.values.phones import MAX_LENGTH as MAX_PHONE_LENGTH
from gateway.values.phones import normalise_mobile, normalise_phone

RawInput = Mapping[str, Any]
"""A decoded input before validation: Python field names to JSON values. Absent is not null."""

ValidationErrors = list[tuple[str, str]]
"""Invalid fields with their reasons, as `InvalidInput` takes them."""

_NON_TEXT = r"\x7f-\x9f\u2028\u2029\ud800-\udfff"
_BIDI_CONTROL = r"\u202a-\u202e\u2066-\u2069"
"""Characters that reorder the text after them: `R$ 150,00` could show as another amount."""
_CONTROL = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f{_NON_TEXT}{_BIDI_CONTROL}]")
_CONTROL_OR_BREAK = re.compile(rf"[\x00-\x1f{_NON_TEXT}{_BIDI_CONTROL}]")
_ATOM = r"[^@\s.\"(),:;<>\[\]\\]"
_LABEL = r"(?!-)[^@\s._\"(),:;<>\[\]\\]{%d,63}(?<!-)"
_EMAIL = re.compile(rf"(?=[^@]{{1,64}}@){_ATOM}+(?:\.{_ATOM}+)*@(?:{_LABEL % 1}\.)+{_LABEL % 2}")
_ENCODED_WORD = re.compile(r"=\?.*\?=")
"""A local part that an email header would decode as something else (RFC 2047)."""
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs"})
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Invisible characters outside these categories."""
_URL = re.compile(r"https?://[^\s/?#@\\]+(?:[/?#][^\s\\]*)?", re.IGNORECASE)
_DIGITS = re.compile(r"-?[0-9]{1,9}")
_LATEST = datetime.max.replace(microsecond=999998, tzinfo=UTC)
"""asyncpg writes `datetime.max` as infinity, which is read as a timestamp without a zone. Some programs send it for
"never"."""
PAST_END = "informe uma data futura"
PAST_END_OR_STORED = "informe uma data futura, ou a que já estava"
MAX_PAIRS = 20
MAX_ERRORS = 100
"""The maximum of invalid fields in a response."""
_MAX_PATH_LENGTH = 100


class Input(BaseModel):
    """Strings are trimmed, and unknown keys ignored (such as `user_id`). `model_fields_set` has the sent fields."""

    # Validators are built on first use.
    model_config = ConfigDict(
        extra="ignore", frozen=True, str_strip_whitespace=True, hide_input_in_errors=True, defer_build=True
    )

    unknown: ClassVar[Mapping[str, str]] = {"id": NotFound.default_message}
    """Fields whose malformed ids raise `NotFound` with this message. In other fields they are invalid."""

    ways: ClassVar[tuple[str, ...]] = ()
    """Alternative fields that identify the record."""

    @classmethod
    def from_raw(cls, raw: RawInput, ctx: Context | None = None) -> Self:
        """Validate raw input. Raises `InvalidInput` with all invalid fields, or the field's own error.

        The errors include those of `in_context`, which the operation would raise later.
        """
        try:
            return cls.model_validate(dict(raw))
        except PydanticError:
            # Validate once more, with the checks that need the context.
            try:
                return cls.model_validate(dict(raw), context=ctx)
            except PydanticError as error:
                raise rejection(error, cls.cross_field_errors(raw), cls.unknown) from None

    @classmethod
    def cross_field_errors(cls, raw: RawInput) -> ValidationErrors:
        """Errors across fields, such as a missing or conflicting one, so that one response lists all errors."""
        del raw
        return []

    def sent(self) -> dict[str, Any]:
        """The fields the caller sent, with their validated values; but not the id of the record."""
        return {name: getattr(self, name) for name in self.model_fields_set if name != "id"}


class Empty(Input):
    """The input of an operation without parameters."""


def rejection(error: PydanticError, cross_field_errors: ValidationErrors, unknown: Mapping[str, str]) -> GatewayError:
    """The error for a failed validation. `unknown` is that of the input's class."""
    details = error.errors(include_url=False, include_input=False)
    for detail in details:
        if detail["type"] == "identifier" and detail["loc"][0] in unknown:
            return NotFound(unknown[str(detail["loc"][0])])
    invalid = [_field_error(detail) for detail in details]
    invalid += [each for each in cross_field_errors if each[0] not in dict(invalid)]
    for kind, coded in _CODED.items():
        own = [_field_error(detail) for detail in details if detail["type"] == kind]
        if own:
            return coded(*own[0], others=[one for one in invalid if one not in own][:MAX_ERRORS])
    return InvalidInput(*invalid[:MAX_ERRORS])


def missing_fields(names: Iterable[str]) -> ValidationErrors:
    """The errors of missing required fields."""
    return [(name, _REASONS["missing"]) for name in names]


_CODED: dict[str, Callable[..., GatewayError]] = {
    "minimum": lambda field, _reason, others: MinimumAmount(field, others=others),
    "expiry": lambda field, _reason, others: InvalidExpiry(field, others=others),
    "pix_key": lambda _field, reason, others: InvalidPixKey(reason, others=others),
}
"""Errors with a `codigo`, which the response has even if other fields are invalid. The first one wins."""


def _field_error(detail: ErrorDetails) -> tuple[str, str]:
    path = ".".join(str(part) for part in detail["loc"]) or "corpo"
    return path[:_MAX_PATH_LENGTH], _reason(detail["type"], detail.get("ctx", {}))


_REASONS = {
    "missing": "campo obrigatório",
    "string_type": "deve ser um texto",
    "bool_type": "deve ser true ou false",
    "bool_parsing": "deve ser true ou false",
    "bytes_type": "deve ser um arquivo",
    "int_type": "deve ser um número inteiro",
    "int_parsing": "deve ser um número inteiro",
    "int_from_float": "deve ser um número inteiro",
    "list_type": "deve ser uma lista",
    "frozen_set_type": "deve ser uma lista",
    "dict_type": "deve ser um objeto",
    "model_type": "deve ser um objeto",
    "string_too_long": "deve ter no máximo {max_length} caracteres",
    "string_pattern_mismatch": "não está no formato esperado",
    "string_too_short": "deve ter ao menos {min_length} caracteres",
    "too_long": "deve ter no máximo {max_length} itens",
    "greater_than_equal": "deve ser no mínimo {ge}",
    "less_than_equal": "deve ser no máximo {le}",
    "greater_than": "deve ser maior que {gt}",
    "enum": "use um destes valores: {expected}",
    "identifier": "identificador inválido",
    "literal_error": "use um destes valores: {expected}",
    "minimum": "o valor mínimo é R$ 5,00",
    "expiry": "informe uma data futura no formato ISO 8601",
    "pix_key": "{reason}",
}


def _reason(kind: str, ctx: Mapping[str, Any]) -> str:
    if kind in {"value_error", "assertion_error"}:
        return str(ctx["error"])
    if kind in {"string_too_short", "too_short"} and ctx["min_length"] == 1:
        return "não pode ficar vazio"
    return _REASONS.get(kind, "valor inválido").format(**{k: str(v).replace(" or ", " ou ") for k, v in ctx.items()})


def _without_control(text: str) -> str:
    return _check_text(text, _CONTROL_OR_BREAK)


def _without_control_but_breaks(text: str) -> str:
    return _check_text(text, _CONTROL)


def _check_text(text: str, forbidden: re.Pattern[str]) -> str:
    if forbidden.search(text):
        raise ValueError("não pode conter caracteres de controle")
    if not text.isascii() and all(_is_invisible(letter) for letter in text):
        raise ValueError("não pode ficar vazio")
    return text


def _is_invisible(letter: str) -> bool:
    return letter.isspace() or letter in _INVISIBLE or category(letter) in _INVISIBLE_CATEGORIES


def _has_invisible(text: str) -> bool:
    # Characters newer than Python's Unicode data aren't printable, and may be emojis.
    hidden = not text.isprintable() and any(category(letter) in _INVISIBLE_CATEGORIES for letter in text)
    return hidden or not _INVISIBLE.isdisjoint(text)


def _email(text: str) -> str:
    if not _EMAIL.fullmatch(text) or _ENCODED_WORD.search(text) or _has_invisible(text):
        raise ValueError("informe um e-mail válido")
    try:
        to_ascii(text.rpartition("@")[2])
    except ValueError:
        raise ValueError("informe um e-mail válido") from None
    return text


def _url(text: str) -> str:
    try:
        readable = _URL.fullmatch(text) and urlsplit(text).port != 0
    except ValueError:  # An unbalanced bracket, an invalid port, or characters that normalize to others.
        readable = False
    if not readable:
        raise ValueError("informe um endereço http:// ou https:// válido")
    return text


def _id(text: str) -> str:
    if not is_id(text):
        raise PydanticCustomError("identifier", "identifier")
    return text.lower()


def holds_control(value: Any) -> bool:
    """Whether any text in a JSON value has control characters other than line breaks and tabs."""
    if isinstance(value, str):
        return _CONTROL.search(value) is not None
    if isinstance(value, Mapping):
        return any(holds_control(part) for entry in value.items() for part in entry)
    return isinstance(value, list) and any(holds_control(item) for item in value)


def none_if_empty(value: object) -> object:
    """The value; None in place of a blank text."""
    return None if isinstance(value, str) and not value.strip() else value


def not_null(value: object) -> object:
    """The value. Raises ValueError for None."""
    if value is None:
        raise ValueError("não pode ficar vazio")
    return value


def in_context(validate: Callable[[Any, Context], object]) -> AfterValidator:
    """A check that depends on the time or the caller, and that the operation repeats. `validate` raises ValueError.

    It runs only if other fields are invalid, to list its error with theirs: a request that is repeated with its
    idempotency key must still pass.
    """

    def validated(value: Any, info: ValidationInfo) -> Any:
        if value is not None and info.context is not None:
            validate(value, info.context)
        return value

    return AfterValidator(validated)


def integral(value: object) -> object:
    """A float without a fraction as an integer: in JSON, 5.0 is 5."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def require_changes(values: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuse an update without values; `names` are the fields that it may set."""
    if not values:
        *others, last = names
        message = f"Envie ao menos um campo a mudar: {', '.join(others)} ou {last}."
        raise InvalidInput(*((name, "envie ao menos um dos campos a mudar") for name in names), message=message)


def refuse_past_end(field: str, end: datetime | None, now: datetime) -> None:
    """Raise `InvalidInput` if the end has passed."""
    if end is not None and end <= now:
        raise InvalidInput((field, PAST_END))


def refuse_changed_past_end(field: str, end: datetime | None, now: datetime, before: datetime | None) -> None:
    """The same for an update. The stored end `before` may be sent back, with its fraction of a second cut."""
    unchanged = end is not None and before is not None and end.replace(microsecond=0) == before.replace(microsecond=0)
    if end is not None and end <= now and not unchanged:
        raise InvalidInput((field, PAST_END_OR_STORED))


def end_to_come(end: datetime, ctx: Context) -> None:
    """Like `refuse_past_end`, for `in_context`. Raises ValueError."""
    if end <= ctx.clock.now():
        raise ValueError(PAST_END)


def parse_integer(value: object) -> object:
    """The number of a query string's digits, or a value that validation refuses."""
    if isinstance(value, str):
        return int(value) if _DIGITS.fullmatch(value) else "?"
    return "?" if isinstance(value, (bool, float)) else value


def flag(value: object) -> object:
    """The boolean of a query string's text, or the value itself."""
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def separated(value: object) -> object:
    """The items of a query string's text, separated by commas, or the value itself."""
    return [item.strip() for item in value.split(",")] if isinstance(value, str) else value


def zone_of(info: ValidationInfo) -> ZoneInfo:
    """The zone of the dates in this input: its `tz`, or São Paulo."""
    return read_zone(info.data.get("tz") or SAO_PAULO.key)


def _start(value: object, info: ValidationInfo) -> datetime:
    return read_beginning(value, zone_of(info)).astimezone(UTC)


def _written_start(value: object, info: ValidationInfo) -> datetime:
    return read_beginning(value, zone_of(info))


def _end(value: object, info: ValidationInfo) -> datetime:
    return read_end(value, zone_of(info)).astimezone(UTC)


def _expiry(value: object) -> datetime:
    """Like `_end`, in any year. Raises pydantic's error of an expiry."""
    try:
        return min(read_end(value, max_year=MAXYEAR).astimezone(UTC), _LATEST)
    except (ValueError, OverflowError):  # The last hours of year 9999 overflow in UTC.
        raise PydanticCustomError("expiry", "expiry") from None


def _zone_name(name: str) -> str:
    return read_zone(name).key


def _charge_amount(value: object) -> Centavos:
    """Read the amount of a charge. Any number below the minimum is `MinimumAmount`, even a malformed one."""
    if is_below(value, MINIMUM_CHARGE):
        raise PydanticCustomError("minimum", "minimum")
    return centavos_from_reais(value)


def _metadata(value: dict[str, str]) -> dict[str, str]:
    for key, text in value.items():
        if not 1 <= len(key) <= 40 or len(text) > 500 or _CONTROL.search(key + text):
            raise ValueError("chaves de 1 a 40 e valores de até 500 caracteres, sem caracteres de controle")
    return value


def _check_keys(value: object) -> object:
    """Check the number of keys before pairs are validated, and duplicates before keys are trimmed."""
    if not isinstance(value, Mapping):
        return value
    if len(value) > MAX_PAIRS:
        raise ValueError(f"no máximo {MAX_PAIRS} chaves")
    if len({str(key).strip() for key in value}) < len(value):
        raise ValueError("há chaves iguais, a não ser por espaços")
    return value


def _reais_schema(**bound: float) -> WithJsonSchema:
    return WithJsonSchema({"type": "number", **bound, "maximum": reais_from_centavos(CEILING), "multipleOf": 0.01})


def line(maximum: int, minimum: int = 0) -> Any:
    """One line of text, `minimum` to `maximum` characters, without control characters."""
    return Annotated[str, StringConstraints(min_length=minimum, max_length=maximum), AfterValidator(_without_control)]


Name = Annotated[str, StringConstraints(min_length=1, max_length=120), AfterValidator(_without_control)]
ShortText = Annotated[str, StringConstraints(max_length=255), AfterValidator(_without_control)]
LongText = Annotated[str, StringConstraints(max_length=2000), AfterValidator(_without_control_but_breaks)]
PixDescription = Annotated[str, StringConstraints(max_length=140), AfterValidator(_without_control)]
Reference = Annotated[str, StringConstraints(min_length=1, max_length=120), AfterValidator(_without_control)]
Sku = Annotated[str, StringConstraints(max_length=64), AfterValidator(_without_control)]
Email = Annotated[
    str,
    StringConstraints(max_length=254),
    AfterValidator(_email),
    WithJsonSchema({"type": "string", "format": "email", "maxLength": 254}),
]
Url = Annotated[
    str,
    StringConstraints(max_length=2048),
    AfterValidator(_without_control),
    AfterValidator(_url),
    WithJsonSchema({"type": "string", "format": "uri", "maxLength": 2048}),
]
Phone = Annotated[str, StringConstraints(max_length=MAX_PHONE_LENGTH), AfterValidator(normalise_phone)]
"""A Brazilian phone, stored as 10 or 11 digits, in any notation (gateway.values.phones)."""
MobilePhone = Annotated[str, StringConstraints(max_length=MAX_PHONE_LENGTH), AfterValidator(normalise_mobile)]
DocumentNumber = Annotated[
    str,
    StringConstraints(max_length=32),
    AfterValidator(normalise_document),
    WithJsonSchema({"type": "string", "format": "cpf-or-cnpj", "minLength": 11, "maxLength": 32}),
]
Cpf = Annotated[
    str,
    StringConstraints(max_length=32),
    AfterValidator(normalise_cpf),
    WithJsonSchema({"type": "string", "format": "cpf", "minLength": 11, "maxLength": 32}),
]
Cnpj = Annotated[
    str,
    StringConstraints(max_length=32),
    AfterValidator(normalise_cnpj),
    WithJsonSchema({"type": "string", "format": "cnpj", "minLength": 14, "maxLength": 32}),
]
IdText = Annotated[Id, AfterValidator(_id), WithJsonSchema({"type": "string", "format": "uuid"})]
Flag = StrictBool
QueryFlag = Annotated[StrictBool, BeforeValidator(flag)]
"""A boolean that may come from a query string."""
Integral = BeforeValidator(integral)
"""To be placed after the bounds of an integer."""
Count = Annotated[StrictInt, Field(ge=1, le=2_000_000_000), Integral]
Reais = Annotated[Centavos, BeforeValidator(centavos_from_reais), _reais_schema(minimum=0)]
Price = Annotated[Reais, Field(gt=0), _reais_schema(exclusiveMinimum=0)]
ChargedReais = Annotated[
    Centavos, BeforeValidator(_charge_amount), _reais_schema(minimum=reais_from_centavos(MINIMUM_CHARGE))
]
"""An amount of at least R$ 5,00. Raises `MinimumAmount` below that."""
# A pattern, because client generators don't support two formats.
_DAY = r"[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_TIME = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?"
_DATE = WithJsonSchema({"type": "string", "pattern": f"^{_DAY}(T{_TIME})?$"})
Start = Annotated[datetime, BeforeValidator(_start), _DATE]
"""A start time. A date means the first instant of the day."""
WrittenStart = Annotated[datetime, BeforeValidator(_written_start), _DATE]
"""The same, with the offset it was written in: the 31st in São Paulo may be the 1st in UTC."""
End = Annotated[datetime, BeforeValidator(_end), _DATE]
"""An end time. A date means the last instant of the day."""
Day = Annotated[date, BeforeValidator(read_day), WithJsonSchema({"type": "string", "format": "date"})]
"""A day of the calendar, in the zone of the input."""
Expiry = Annotated[datetime, BeforeValidator(_expiry), _DATE]
"""The expiry of a charge. Its error has a `codigo`."""
ZoneName = Annotated[str, StringConstraints(max_length=64), AfterValidator(_zone_name)]
Metadata = Annotated[
    dict[str, str],
    Field(max_length=MAX_PAIRS),
    AfterValidator(_metadata),
    BeforeValidator(_check_keys),
    WithJsonSchema(
        {
            "type": "object",
            "maxProperties": MAX_PAIRS,
            "propertyNames": {
                "minLength": 1,
                "maxLength": 40,
                "pattern": r"^\s*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$",
            },
            "additionalProperties": {
                "type": "string",
                "maxLength": 500,
                "pattern": r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$",
            },
        }
    ),
]
WithoutControlButBreaks = AfterValidator(_without_control_but_breaks)
WithoutControl = AfterValidator(_without_control)
"""For other text types: no control characters."""
EmptyToNone = BeforeValidator(none_if_empty)
"""For optional fields: an empty string means null."""
NeverNull = BeforeValidator(not_null)
"""For fields that may be absent: null is invalid."""

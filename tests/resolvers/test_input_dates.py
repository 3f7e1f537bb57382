"""Dates are parsed alike in every input and in the command line."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo

from gateway import app as _app  # Declares all operations.
from gateway.cli.billing import _parse_time
from gateway.resolvers.clocks.operations import AdvanceClock
from gateway.resolvers.core.operation import REGISTRY
from gateway.values.dates import read_beginning, read_end

assert _app
ENDS = ("to", "expires_at", "due_date", "end_date", "as_of")
ZONES = st.sampled_from(["", "Z", "z", "+00:00", "-03:00", "-0300", "+14:00", " -03:00"])


def _is_date(annotation: Any) -> bool:
    return annotation is datetime or any(_is_date(part) for part in get_args(annotation))


def _fields() -> Iterator[tuple[str, FieldInfo, bool]]:
    """Names and fields, and whether a date is the end of its day. A test clock advances to the beginning."""
    for model in {operation.input_type for operation in REGISTRY.values()}:
        for name, field in model.model_fields.items():
            if _is_date(field.annotation):
                yield name, field, name.endswith(ENDS) and model is not AdvanceClock


def _alone(name: str, field: FieldInfo) -> type[BaseModel]:
    """A model with only this field."""
    return create_model("Alone", **{name: (field.annotation, field)})  # type: ignore[call-overload]  # Pydantic's names are keywords.


FIELDS = {
    f"{name} {number}": (name, _alone(name, field), is_end)
    for number, (name, field, is_end) in enumerate(sorted(_fields(), key=lambda one: one[0]))
}
DATES = st.dates(date(1902, 1, 1), date(8998, 12, 30))
TEXTS = st.one_of(
    DATES.map(date.isoformat),
    DATES.map(lambda day: f" {day:%Y%m%d} "),
    st.builds(
        lambda day, at, separator, zone: f"{day}{separator}{at.isoformat()}{zone}",
        DATES,
        st.times(),
        st.sampled_from(["T", "t", " "]),
        ZONES,
    ),
)


def test_every_kind_of_date_is_covered() -> None:
    names = {name for name, *_ in FIELDS.values()}
    assert names >= {
        *("created_from", "created_to", "paid_from", "paid_to", "next_billing_from", "next_billing_to"),
        *("expires_at", "due_date", "starts_at", "end_date", "next_billing_at", "as_of", "since", "to"),
    }


@given(TEXTS, st.sampled_from(sorted(FIELDS)))
def test_every_field_parses_dates_alike(text: str, key: str) -> None:
    name, model, is_end = FIELDS[key]
    expected = read_end(text) if is_end else read_beginning(text)
    alias = model.model_fields[name].alias or name
    assert getattr(model.model_validate({alias: text}), name) == expected.astimezone(UTC)


@given(TEXTS)
def test_the_command_line_parses_it_as_an_end_date(text: str) -> None:
    assert _parse_time(text) == read_end(text)


@given(st.text(max_size=12) | st.builds(lambda at: f"2026-12-25T{at}x", st.times().map(time.isoformat)), st.sampled_from(sorted(FIELDS)))  # fmt: skip
def test_all_fields_refuse_the_same_dates(text: str, key: str) -> None:
    try:
        read_end(text)
    except ValueError:
        name, model, _ = FIELDS[key]
        if text.strip():  # Empty clears some of them.
            with pytest.raises(ValueError, match="validation error"):
                model.model_validate({model.model_fields[name].alias or name: text})

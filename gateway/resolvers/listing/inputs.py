"""What callers say about lists, whatever is listed (contract section 2).

Over REST the values come from a query string, so numbers, amounts and moments are read from text too. A value that
can't be read is a 400; only an empty `q`, which search boxes send, is the same as none.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema, WithJsonSchema

from gateway.errors import InvalidInput
from gateway.resolvers.inputs import Draft, Faults, Input, Moment, NoneIfEmpty, ShortText, read_moment, whole

DEFAULT_LIMIT = 50
LARGEST_LIMIT = 100
EITHER = ("after", "use page ou after, não os dois")
_DAY = re.compile(r"\d{4}-?\d{2}-?\d{2}")


def _end(value: object) -> datetime:
    """Read the end of a period, which belongs to it; of a date alone, all of the day does."""
    moment = read_moment(value)
    return moment + timedelta(days=1, microseconds=-1) if is_day(value) else moment


def is_day(value: object) -> bool:
    """Whether a date is written without a time of day."""
    return isinstance(value, str) and _DAY.fullmatch(value.strip()) is not None


def _mapping(value: object) -> object:
    return value if isinstance(value, Mapping) else None


SearchText = Annotated[ShortText | None, NoneIfEmpty]
PageNumber = Annotated[int, Field(ge=1, le=1_000_000), BeforeValidator(whole)]
PageSize = Annotated[int, Field(ge=1, le=LARGEST_LIMIT), BeforeValidator(whole)]
LastMoment = Annotated[datetime, BeforeValidator(_end), WithJsonSchema({"type": "string", "format": "date-time"})]


class Slice(Input):
    """A slice by cursor (Relay): forward with `first` and `after`, backward with `last` and `before`."""

    first: int | None = None
    after: str | None = None
    last: int | None = None
    before: str | None = None


class ByCreation(StrEnum):
    """The orders of a list that has no others."""

    created_at_desc = "-created_at"
    created_at_asc = "created_at"


class ListInput(Input):
    """Which part of a list, and in which order: a page, a slice by cursor, or neither, which is all of it up to 5000.

    Over REST a slice is `after`, empty at the beginning of the list, and `limit`. GraphQL has all of `slice`.

    Each list says with an enum of its own which orders it has.
    """

    page: PageNumber | None = Field(None, description="Página, a partir de 1.")
    limit: PageSize | None = Field(None, description="Itens por página: padrão 50, máximo 100.")
    after: str | None = Field(
        None, description="Só os itens depois deste cursor; vazio, desde o primeiro. No lugar de `page`, e sem `total`."
    )
    sort: str = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")
    total: Literal["exact"] | None = Field(
        None,
        description="`exact` conta até o fim o que uma busca ou vários filtros encontram, por mais que demore; sem "
        "valor, `total` pode parar antes, e `total_capped` diz que parou.",
    )
    # GraphQL's own way; a text of that name in a query string is an unknown key, and those are ignored.
    slice: SkipJsonSchema[Annotated[Slice | None, BeforeValidator(_mapping)]] = None

    @classmethod
    def amiss(cls, draft: Draft) -> Faults:
        both = draft.get("page") is not None and draft.get("after") is not None
        return [EITHER] if both else []

    def sliced(self) -> Slice | None:
        """The slice that was asked for. Raises `InvalidInput` for a cursor beside a page."""
        if self.after is None:
            return self.slice
        if self.page is not None and "page" in self.model_fields_set:
            raise InvalidInput(EITHER)
        return Slice(first=self.limit, after=self.after or None)


class Period(Input):
    """The filters that every list has."""

    q: SearchText = Field(None, description="Busca por parte do texto, sem distinguir maiúsculas nem acentos.")
    created_from: Moment | None = Field(None, description="Criados a partir deste momento.")
    created_to: LastMoment | None = Field(None, description="Criados até este momento; de uma data, o dia inteiro.")

"""Input of all lists (contract section 2).

Over REST the values come from a query string, so numbers, amounts and timestamps are read from text, too. A value that
can't be read is a 400; only an empty `q`, which search boxes send, is the same as none.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from gateway.errors import InvalidInput
from gateway.resolvers.core.inputs import (
    EmptyToNone,
    End,
    Input,
    RawInput,
    ShortText,
    Start,
    ValidationErrors,
    ZoneName,
    parse_integer,
)

DEFAULT_LIMIT = 50
MAX_LIMIT = 100
PAGE_OR_AFTER = ("after", "use page ou after, não os dois")


def _mapping(value: object) -> object:
    return value if isinstance(value, Mapping) else None


SearchText = Annotated[ShortText | None, EmptyToNone]
PageNumber = Annotated[int, Field(ge=1, le=1_000_000), BeforeValidator(parse_integer)]
PageSize = Annotated[int, Field(ge=1, le=MAX_LIMIT), BeforeValidator(parse_integer)]


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
        description="`exact` conta até o fim; sem valor, `total` para em 3000, e `total_capped` diz que parou.",
    )
    # GraphQL's own way; a query string has no parameter of this name.
    slice: SkipJsonSchema[Annotated[Slice | None, BeforeValidator(_mapping)]] = None

    @classmethod
    def cross_field_errors(cls, raw: RawInput) -> ValidationErrors:
        both = raw.get("page") is not None and raw.get("after") is not None
        return [PAGE_OR_AFTER] if both else []

    def sliced(self) -> Slice | None:
        """The requested slice. Raises `InvalidInput` for a cursor together with a page."""
        if self.after is None:
            return self.slice
        if self.page is not None and "page" in self.model_fields_set:
            raise InvalidInput(PAGE_OR_AFTER)
        return Slice(first=self.limit, after=self.after or None)


class Period(Input):
    """The filters that every list has."""

    q: SearchText = Field(
        None,
        description="Busca: todas as palavras, em qualquer ordem, cada uma como parte de um texto, sem distinguir maiúsculas nem acentos.",
    )
    # Before the dates, which are read in this zone.
    tz: ZoneName | None = Field(
        None, description="Fuso horário (IANA) das datas sem hora e dos horários do CSV. Padrão: America/Sao_Paulo."
    )
    created_from: Start | None = Field(None, description="Criados a partir deste momento; de uma data, desde o início.")
    created_to: End | None = Field(None, description="Criados até este momento; de uma data, o dia inteiro.")

"""What the assistant of the first access asks, and whatever else a panel lets it ask."""

from collections.abc import Mapping
from typing import Annotated, Any

import orjson
from pydantic import AfterValidator, Field

from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import (
    Cnpj,
    Cpf,
    Draft,
    Input,
    Name,
    NoneIfEmpty,
    Phone,
    Reais,
    ShortText,
    holds_control,
    none_if_empty,
)

LONGEST_KEY = 64
MOST_FURTHER = 50
"""Further answers of one call. How much all answers may come to together, `onboarding.py` says."""


def _further(value: dict[str, Any]) -> dict[str, Any]:
    if len(value) > MOST_FURTHER:
        raise ValueError(f"no máximo {MOST_FURTHER} respostas além das previstas")
    if any(not 1 <= len(key) <= LONGEST_KEY for key in value):
        raise ValueError(f"chaves de 1 a {LONGEST_KEY} caracteres")
    if holds_control(value):
        raise ValueError("não pode conter caracteres de controle")
    try:
        orjson.dumps(value)
    except TypeError:  # A number of a GraphQL document has any length.
        raise ValueError("há um número que não pode ser guardado") from None
    return {name: none_if_empty(answer) for name, answer in value.items()}


class Onboarding(Input):
    """As respostas do assistente do primeiro acesso; todas opcionais.

    `POST /auth/onboarding`: everything is optional. Keys that are not fields are answers, too, and are kept under their
    own names; GraphQL, which knows no such keys, takes them in `extra`, as REST may.
    """

    origin: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Como conheceu o serviço.")
    responsible_name: Annotated[Name | None, NoneIfEmpty] = Field(None, description="Nome da pessoa responsável.")
    responsible_cpf: Annotated[Cpf | None, NoneIfEmpty] = Field(None, description="CPF da pessoa responsável.")
    responsible_phone: Annotated[Phone | None, NoneIfEmpty] = Field(None, description="Telefone dela, com DDD.")
    store_name: Annotated[Name | None, NoneIfEmpty] = Field(None, description="Nome da loja.")
    cnpj: Annotated[Cnpj | None, NoneIfEmpty] = Field(None, description="CNPJ da loja.")
    postal_code: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="CEP.")
    address: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Logradouro.")
    address_number: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Número.")
    complement: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Complemento.")
    province: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Bairro.")
    city: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Cidade.")
    state: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Estado.")
    segment: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Segmento.")
    monthly_revenue: Reais | None = Field(None, description="Faturamento mensal, em reais.")
    extra: Annotated[dict[str, Any], AfterValidator(_further)] | None = Field(
        None, description="Outras respostas, por nome: no máximo 50."
    )

    @classmethod
    def from_draft(cls, draft: Draft, ctx: Context | None = None) -> "Onboarding":
        """What no field is named after is a further answer. Only `user_id` is none: it is ignored, as everywhere."""
        known = {name: value for name, value in draft.items() if name in cls.model_fields}
        further = {name: value for name, value in draft.items() if name not in known and name != "user_id"}
        if further and isinstance(known.get("extra"), Mapping | None):
            known["extra"] = {**(known.get("extra") or {}), **further}
        return super().from_draft(known, ctx)

    def answers(self) -> dict[str, Any]:
        """What was answered, as it is kept. A further answer doesn't take the place of a field."""
        given = self.sent()
        further = given.pop("extra", None) or {}
        return {name: value for name, value in further.items() if name not in type(self).model_fields} | given

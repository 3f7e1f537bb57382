"""What a merchant says to open a receiving account."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from gateway.models.engines import Track
from gateway.models.receiving import CompanyType
from gateway.resolvers.core.inputs import (
    Cnpj,
    Email,
    Input,
    MobilePhone,
    Name,
    NoneIfEmpty,
    Reais,
    ShortText,
    Url,
)


def _postal_code(text: str) -> str:
    digits = re.sub(r"[\s.-]", "", text)
    if not re.fullmatch(r"[0-9]{8}", digits):
        raise ValueError("informe um CEP com 8 dígitos")
    return digits


Part = Annotated[ShortText, Field(min_length=1)]
"""A part of an address that must be there."""
BankReason = Annotated[ShortText, Field(max_length=200)]
"""As much as a notice may say."""
PostalCode = Annotated[str, StringConstraints(max_length=20), AfterValidator(_postal_code)]


class SimulateReview(Input):
    """O que o banco de teste decide sobre a conta de recebimento.

    `POST /receiving-account/simulate-review`.
    """

    geral: Track = Field(Track.approved, description="Como a aprovação fica. Sem este campo, aprovada.")
    motivo: Annotated[BankReason | None, NoneIfEmpty] = Field(
        None, description="Por que algo foi recusado, nas palavras do banco: `motivos_recusa`."
    )


class OpenReceivingAccount(Input):
    """Os dados da empresa que vai receber.

    `POST /receiving-account` (specification section 4).
    """

    company_name: Name = Field(description="Razão social.")
    email: Email = Field(description="E-mail da empresa; o provedor de pagamentos escreve para ele.")
    cnpj: Cnpj = Field(description="CNPJ, com ou sem formatação.")
    phone: MobilePhone = Field(description="Celular com DDD, 11 dígitos.")
    monthly_revenue: Reais = Field(description="Faturamento mensal, em reais.")
    address: Part = Field(description="Logradouro.")
    address_number: Part = Field(description="Número.")
    province: Part = Field(description="Bairro.")
    postal_code: PostalCode = Field(description="CEP, com ou sem formatação.")
    complement: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Complemento.")
    company_type: Annotated[CompanyType | None, NoneIfEmpty] = Field(None, description="Tipo de empresa.")
    site: Annotated[Url | None, NoneIfEmpty] = Field(None, description="Endereço do site.")

"""Inputs and results of the coupon operations."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo
from pydantic.json_schema import WithJsonSchema

from gateway.models.base import Environment
from gateway.models.coupons import DiscountType, coupons
from gateway.resolvers.availability import is_available
from gateway.resolvers.core.inputs import (
    Count,
    EmptyToNone,
    End,
    Flag,
    IdText,
    Input,
    LongText,
    NeverNull,
    Reais,
    ShortText,
    Start,
    end_to_come,
    in_context,
)
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.resolvers.core.views import View, columns_of_view
from gateway.values.ids import Id
from gateway.values.money import Centavos, Hundredths, centavos_from_reais

ValueT = TypeVar("ValueT")
MAX_PRODUCTS = 500
MAX_CODE_LENGTH = 64
_EXPIRES_AT = "Até quando vale; de uma data, o dia inteiro. Sem data, sempre."
WHOLE = 100_00
"""One hundred per cent, in hundredths."""


def normalized_code(text: str) -> str:
    """The stored form of a code: upper case, so that "promo10" and "PROMO10" are one coupon."""
    return unicodedata.normalize("NFC", text).upper()


def _code(text: str) -> str:
    code = normalized_code(text)
    if not code or len(code) > MAX_CODE_LENGTH or re.search(r"\s", code):
        raise ValueError(f"informe um código de 1 a {MAX_CODE_LENGTH} caracteres, sem espaços")
    return code


def _hundredths(value: object) -> Hundredths:
    return Hundredths(centavos_from_reais(value))


def contradictions(coupon: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The fields of a coupon that contradict others, with the reason. A missing field contradicts nothing."""
    kind, value = coupon.get("discount_type"), coupon.get("discount_value")
    if kind == DiscountType.percentage and value is not None and value > WHOLE:
        yield "discount_value", "deve ser no máximo 100 por cento"
    starts_at, expires_at = coupon.get("starts_at"), coupon.get("expires_at")
    if starts_at is not None and expires_at is not None and starts_at >= expires_at:
        yield "expires_at", "deve ser depois de starts_at"


def _without_contradiction(value: ValueT, info: ValidationInfo) -> ValueT:
    for name, reason in contradictions({**info.data, str(info.field_name): value}):
        if name == info.field_name:
            raise ValueError(reason)
    return value


def _distinct(ids: list[str]) -> list[str]:
    return list(dict.fromkeys(ids))


Code = Annotated[
    ShortText,
    AfterValidator(_code),
    WithJsonSchema(
        {"type": "string", "minLength": 1, "maxLength": MAX_CODE_LENGTH, "pattern": r"^[^\s\x00-\x1f\x7f-\x9f]+$"}
    ),
]
DiscountValue = Annotated[
    Hundredths,
    BeforeValidator(_hundredths),
    Field(gt=0),
    AfterValidator(_without_contradiction),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": 9999999.99, "multipleOf": 0.01}),
]
ProductIds = Annotated[list[IdText], Field(max_length=MAX_PRODUCTS), AfterValidator(_distinct)]


class CouponFields(Input):
    """The limits of a coupon; null means none."""

    description: Annotated[LongText | None, EmptyToNone] = Field(None, description="Descrição interna.")
    max_uses: Count | None = Field(None, description="Usos no total; sem valor, sem limite.")
    max_uses_per_customer: Count | None = Field(None, description="Usos por CPF ou CNPJ; sem valor, sem limite.")
    min_amount: Reais | None = Field(None, description="Valor mínimo da compra, em reais.")
    product_ids: ProductIds | None = Field(None, description="Produtos em que vale; vazio, em todos.")
    starts_at: Annotated[Start | None, EmptyToNone] = Field(
        None, description="Quando começa a valer; de uma data, desde o início."
    )
    expires_at: Annotated[End | None, EmptyToNone, AfterValidator(_without_contradiction)] = Field(
        None, description=_EXPIRES_AT
    )


class CreateCoupon(CouponFields):
    """Um novo cupom.

    `POST /coupons`.
    """

    code: Code = Field(description="Código, guardado em maiúsculas.")
    discount_type: DiscountType = Field(description="`percentage` ou `fixed`.")
    discount_value: DiscountValue = Field(description="Por cento (até 100) ou reais, conforme o tipo.")
    is_active: Flag = Field(True, description="Se pode ser usado.")
    expires_at: Annotated[End | None, EmptyToNone, in_context(end_to_come), AfterValidator(_without_contradiction)] = (
        Field(None, description=_EXPIRES_AT)
    )


class UpdateCoupon(CouponFields):
    """Mudanças em um cupom: só os campos enviados mudam; nulo remove um limite.

    `PUT /coupons/{id}`: only sent fields change; null lifts a limit.
    """

    id: IdText = Field(description="Identificador do cupom.")
    code: Annotated[Code | None, NeverNull] = Field(None, description="Código, guardado em maiúsculas.")
    discount_type: Annotated[DiscountType | None, NeverNull] = Field(None, description="`percentage` ou `fixed`.")
    discount_value: Annotated[DiscountValue | None, NeverNull] = Field(
        None, description="Por cento (até 100) ou reais, conforme o tipo."
    )
    is_active: Annotated[Flag | None, NeverNull] = Field(None, description="Se pode ser usado.")


class WhichCoupon(Input):
    """One coupon."""

    id: IdText = Field(description="Identificador do cupom.")


class ValidateCoupon(Input):
    """`GET /coupons/validate`: a code, for an amount, a product, or both. The default amount is the product's price;
    with neither, only the coupon itself is checked.
    """

    code: Code = Field(description="Código do cupom.")
    amount: Annotated[Reais | None, EmptyToNone] = Field(None, description="Valor da compra, em reais.")
    product_id: Annotated[IdText | None, EmptyToNone] = Field(None, description="Produto comprado.")


class CouponStatus(StrEnum):
    """Whether a coupon has ended: switched off, expired or used up."""

    active = "active"
    inactive = "inactive"


class CouponOrder(StrEnum):
    """The orders of a list of coupons; equals are ordered by id."""

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    updated_at_desc = "-updated_at"
    updated_at_asc = "updated_at"
    code_desc = "-code"
    code_asc = "code"
    expires_at_desc = "-expires_at"
    expires_at_asc = "expires_at"
    uses_count_desc = "-uses_count"
    uses_count_asc = "uses_count"


class CouponFilter(Period):
    """Filtros de cupons; todos os enviados valem juntos."""

    status: CouponStatus | None = Field(
        None, description="Os que ainda valem (`active`) ou os desativados, vencidos e esgotados (`inactive`)."
    )
    code: Code | None = Field(None, description="Com este código.")


class ListCoupons(CouponFilter, ListInput):
    """`GET /coupons`: everything optional."""

    sort: CouponOrder = Field(CouponOrder.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class CouponView(View):
    """Um cupom de desconto."""

    id: Id = Field(description="Identificador do cupom (UUID).")
    user_id: Id = Field(description="Titular da loja dona do cupom.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")
    code: str = Field(description="Código, em maiúsculas; único na loja e no ambiente.")
    description: str | None = Field(description="Descrição interna.")
    discount_type: DiscountType = Field(description="Como ler o desconto.")
    discount_value: Hundredths = Field(description="Desconto, por cento ou em reais, conforme o tipo.")
    max_uses: int | None = Field(description="Usos no total; nulo, sem limite.")
    max_uses_per_customer: int | None = Field(description="Usos por CPF ou CNPJ; nulo, sem limite.")
    uses_count: int = Field(description="Usos de cobranças pendentes, pagas ou devolvidas.")
    min_amount: Centavos | None = Field(description="Valor mínimo da compra, em reais.")
    product_ids: list[Id] = Field(description="Produtos em que vale; vazio, em todos.")
    starts_at: datetime | None = Field(description="Quando começa a valer.")
    expires_at: datetime | None = Field(description="Até quando vale; nulo, sempre.")
    is_active: bool = Field(description="Se ainda vale: ativo, não vencido nem esgotado.")
    created_at: datetime = Field(description="Quando foi criado.")
    updated_at: datetime = Field(description="Última mudança.")

    def as_of(self, now: datetime) -> Self:
        """The coupon with `is_active` as it holds now."""
        return self.replaced(is_active=is_available(vars(self), "is_active", now))


COUPON_COLUMNS = columns_of_view(CouponView, coupons)


class CouponQuote(View):
    """O que um cupom faz com um valor. Nada é reservado: a cobrança emitida é que ocupa um uso."""

    valid: bool = Field(description="Sempre verdadeiro: a recusa é um erro com `codigo`.")
    code: str = Field(description="Código do cupom.")
    discount_type: DiscountType = Field(description="Como ler o desconto.")
    discount_value: Hundredths = Field(description="Desconto, por cento ou em reais, conforme o tipo.")
    original_amount: Centavos | None = Field(
        description="Valor antes do desconto, em reais; nulo se não foi informado."
    )
    discount_amount: Centavos | None = Field(description="Desconto, em reais; nulo sem valor.")
    final_amount: Centavos | None = Field(description="Valor a pagar, em reais; nulo sem valor.")

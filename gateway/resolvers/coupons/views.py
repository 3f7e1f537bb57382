"""What the API shows of a coupon, and of what it does to an amount."""

from datetime import datetime
from typing import Self

from pydantic import Field

from gateway.models.base import Environment
from gateway.models.coupons import DiscountType, coupons
from gateway.resolvers.availability import is_available
from gateway.resolvers.core.views import View
from gateway.values.ids import Id
from gateway.values.money import Centavos, Hundredths


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


COUPON_COLUMNS = [coupons.c[name] for name in CouponView.model_fields]


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

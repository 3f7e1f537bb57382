"""What the API shows of a product."""

from datetime import datetime

from pydantic import Field

from gateway.models.base import Environment
from gateway.models.products import products
from gateway.resolvers.core.views import View
from gateway.values.ids import Id
from gateway.values.money import Centavos


class ProductView(View):
    """Um produto da loja."""

    id: Id = Field(description="Identificador do produto (UUID).")
    user_id: Id = Field(description="Titular da loja dona do produto.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")
    name: str = Field(description="Nome.")
    description: str | None = Field(description="Descrição.")
    price: Centavos = Field(description="Preço em reais.")
    sku: str | None = Field(description="Código do produto, único na loja e no ambiente.")
    image_url: str | None = Field(description="Endereço da imagem.")
    active: bool = Field(description="Se pode ser vendido.")
    external_reference: str | None = Field(description="Referência do lojista.")
    metadata: dict[str, str] = Field(description="Pares de texto do lojista.")
    created_at: datetime = Field(description="Quando foi criado.")
    updated_at: datetime = Field(description="Última mudança.")


PRODUCT_COLUMNS = [products.c[name] for name in ProductView.model_fields]

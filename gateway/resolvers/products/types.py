"""Inputs and results of the product operations."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from gateway.models.base import Environment
from gateway.models.products import products
from gateway.resolvers.core.inputs import (
    EmptyToNone,
    Flag,
    IdText,
    Input,
    LongText,
    Metadata,
    Name,
    NeverNull,
    Price,
    Reference,
    Sku,
    Url,
)
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.resolvers.core.views import View, columns_of_view
from gateway.values.ids import Id
from gateway.values.money import Centavos


class ProductFields(Input):
    """The optional fields of a product; empty or null clears."""

    description: Annotated[LongText | None, EmptyToNone] = Field(None, description="Descrição.")
    sku: Annotated[Sku | None, EmptyToNone] = Field(None, description="Código único na loja, até 64 caracteres.")
    image_url: Annotated[Url | None, EmptyToNone] = Field(None, description="Imagem, http:// ou https://.")
    external_reference: Annotated[Reference | None, EmptyToNone] = Field(None, description="Sua referência.")
    metadata: Metadata | None = Field(None, description="Até 20 pares de texto.")


class CreateProduct(ProductFields):
    """Um novo produto.

    `POST /products`.
    """

    name: Name = Field(description="Nome, até 120 caracteres.")
    price: Price = Field(description="Preço em reais, maior que zero.")
    active: Flag = Field(True, description="Se pode ser vendido.")


class UpdateProduct(ProductFields):
    """Mudanças em um produto: só os campos enviados mudam; nulo ou vazio limpa os opcionais.

    `PUT /products/{id}`: only sent fields change; empty or null clears the optional ones.
    """

    id: IdText = Field(description="Identificador do produto.")
    name: Annotated[Name | None, NeverNull] = Field(None, description="Nome, até 120 caracteres.")
    price: Annotated[Price | None, NeverNull] = Field(None, description="Preço em reais, maior que zero.")
    active: Annotated[Flag | None, NeverNull] = Field(None, description="Se pode ser vendido.")


class WhichProduct(Input):
    """One product."""

    id: IdText = Field(description="Identificador do produto.")


class ProductStatus(StrEnum):
    """Whether a product can be sold, as a filter."""

    active = "active"
    inactive = "inactive"


class ProductOrder(StrEnum):
    """The orders of a list of products; equals are ordered by id."""

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    updated_at_desc = "-updated_at"
    updated_at_asc = "updated_at"
    name_desc = "-name"
    name_asc = "name"
    price_desc = "-price"
    price_asc = "price"


class ProductFilter(Period):
    """Filtros de produtos; todos os enviados valem juntos."""

    status: ProductStatus | None = Field(None, description="`active` ou `inactive`.")
    sku: Sku | None = Field(None, description="Com este sku.")


class ListProducts(ProductFilter, ListInput):
    """`GET /products`: everything optional."""

    sort: ProductOrder = Field(ProductOrder.created_at_desc, description="Ordem; `-` na frente é decrescente.")


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


PRODUCT_COLUMNS = columns_of_view(ProductView, products)

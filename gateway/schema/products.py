"""Products over GraphQL."""

import strawberry

from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.products import operations
from gateway.resolvers.products.types import (
    CreateProduct,
    ProductFilter,
    ProductOrder,
    ProductStatus,
    ProductView,
    UpdateProduct,
)
from gateway.schema import drafts
from gateway.schema.connections import listed
from gateway.schema.context import Info

drafts.enum(ProductOrder, "Ordem de uma lista de produtos.")
drafts.enum(
    ProductStatus,
    "Se um produto pode ser vendido.",
    active="Pode ser vendido.",
    inactive="Está desativado.",
)
drafts.output(ProductView, "Product")
drafts.input(ProductFilter, "ProductFilter")
drafts.input(CreateProduct, "CreateProductInput")
drafts.input(UpdateProduct, "UpdateProductInput")


@strawberry.type
class ProductsQuery:
    @strawberry.field(description="Um produto.")
    async def product(self, info: Info, id: strawberry.ID) -> ProductView:
        return await operations.read_product(info.context.call, {"id": id})

    products = listed(operations.list_products, ProductFilter, description="Os produtos da loja.")


@strawberry.type
class ProductsMutation:
    @strawberry.mutation(description="Cria um produto.")
    async def create_product(self, info: Info, input: CreateProduct) -> ProductView:
        return await operations.create_product(info.context.call, input)

    @strawberry.mutation(description="Altera os campos enviados de um produto.")
    async def update_product(self, info: Info, input: UpdateProduct) -> ProductView:
        return await operations.update_product(info.context.call, input)

    @strawberry.mutation(description="Exclui um produto; os links dele seguem com o próprio valor.")
    async def delete_product(self, info: Info, id: strawberry.ID) -> Deleted:
        return await operations.delete_product(info.context.call, {"id": id})

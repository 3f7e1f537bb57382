"""Customers over GraphQL."""

import strawberry

from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.customers import operations
from gateway.resolvers.customers.types import (
    CreateCustomer,
    CustomerFilter,
    CustomerOrder,
    CustomerView,
    UpdateCustomer,
)
from gateway.schema.connections import charges_field, export_field, list_field
from gateway.schema.context import Info
from gateway.schema.paid_totals import paid_fields
from gateway.schema.strawberry_types import define_enum, define_input, define_output

define_enum(CustomerOrder, "Ordem de uma lista de clientes.")
define_output(
    CustomerView,
    "Customer",
    charges=charges_field(
        lambda loaders: loaders.charges_of_customers, description="As cobranças feitas a este cliente."
    ),
    **paid_fields(lambda loaders: loaders.paid_of_customers),
)
define_input(CustomerFilter, "CustomerFilter")
define_input(CreateCustomer, "CreateCustomerInput")
define_input(UpdateCustomer, "UpdateCustomerInput")


@strawberry.type
class CustomersQuery:
    @strawberry.field(description="Um cliente.")
    async def customer(self, info: Info, id: strawberry.ID) -> CustomerView:
        return await operations.read_customer(info.context.call, {"id": id})

    customers = list_field(operations.list_customers, CustomerFilter, description="Os clientes da loja.")


@strawberry.type
class CustomersMutation:
    @strawberry.mutation(description="Cadastra um cliente.")
    async def create_customer(self, info: Info, input: CreateCustomer) -> CustomerView:
        return await operations.create_customer(info.context.call, input)

    @strawberry.mutation(description="Altera os campos enviados de um cliente.")
    async def update_customer(self, info: Info, input: UpdateCustomer) -> CustomerView:
        return await operations.update_customer(info.context.call, input)

    @strawberry.mutation(description="Exclui um cliente e desvincula as cobranças dele.")
    async def delete_customer(self, info: Info, id: strawberry.ID) -> Deleted:
        return await operations.delete_customer(info.context.call, {"id": id})

    export_customers = export_field(
        operations.export_customers, CustomerFilter, description="Exporta os clientes da loja."
    )

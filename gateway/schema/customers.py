"""Customers over GraphQL."""

import strawberry

from gateway.resolvers.customers import operations
from gateway.resolvers.customers.types import (
    CreateCustomer,
    CustomerFilter,
    CustomerOrder,
    CustomerView,
    UpdateCustomer,
)
from gateway.schema.connections import charges_field, export_field, list_field
from gateway.schema.fields import mutation_field, paid_fields, query_field
from gateway.schema.strawberry_types import define_enum, define_inputs, define_output

define_enum(CustomerOrder, "Ordem de uma lista de clientes.")
define_output(
    CustomerView,
    "Customer",
    charges=charges_field("customer_id", "As cobranças feitas a este cliente."),
    **paid_fields("customer_id"),
)
define_inputs(CustomerFilter, CreateCustomer, UpdateCustomer)


@strawberry.type
class CustomersQuery:
    customer = query_field(operations.read_customer, "Um cliente.", id=strawberry.ID)
    customers = list_field(operations.list_customers, CustomerFilter, "Os clientes da loja.")


@strawberry.type
class CustomersMutation:
    create_customer = mutation_field(operations.create_customer, "Cadastra um cliente.", input=CreateCustomer)
    update_customer = mutation_field(
        operations.update_customer, "Altera os campos enviados de um cliente.", input=UpdateCustomer
    )
    delete_customer = mutation_field(
        operations.delete_customer, "Exclui um cliente e desvincula as cobranças dele.", id=strawberry.ID
    )
    export_customers = export_field(operations.export_customers, CustomerFilter, "Exporta os clientes da loja.")

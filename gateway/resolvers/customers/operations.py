"""Create, change, delete, read, list and export customers."""

from sqlalchemy import bindparam, func

from gateway.models.api_keys import Scope
from gateway.models.charges import charges
from gateway.models.customers import customers
from gateway.models.subscriptions import subscriptions
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.listing.cursors import by_name
from gateway.resolvers.core.listing.definition import Listing, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import TextSearch
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows
from gateway.resolvers.core.views import Page
from gateway.resolvers.customers.types import (
    CUSTOMER_COLUMNS,
    CreateCustomer,
    CustomerView,
    ListCustomers,
    UpdateCustomer,
    WhichCustomer,
)

MISSING = "Cliente não encontrado."
_K = customers
ROWS = StoreRows(
    _K,
    CUSTOMER_COLUMNS,
    MISSING,
    lambda _, row: CustomerView.of(row),
    inserted=CreateCustomer.model_fields,
)
DELETION = Deletion(
    ROWS,
    charges.c.customer_id,
    subscriptions.c.customer_id,
    too_many="Há referências demais para excluir este cliente; em vez disso, altere os dados dele ou apague os opcionais.",
)
CUSTOMERS = Listing(
    customers,
    CUSTOMER_COLUMNS,
    scope=ROWS.scope,
    filters={
        "cpf": equals(_K.c.cpf),
        "email": func.lower(_K.c.email) == func.lower(bindparam("email", type_=_K.c.email.type)),
    },
    search=TextSearch(_K.c.search, indexed=True),
    orders=by_name(_K.c.name),
)
EXPORTED = ExportTable.of(
    "clientes", CustomerView, ("id", "created_at", "updated_at", "name", "email", "cpf", "phone", "environment")
)


@operation("customers.create", Permission.operate, idempotent=True, scope=Scope.charges)
async def create_customer(ctx: Context, order: CreateCustomer) -> CustomerView:
    """Save a payer for reuse."""
    async with ctx.database.transaction() as transaction:
        created = await ROWS.insert(ctx, transaction, order.model_dump(), "customer.created")
        await idempotency.complete(ctx, transaction, created)
    return created


@operation("customers.update", Permission.operate, scope=Scope.charges)
async def update_customer(ctx: Context, order: UpdateCustomer) -> CustomerView:
    """Change the sent fields of a customer; charges already issued keep the payer they were issued to."""
    return await ROWS.update(ctx, order.id, order.sent(), "customer.updated")


@operation("customers.delete", Permission.operate, scope=Scope.charges)
async def delete_customer(ctx: Context, which: WhichCustomer) -> Deleted:
    """Delete a customer; charges and subscriptions keep the payer's data and lose the reference."""
    return await DELETION.run(ctx, which.id, "customer.deleted")


@operation("customers.read", Permission.read)
async def read_customer(ctx: Context, which: WhichCustomer) -> CustomerView:
    """Read one customer."""
    return await ROWS.read(ctx, which.id)


@operation("customers.list", Permission.read)
async def list_customers(ctx: Context, params: ListCustomers) -> Page[CustomerView]:
    """List the customers of the store."""
    return await page_of(ctx, CUSTOMERS, params, CustomerView.adopt)


@operation("customers.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_customers(ctx: Context, params: ListCustomers) -> Export:
    """Export the customers of the store."""
    return await export_of(ctx, CUSTOMERS, params, EXPORTED, "customer.exported")

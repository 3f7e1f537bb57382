"""`GET /customers` as CSV."""

from gateway.models.api_keys import Scope
from gateway.resolvers.access import Permission
from gateway.resolvers.audit.trail import record
from gateway.resolvers.context import Context
from gateway.resolvers.customers.inputs import ListCustomers
from gateway.resolvers.customers.reading import CUSTOMERS
from gateway.resolvers.customers.views import CustomerView
from gateway.resolvers.listing.exports import Export, export_of
from gateway.resolvers.operation import operation

COLUMNS = ("id", "created_at", "updated_at", "name", "email", "cpf", "phone", "environment")


@operation("customers.export", Permission.finance, scope=Scope.read)
async def export_customers(ctx: Context, asked: ListCustomers) -> Export:
    """Export the customers of the store."""
    await record(ctx, ctx.database, "customer.exported", None)
    return export_of(ctx, CUSTOMERS, asked, CustomerView, "clientes", COLUMNS)

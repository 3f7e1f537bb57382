"""Reading customers: one, the list, and those that other rows refer to."""

from collections.abc import Sequence

from sqlalchemy import ARRAY, bindparam, func, select

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.customers import customers
from gateway.models.database import Statement
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.cursors import by_name
from gateway.resolvers.core.listing.definition import Listing, created, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import TextSearch
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.customers.commands import MISSING
from gateway.resolvers.customers.inputs import ListCustomers, WhichCustomer
from gateway.resolvers.customers.views import CUSTOMER_COLUMNS, CustomerView

_K = customers
_scope = (equals(_K.c.user_id), equals(_K.c.environment))
BY_ID = Statement(select(*CUSTOMER_COLUMNS).where(*_scope, _K.c.id == bindparam("id")))
BY_IDS = Statement(
    select(*CUSTOMER_COLUMNS).where(*_scope, _K.c.id == func.any(bindparam("ids", type_=ARRAY(_K.c.id.type))))
)
CUSTOMERS = Listing(
    customers,
    CUSTOMER_COLUMNS,
    scope=_scope,
    filters={
        **created(_K.c.created_at),
        "cpf": equals(_K.c.cpf),
        "email": func.lower(_K.c.email) == func.lower(bindparam("email", type_=_K.c.email.type)),
    },
    search=TextSearch(_K.c.search, indexed=True),
    orders=by_name(_K.c.name),
)


@operation("customers.read", Permission.read)
async def read_customer(ctx: Context, which: WhichCustomer) -> CustomerView:
    """Read one customer."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, environment=ctx.environment, id=which.id)
    if row is None:
        raise NotFound(MISSING)
    return CustomerView.of(row)


@operation("customers.list", Permission.read)
async def list_customers(ctx: Context, asked: ListCustomers) -> Page[CustomerView]:
    """List the customers of the store."""
    return await page_of(ctx, CUSTOMERS, asked, CustomerView.adopt)


async def customers_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, CustomerView]:
    """The store's customers among these ids."""
    rows = await ctx.database.all(BY_IDS, user_id=ctx.store_id, environment=ctx.environment, ids=list(ids))
    return {row["id"]: CustomerView.of(row) for row in rows}


EXPORTED = ("id", "created_at", "updated_at", "name", "email", "cpf", "phone", "environment")


@operation("customers.export", Permission.finance, scope=Scope.read)
async def export_customers(ctx: Context, asked: ListCustomers) -> Export:
    """Export the customers of the store."""
    await record(ctx, ctx.database, "customer.exported", None)
    return export_of(ctx, CUSTOMERS, asked, CustomerView, "clientes", EXPORTED)

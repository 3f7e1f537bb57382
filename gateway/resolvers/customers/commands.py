"""Saving, changing and deleting customers."""

from sqlalchemy import bindparam, insert

from gateway.models.api_keys import Scope
from gateway.models.charges import charges
from gateway.models.customers import customers
from gateway.models.database import Statement
from gateway.models.subscriptions import subscriptions
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.updates import Change
from gateway.resolvers.customers.inputs import CreateCustomer, UpdateCustomer, WhichCustomer
from gateway.resolvers.customers.views import CUSTOMER_COLUMNS, CustomerView
from gateway.values.ids import new_id

MISSING = "Cliente não encontrado."
_K = customers
_GIVEN = ("id", "user_id", "environment", "name", "email", "cpf", "phone")
_now = bindparam("now", type_=_K.c.created_at.type)
CREATE = Statement(
    insert(_K)
    .values({name: bindparam(name) for name in _GIVEN} | {"created_at": _now, "updated_at": _now})
    .returning(*CUSTOMER_COLUMNS)
)
CHANGE = Change(_K, CUSTOMER_COLUMNS, lambda _settings, row: CustomerView.of(row))
DELETION = Deletion(
    _K,
    charges.c.customer_id,
    subscriptions.c.customer_id,
    too_many="Há referências demais para excluir este cliente; em vez disso, altere os dados dele ou apague os opcionais.",
)


@operation("customers.create", Permission.operate, creates=True, scope=Scope.charges)
async def create_customer(ctx: Context, order: CreateCustomer) -> CustomerView:
    """Save a payer for reuse."""
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(
            CREATE,
            id=new_id(),
            user_id=ctx.store_id,
            environment=ctx.environment,
            name=order.name,
            email=order.email,
            cpf=order.cpf,
            phone=order.phone,
            now=ctx.clock.now(),
        )
        assert row is not None
        created = CustomerView.of(row)
        await record(ctx, transaction, "customer.created", created.id)
        await idempotency.conclude(ctx, transaction, created)
    return created


@operation("customers.update", Permission.operate, scope=Scope.charges)
async def update_customer(ctx: Context, order: UpdateCustomer) -> CustomerView:
    """Change the sent fields of a customer; charges already issued keep the payer they were issued to."""
    given = {name: value for name, value in order.sent().items() if name != "id"}
    return await CHANGE.run(ctx, order.id, given, "customer.updated", MISSING)


@operation("customers.delete", Permission.operate, scope=Scope.charges)
async def delete_customer(ctx: Context, which: WhichCustomer) -> Deleted:
    """Delete a customer; charges and subscriptions keep the payer's data and lose the reference."""
    return await DELETION.run(ctx, which.id, "customer.deleted", MISSING)

"""Saving, changing and deleting customers."""

from typing import Any

from sqlalchemy import Update, bindparam, insert, select, update

from gateway.errors import NotFound
from gateway.ids import new_id
from gateway.models.api_keys import Scope
from gateway.models.charges import charges
from gateway.models.customers import customers
from gateway.models.database import Shapes, Statement
from gateway.models.subscriptions import subscriptions
from gateway.resolvers import idempotency
from gateway.resolvers.access import Permission
from gateway.resolvers.audit.changes import differences
from gateway.resolvers.audit.trail import record
from gateway.resolvers.changing import refuse_empty
from gateway.resolvers.context import Context
from gateway.resolvers.customers.inputs import CreateCustomer, UpdateCustomer, WhichCustomer
from gateway.resolvers.customers.views import CUSTOMER_COLUMNS, CustomerView
from gateway.resolvers.deletion import Deleted, Deletion
from gateway.resolvers.operation import operation

MISSING = "Cliente não encontrado."
_K = customers
_GIVEN = ("id", "user_id", "environment", "name", "email", "cpf", "phone")
_now = bindparam("now", type_=_K.c.created_at.type)
_mine = (
    _K.c.user_id == bindparam("store_id"),
    _K.c.environment == bindparam("store_environment"),
    _K.c.id == bindparam("customer_id", type_=_K.c.id.type),
)
CREATE = Statement(
    insert(_K)
    .values({name: bindparam(name) for name in _GIVEN} | {"created_at": _now, "updated_at": _now})
    .returning(*CUSTOMER_COLUMNS)
)
LOCK = Statement(select(*CUSTOMER_COLUMNS).where(*_mine).with_for_update())


def _update(*fields: str) -> Update:
    given: dict[str, Any] = {name: bindparam(f"new_{name}", type_=_K.c[name].type) for name in fields}
    return update(_K).where(*_mine).values(given | {"updated_at": _now}).returning(*CUSTOMER_COLUMNS)


UPDATE = Shapes(_update)
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
    refuse_empty(given, ("name",))
    mine = {"store_id": ctx.store_id, "store_environment": ctx.environment, "customer_id": order.id}
    async with ctx.database.transaction() as transaction:
        before = await transaction.one(LOCK, **mine)
        if before is None:
            raise NotFound(MISSING)
        changed = {name: value for name, value in given.items() if value != before[name]}
        if not changed:
            return CustomerView.of(before)
        values = {f"new_{name}": value for name, value in changed.items()}
        after = await transaction.one(UPDATE.of(*sorted(changed)), **mine, **values, now=ctx.clock.now())
        await record(ctx, transaction, "customer.updated", order.id, changes=differences(before, changed))
    assert after is not None
    return CustomerView.of(after)


@operation("customers.delete", Permission.operate, scope=Scope.charges)
async def delete_customer(ctx: Context, which: WhichCustomer) -> Deleted:
    """Delete a customer; charges and subscriptions keep the payer's data and lose the reference."""
    return await DELETION.run(ctx, which.id, "customer.deleted", MISSING)

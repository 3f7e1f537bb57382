"""`novo_cliente`: the inline payer becomes a customer, or is found to be one already, by document."""

from sqlalchemy import Text, bindparam, func, select

from gateway.engines.port import Payer
from gateway.ids import Id, new_id
from gateway.models.customers import customers
from gateway.models.database import Statement, Transaction
from gateway.resolvers.audit.trail import record
from gateway.resolvers.context import Context
from gateway.resolvers.customers.commands import CREATE

_K = customers
LOCK = Statement(select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("name", type_=Text()), 0))))
BY_DOCUMENT = Statement(
    select(_K.c.id)
    .where(
        _K.c.user_id == bindparam("user_id"),
        _K.c.environment == bindparam("environment"),
        _K.c.cpf == bindparam("cpf"),
    )
    .order_by(_K.c.created_at, _K.c.id)
    .limit(1)
)


async def customer_of(ctx: Context, transaction: Transaction, payer: Payer) -> Id:
    """The id of the store's customer with the payer's document: the oldest, or a new one.

    Two customers may share a document, so no index keeps parallel orders from making two: a lock on the document does.
    """
    scope = {"user_id": ctx.store_id, "environment": ctx.environment}
    await transaction.run(LOCK, name=f"customer:{ctx.store_id}:{ctx.environment}:{payer.document}")
    known: Id | None = await transaction.value(BY_DOCUMENT, **scope, cpf=payer.document)
    if known is not None:
        return known
    customer_id = new_id()
    person = {"name": payer.name, "email": payer.email, "cpf": payer.document, "phone": payer.phone}
    await transaction.run(CREATE, id=customer_id, **scope, **person, now=ctx.clock.now())
    await record(ctx, transaction, "customer.created", customer_id)
    return customer_id

"""The validated parameters of a new charge, and where they come from: payer, customer and expiry."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import bindparam, select

from gateway.errors import InvalidExpiry, InvalidInput
from gateway.integrations.engines.interface import Account, NewCharge, Payer
from gateway.models.customers import customers
from gateway.models.database import Statement, Transaction
from gateway.resolvers.charges.inputs import PAST_DUE, PayerFields, is_over
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import missing_fields
from gateway.resolvers.customers.operations import ROWS as CUSTOMERS
from gateway.values.ids import Id

DEFAULT_LIFETIME = timedelta(hours=24)

_K = customers
CUSTOMER_OF_DOCUMENT = Statement(
    select(_K.c.id).where(*CUSTOMERS.scope, _K.c.cpf == bindparam("cpf")).order_by(_K.c.created_at, _K.c.id).limit(1)
)


class ChargeParams(Struct, frozen=True):
    """A new charge that has passed all validation. Amounts in centavos."""

    store_id: str
    environment: str
    store_name: str
    description: str
    amount: int
    original_amount: int
    expires_at: datetime
    payer: Payer
    customer_id: str | None = None
    discount_amount: int = 0
    fee_amount: int = 0
    product_id: str | None = None
    coupon_id: str | None = None
    coupon_code: str | None = None
    subscription_id: str | None = None
    billing_cycle: datetime | None = None
    """The due date of the subscription; None for a charge that the billing job does not create."""
    payment_link_id: str | None = None
    external_reference: str | None = None
    link_reference: str | None = None
    metadata: dict[str, str] | None = None
    success_url: str | None = None
    cancel_url: str | None = None
    due_date: datetime | None = None
    order_key: str | None = None
    """Equal for a payer's repeated order; None if every order is a new one."""
    receiving_account_id: str | None = None
    """The merchant's account at the engine; None is the service's main account."""
    account: Account | None = None
    """The same account, as the engine interface takes it."""
    creates_customer: bool = False
    """Whether the payer is found or created as a customer in the transaction of the issuance."""

    @property
    def has_no_dependencies(self) -> bool:
        """Whether no other order can conflict with this one, so that a single statement reserves it."""
        return not (
            self.external_reference
            or self.coupon_id
            or self.payment_link_id
            or self.subscription_id
            or self.order_key
            or self.creates_customer
        )

    def engine_request(self, charge_id: Id, txid: str) -> NewCharge:
        """The charge as the engine interface takes it."""
        return NewCharge(
            charge_id,
            txid,
            self.amount,
            self.description,
            self.payer,
            self.expires_at,
            self.store_name,
            self.fee_amount,
            self.account,
            self.due_date,
        )


async def payer_of(ctx: Context, fields: PayerFields) -> Payer:
    """The payer of a charge: the saved customer, overridden by the inline fields. Raises `NotFound` for an unknown
    customer. The payer may be incomplete (`missing_payer_fields`).
    """
    name, email = fields.customer_name, fields.customer_email
    document, phone = fields.customer_cpf, fields.customer_phone
    if fields.customer_id is not None:
        saved = await CUSTOMERS.read(ctx, fields.customer_id)
        name, email = name or saved.name, email or saved.email
        document, phone = document or saved.cpf, phone or saved.phone
    return Payer(name or "", email, document, phone)


def missing_payer_fields(payer: Payer) -> list[str]:
    """The input fields that Pix requires of a payer and that are empty."""
    needed = {"customer_name": payer.name, "customer_email": payer.email, "customer_cpf": payer.document}
    return [name for name, value in needed.items() if not value]


def require_fields(missing: list[str]) -> None:
    """Raise `InvalidInput` with all missing fields."""
    if missing:
        raise InvalidInput(*missing_fields(missing))


async def find_or_create_customer(ctx: Context, transaction: Transaction, payer: Payer) -> Id:
    """`novo_cliente`: the id of the store's oldest customer with the payer's document, or of a new one.

    Customers may share a document, so no unique index can prevent a double insert: a lock on the document does.
    """
    await transaction.lock(f"customer:{ctx.store_id}:{ctx.environment}:{payer.document}")
    known: Id | None = await transaction.value(CUSTOMER_OF_DOCUMENT, **ctx.scope, cpf=payer.document)
    if known is not None:
        return known
    person = {"name": payer.name, "email": payer.email, "cpf": payer.document, "phone": payer.phone}
    return (await CUSTOMERS.insert(ctx, transaction, person, "customer.created")).id


def expiry_of(ctx: Context, requested: datetime | None, missing: Sequence[str] = ()) -> datetime:
    """When a new charge expires. Raises `InvalidExpiry`, together with the `missing` fields."""
    now = ctx.clock.now()
    if requested is None:
        return now + DEFAULT_LIFETIME
    if is_over(requested, now):
        raise InvalidExpiry(others=missing_fields(missing))
    return requested


def reject_past_due(ctx: Context, due_date: datetime | None, missing: Sequence[str] = ()) -> None:
    """Raise `InvalidInput` for a due date in the past, together with the `missing` fields."""
    if due_date is not None and is_over(due_date, ctx.clock.now()):
        raise InvalidInput(("due_date", PAST_DUE), *missing_fields(missing))

"""Pix charges, and the issuances that become them.

A charge exists only with a verified BR Code, so no reader sees an incomplete one. A charge that was requested from an
engine, with no known outcome yet, is an `Issuance`.
"""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Boolean, SmallInteger
from sqlmodel import SQLModel

from gateway.models.base import (
    column,
    json_object,
    money_column,
    search_column,
    table_of,
    text_column,
    timestamp_column,
    uuid_column,
)


class ChargeStatus(StrEnum):
    """The states of a Pix charge (specification section 3, contract section 4)."""

    pending = "pending"
    paid = "paid"
    expired = "expired"
    canceled = "canceled"
    refunded = "refunded"


class Charge(SQLModel, table=True):
    """A Pix charge. Amounts are centavos; documents are digits (or an alphanumeric CNPJ).

    `billing_cycle`: the due time of the subscription's cycle, for charges of the billing job. It is unique in a
    subscription. `receiving_account_id`: the merchant's account, or null for the service's main account. `held_at`:
    since when the bank holds its payment back. `refunded_amount`: what went back to the payer; at the whole amount, at
    `refunded_at`, the status is refunded.
    """

    __tablename__ = "charges"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    txid: str = text_column()
    status: str = text_column()
    description: str | None = text_column(optional=True)
    amount: int = money_column()
    original_amount: int = money_column()
    discount_amount: int = money_column(default="0")
    fee_amount: int = money_column(default="0")
    customer_id: str | None = uuid_column(optional=True)
    customer_name: str | None = text_column(optional=True)
    customer_email: str | None = text_column(optional=True)
    customer_cpf: str | None = text_column(optional=True)
    customer_phone: str | None = text_column(optional=True)
    product_id: str | None = uuid_column(optional=True)
    coupon_id: str | None = uuid_column(optional=True)
    coupon_code: str | None = text_column(optional=True)
    subscription_id: str | None = uuid_column(optional=True)
    billing_cycle: datetime | None = timestamp_column(optional=True)
    payment_link_id: str | None = uuid_column(optional=True)
    external_reference: str | None = text_column(optional=True)
    link_reference: str | None = text_column(optional=True)
    metadata_: dict[str, str] = json_object("metadata")
    success_url: str | None = text_column(optional=True)
    cancel_url: str | None = text_column(optional=True)
    expires_at: datetime = timestamp_column()
    due_date: datetime | None = timestamp_column(optional=True)
    pix_code: str = text_column()
    engine: str = text_column()
    engine_id: str = text_column()
    receiving_account_id: str | None = uuid_column(optional=True)
    end_to_end_id: str | None = text_column(optional=True)
    held_at: datetime | None = timestamp_column(optional=True)
    paid_at: datetime | None = timestamp_column(optional=True)
    refunded_at: datetime | None = timestamp_column(optional=True)
    refunded_amount: int = money_column(default="0")
    paid_late: bool = column(Boolean, default="false")
    store_name: str | None = text_column(optional=True)
    store_document: str | None = text_column(optional=True)
    search: str = search_column(
        *("customer_name", "customer_email", "description", "external_reference", "txid", "end_to_end_id", "id::text"),
        *("customer_cpf", "customer_phone"),
    )
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


class Issuance(SQLModel, table=True):
    """A charge that was requested from an engine. Its row is deleted when the outcome is known. Until then the engine
    may have a charge with this id as its external reference, or with this txid, and a job looks it up.

    One with a `billing_cycle` is the billing job's own, which claims a cycle by it and finishes it after a crash
    (gateway.resolvers.subscriptions.recover_cycles); `attempts` fences a runner from whom it was taken over.

    It holds a use of its coupon and of its payment link. `order_key` distinguishes a payer's repeated order at a
    link from a second one (gateway.resolvers.checkout.place_order): no two with the same key are issued at a time.

    The store is no foreign key: it would lock the store's row for each.
    """

    __tablename__ = "issuances"

    charge_id: str = uuid_column(primary=True)
    txid: str = text_column()
    user_id: str = uuid_column()
    environment: str = text_column()
    engine: str = text_column()
    amount: int = money_column()
    external_reference: str | None = text_column(optional=True)
    coupon_id: str | None = uuid_column(optional=True)
    payment_link_id: str | None = uuid_column(optional=True)
    customer_cpf: str | None = text_column(optional=True)
    order_key: str | None = text_column(optional=True)
    subscription_id: str | None = uuid_column(optional=True)
    billing_cycle: datetime | None = timestamp_column(optional=True)
    receiving_account_id: str | None = uuid_column(optional=True)
    fee_amount: int = money_column(default="0")
    attempts: int = column(SmallInteger, default="0")
    next_attempt_at: datetime = timestamp_column()
    created_at: datetime = timestamp_column()


charges = table_of(Charge)
issuances = table_of(Issuance)

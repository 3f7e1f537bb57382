"""Pix charges, and the issuances that become them.

A charge exists only with a verified BR Code, so no reader sees an incomplete one. A charge that was requested from an
engine, with no known outcome yet, is an `Issuance`.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Column, Index, SmallInteger, func
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import (
    Environment,
    json_object,
    money_column,
    not_negative,
    one_of,
    search_column,
    search_index,
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


PAID_AT_SORT_KEY = func.coalesce(
    sql("paid_at"), sql("timezone('UTC', timezone('UTC', created_at) - '720000 days'::interval)")
)
"""The sort key of `paid_at` in lists: unpaid charges come first, in the order of their creation."""
_FILTERED = ("status", "amount", "created_at", "paid_at", "expires_at", "held_at")
_FILTERED_IDS = ("customer_id", "product_id", "coupon_id", "payment_link_id")
"""The filter columns of lists. The index of each sort order includes them, for index-only scans."""


def _order_index(name: str, position: Any, *more: str) -> Index:
    included = [column for column in (*_FILTERED, *_FILTERED_IDS, *more) if column != position]
    return Index(*(f"ix_charges_{name}", "user_id", "environment", position, "id"), postgresql_include=included)


class Charge(SQLModel, table=True):
    """A Pix charge. Amounts are centavos; documents are digits (or an alphanumeric CNPJ).

    `billing_cycle`: the due time of the subscription's cycle, for charges of the billing job. It is unique in a
    subscription. `receiving_account_id`: the merchant's account, or null for the service's main account. `held_at`:
    since when the bank holds its payment back. `refunded_amount`: what went back to the payer; at the whole amount, at
    `refunded_at`, the status is refunded.
    """

    __tablename__ = "charges"
    __table_args__ = (
        one_of("environment", Environment),
        one_of("status", ChargeStatus),
        CheckConstraint("amount > 0", name="amount"),
        not_negative("discount_amount"),
        not_negative("fee_amount"),
        CheckConstraint("(status in ('paid', 'refunded')) = (paid_at is not null)", name="paid_at"),
        CheckConstraint("(status = 'refunded') = (refunded_at is not null)", name="refunded_at"),
        CheckConstraint("refunded_amount = 0 or status in ('paid', 'refunded')", name="refunded_amount"),
        CheckConstraint("(status = 'refunded') = (refunded_amount = amount)", name="refunded_whole"),
        CheckConstraint("paid_at >= created_at", name="paid_after_created"),
        CheckConstraint("held_at is null or status in ('pending', 'expired')", name="held_at"),
        _order_index("created_at", "created_at"),
        _order_index("updated_at", "updated_at"),
        _order_index("expires_at", "expires_at"),
        # With what is summed over a period.
        _order_index("paid_at", PAID_AT_SORT_KEY, "fee_amount", "paid_late", "refunded_amount"),
        _order_index("amount", "amount"),
        Index("ix_charges_expiry", "expires_at", postgresql_where=sql("status = 'pending'")),
        Index(
            *("ix_charges_status", "user_id", "environment", "status", "created_at", "id"),
            postgresql_include=["amount", "paid_at", "expires_at", "held_at"],
        ),
        Index(
            *("ix_charges_refunded_at", "user_id", "environment", "refunded_at", "id"),
            postgresql_where=sql("refunded_at is not null"),
        ),
        Index(*("ix_charges_refunded", "user_id", "environment", "id"), postgresql_where=sql("refunded_amount > 0")),
        Index(
            *("ix_charges_paid_late", "user_id", "environment", "created_at", "id"), postgresql_where=sql("paid_late")
        ),
        Index(
            "ix_charges_reference",
            "user_id",
            "environment",
            "external_reference",
            postgresql_where=sql("external_reference is not null"),
        ),
        Index("ix_charges_end_to_end_id", "end_to_end_id", postgresql_where=sql("end_to_end_id is not null")),
        Index("ix_charges_engine", "engine_id"),
        Index("ix_charges_coupon", "coupon_id", "customer_cpf", postgresql_where=sql("coupon_id is not null")),
        Index(
            "ix_charges_payment_link",
            "payment_link_id",
            "customer_cpf",
            "created_at",
            postgresql_where=sql("payment_link_id is not null"),
        ),
        *(
            Index(
                *(f"ix_charges_of_{name.removesuffix('_id')}", "user_id", "environment", name, "created_at", "id"),
                postgresql_include=[
                    *(column for column in _FILTERED if column != "created_at"),
                    *(["discount_amount"] if name == "coupon_id" else []),
                ],
                postgresql_where=sql(f"{name} is not null"),
            )
            for name in _FILTERED_IDS
        ),
        Index(
            "ix_charges_subscription",
            "subscription_id",
            "created_at",
            "id",
            postgresql_where=sql("subscription_id is not null"),
        ),
        search_index("charges"),
        Index("uq_charges_txid", "txid", unique=True),
        Index(
            "uq_charges_external_reference",
            "user_id",
            "environment",
            "external_reference",
            unique=True,
            postgresql_where=sql("external_reference is not null and status = 'pending'"),
        ),
        Index(
            "uq_charges_billing_cycle",
            "subscription_id",
            "billing_cycle",
            unique=True,
            postgresql_where=sql("subscription_id is not null and billing_cycle is not null"),
        ),
    )

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
    paid_late: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="false"))
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
    __table_args__ = (
        one_of("environment", Environment),
        Index(
            "uq_issuances_external_reference",
            "user_id",
            "environment",
            "external_reference",
            unique=True,
            postgresql_where=sql("external_reference is not null"),
        ),
        Index("ix_issuances_next_attempt_at", "next_attempt_at"),
        Index("ix_issuances_coupon", "coupon_id", postgresql_where=sql("coupon_id is not null")),
        Index("ix_issuances_payment_link", "payment_link_id", postgresql_where=sql("payment_link_id is not null")),
        Index("uq_issuances_order_key", "order_key", unique=True, postgresql_where=sql("order_key is not null")),
        Index(
            "uq_issuances_billing_cycle",
            "subscription_id",
            "billing_cycle",
            unique=True,
            postgresql_where=sql("subscription_id is not null"),
        ),
    )

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
    attempts: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    next_attempt_at: datetime = timestamp_column()
    created_at: datetime = timestamp_column()


charges = table_of(Charge)
issuances = table_of(Issuance)

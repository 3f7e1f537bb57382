"""Repayments: what the service's staff pays to a merchant by hand, in single-account mode
(specification section 1, rule 6).
"""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Integer
from sqlmodel import SQLModel

from gateway.models.base import column, money_column, table_of, text_column, timestamp_column, uuid_column


class RepaymentStatus(StrEnum):
    """State of a repayment."""

    recorded = "recorded"
    """Its charges are fixed; the money has not been sent yet."""
    done = "done"
    discarded = "discarded"
    """It was a mistake; its charges may go into another repayment."""


class Repayment(SQLModel, table=True):
    """A store's paid charges of a period, repaid together. Amounts in centavos: `gross` is what the payers paid, less
    their refunds, `fee` the service's fee, `deducted` what the store had received for what was refunded later,
    `deducted_gross` what their payers had paid, `net` what the merchant gets. A discarded repayment keeps its amounts.
    """

    __tablename__ = "repayments"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    status: str = text_column(default=RepaymentStatus.recorded)
    paid_from: datetime = timestamp_column()
    paid_to: datetime = timestamp_column()
    gross: int = money_column()
    fee: int = money_column()
    deducted: int = money_column(default="0")
    deducted_gross: int = money_column(default="0")
    net: int = money_column()
    charges_count: int = column(Integer)
    deducted_count: int = column(Integer, default="0")
    end_to_end_id: str | None = text_column(optional=True)
    recorded_by: str = uuid_column()
    created_at: datetime = timestamp_column()
    concluded_by: str | None = uuid_column(optional=True)
    concluded_at: datetime | None = timestamp_column(optional=True)


class RepaidCharge(SQLModel, table=True):
    """A charge of a repayment, with the service's fee. The primary key prevents a second repayment of a charge."""

    __tablename__ = "repaid_charges"

    charge_id: str = uuid_column(primary=True)
    repayment_id: str = uuid_column(references="repayments.id")
    amount: int = money_column()
    fee: int = money_column()


class DeductedCharge(SQLModel, table=True):
    """What was refunded of a charge after its repayment was done, and the later repayment that deducts it. The fee is
    what the service gives back.
    """

    __tablename__ = "deducted_charges"

    charge_id: str = uuid_column(primary=True)
    repayment_id: str = uuid_column(primary=True, references="repayments.id")
    amount: int = money_column()
    fee: int = money_column()


deducted_charges = table_of(DeductedCharge)
repaid_charges = table_of(RepaidCharge)
repayments = table_of(Repayment)

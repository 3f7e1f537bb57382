"""Merchants' receiving accounts: in the mode `subconta`, each store has one at the engine of each environment."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Boolean, CheckConstraint, Column, Index, SmallInteger, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import (
    Environment,
    encrypted,
    money_column,
    not_negative,
    one_of,
    table_of,
    text_column,
    timestamp_column,
    uuid_column,
)
from gateway.models.engines import Track


class AccountState(StrEnum):
    """Whether an account can be used."""

    opening = "opening"
    """The request to the engine is running, or its outcome is unknown."""
    open = "open"
    lost = "lost"
    """It exists, but its key was lost in transit. Engines return it only once, so staff must act."""


class CompanyType(StrEnum):
    """Type of the company that receives (specification section 4, `POST /receiving-account`)."""

    mei = "MEI"
    limited = "LIMITED"
    individual = "INDIVIDUAL"
    association = "ASSOCIATION"


class ReceivingAccount(SQLModel, table=True):
    """A store's account at the engine that serves an environment, with the company data registered there.

    `secret` is the account's API key. The approval is as of `checked_at`; before the first check its tracks are null.
    `created_at` is when the account was opened, or while `opening` when the request began. Maintenance checks the
    account at `next_attempt_at`; `attempts` counts failed checks.
    """

    __tablename__ = "receiving_accounts"
    __table_args__ = (
        one_of("environment", Environment),
        one_of("state", AccountState),
        one_of("company_type", CompanyType),
        one_of("general", Track),
        one_of("commercial", Track),
        one_of("bank", Track),
        one_of("documents", Track),
        not_negative("monthly_revenue"),
        CheckConstraint("(state = 'open') = (secret is not null)", name="secret"),
        CheckConstraint("state = 'opening' or account_id is not null", name="account_id"),
        CheckConstraint("(checked_at is null) = (general is null)", name="checked_at"),
        UniqueConstraint("user_id", "environment", "engine", name="uq_receiving_accounts_user_id"),
        Index(
            "uq_receiving_accounts_account_id",
            "account_id",
            "environment",
            "engine",
            unique=True,
            postgresql_where=sql("state = 'open'"),
        ),
        Index("ix_receiving_accounts_next_attempt_at", "next_attempt_at"),
    )

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    engine: str = text_column()
    state: str = text_column()
    attempts: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    account_id: str | None = text_column(optional=True)
    wallet_id: str | None = text_column(optional=True)
    secret: bytes | None = encrypted(optional=True)
    company_name: str = text_column()
    email: str = text_column()
    cnpj: str = text_column()
    phone: str = text_column()
    monthly_revenue: int = money_column()
    address: str = text_column()
    address_number: str = text_column()
    complement: str | None = text_column(optional=True)
    province: str = text_column()
    postal_code: str = text_column()
    company_type: str | None = text_column(optional=True)
    site: str | None = text_column(optional=True)
    webhook_registered: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="false"))
    general: str | None = text_column(optional=True)
    commercial: str | None = text_column(optional=True)
    bank: str | None = text_column(optional=True)
    documents: str | None = text_column(optional=True)
    documents_link: str | None = text_column(optional=True)
    rejection: str | None = text_column(optional=True)
    checked_at: datetime | None = timestamp_column(optional=True)
    next_attempt_at: datetime = timestamp_column()
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


receiving_accounts = table_of(ReceivingAccount)

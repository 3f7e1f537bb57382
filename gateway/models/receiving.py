"""Merchants' receiving accounts: in the mode `subconta`, each store has one at the engine of each environment."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Boolean, CheckConstraint, Column, Index, SmallInteger, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import Environment, centavos, identifier, moment, not_negative, one_of, sealed, table_of, text
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
    account at `next_check_at`; `attempts` counts failed checks.
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
        Index("ix_receiving_accounts_next_check_at", "next_check_at"),
    )

    id: str = identifier(primary=True)
    user_id: str = identifier(references="users.id")
    environment: str = text()
    engine: str = text()
    state: str = text()
    attempts: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    account_id: str | None = text(optional=True)
    wallet_id: str | None = text(optional=True)
    secret: bytes | None = sealed(optional=True)
    company_name: str = text()
    email: str = text()
    cnpj: str = text()
    phone: str = text()
    monthly_revenue: int = centavos()
    address: str = text()
    address_number: str = text()
    complement: str | None = text(optional=True)
    province: str = text()
    postal_code: str = text()
    company_type: str | None = text(optional=True)
    site: str | None = text(optional=True)
    webhook_registered: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="false"))
    general: str | None = text(optional=True)
    commercial: str | None = text(optional=True)
    bank: str | None = text(optional=True)
    documents: str | None = text(optional=True)
    documents_link: str | None = text(optional=True)
    rejection: str | None = text(optional=True)
    checked_at: datetime | None = moment(optional=True)
    next_check_at: datetime = moment()
    created_at: datetime = moment()
    updated_at: datetime = moment()


receiving_accounts = table_of(ReceivingAccount)

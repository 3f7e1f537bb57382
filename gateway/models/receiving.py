"""Merchants' receiving accounts: in the mode `subconta`, each store has one at the engine of each environment."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Boolean, SmallInteger
from sqlmodel import SQLModel

from gateway.models.base import column, encrypted, money_column, table_of, text_column, timestamp_column, uuid_column


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

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    engine: str = text_column()
    state: str = text_column()
    attempts: int = column(SmallInteger, default="0")
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
    webhook_registered: bool = column(Boolean, default="false")
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

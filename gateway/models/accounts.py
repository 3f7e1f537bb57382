"""Accounts of merchants. Each is also a store: the store's id is the owner's user id."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, Column, Index, Integer, Interval, LargeBinary, UniqueConstraint, func
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import identifier, json_object, moment, one_of, table_of, text


class ProductionStatus(StrEnum):
    """The status of the production review (contract section 3)."""

    sandbox = "sandbox"
    pending = "pending"
    approved = "approved"
    rejected = "rejected"
    suspended = "suspended"


class IdentityProvider(StrEnum):
    """The provider of an external identity."""

    google = "google"


class User(SQLModel, table=True):
    """An account. A higher `session_version` revokes older tokens. `email_verified_at`: when a mailed code or Google
    first verified the e-mail.

    `production_terms_url`: the accepted terms; null if the service had no address for them.

    `test_clock_offset` and `test_clock_frozen_time` are copied by a trigger from the store's row in `test_clocks`,
    because each request reads this row.
    """

    __tablename__ = "users"
    __table_args__ = (
        one_of("production_status", ProductionStatus),
        Index("uq_users_email", func.lower(sql("email")), unique=True),
        Index(
            "ix_users_pending",
            "production_requested_at",
            "id",
            postgresql_where=sql("production_status = 'pending'"),
        ),
    )

    id: str = identifier(primary=True)
    name: str = text()
    email: str = text()
    email_verified_at: datetime | None = moment(optional=True)
    password_hash: str | None = text(optional=True)
    session_version: int = Field(sa_column=Column(Integer, nullable=False, server_default="1"))
    company: str | None = text(optional=True)
    cnpj: str | None = text(optional=True)
    cpf: str | None = text(optional=True)
    phone: str | None = text(optional=True)
    address: str | None = text(optional=True)
    address_number: str | None = text(optional=True)
    complement: str | None = text(optional=True)
    province: str | None = text(optional=True)
    postal_code: str | None = text(optional=True)
    company_type: str | None = text(optional=True)
    notify_payment_email: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="true"))
    receipt_email: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="true"))
    is_admin: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="false"))
    production_status: str = text(default=ProductionStatus.sandbox)
    production_requested_at: datetime | None = moment(optional=True)
    production_reviewed_at: datetime | None = moment(optional=True)
    production_reject_reason: str | None = text(optional=True)
    production_terms_accepted_at: datetime | None = moment(optional=True)
    production_terms_url: str | None = text(optional=True)
    onboarding_completed_at: datetime | None = moment(optional=True)
    test_clock_offset: timedelta | None = Field(default=None, sa_column=Column(Interval, nullable=True))
    test_clock_frozen_time: datetime | None = moment(optional=True)
    created_at: datetime = moment()
    updated_at: datetime = moment()


class ExternalIdentity(SQLModel, table=True):
    """An account's identity at an external provider. `provider_uid` is the provider's own id, which never changes its
    person, as an e-mail may. `email` is the one at the time of the link.
    """

    __tablename__ = "external_identities"
    __table_args__ = (
        one_of("provider", IdentityProvider),
        UniqueConstraint("user_id", "provider", name="uq_external_identities_user_id"),
    )

    provider: str = text(primary=True)
    provider_uid: str = text(primary=True)
    user_id: str = identifier(references="users.id")
    email: str = text()
    created_at: datetime = moment()


class PasswordReset(SQLModel, table=True):
    """A request for a new password, until it is used or expires. The mailed token is stored as its SHA-256. An account
    may have several requests, all of them valid.
    """

    __tablename__ = "password_resets"
    __table_args__ = (Index("ix_password_resets_user_id", "user_id"),)

    token_hash: bytes = Field(sa_column=Column(LargeBinary, primary_key=True))
    user_id: str = identifier(references="users.id")
    created_at: datetime = moment()
    expires_at: datetime = moment()


class OnboardingAnswers(SQLModel, table=True):
    """An account's onboarding answers; amounts are in centavos."""

    __tablename__ = "onboarding_answers"

    user_id: str = identifier(primary=True, references="users.id")
    answers: dict[str, Any] = json_object("answers")
    created_at: datetime = moment()
    updated_at: datetime = moment()


users = table_of(User)
external_identities = table_of(ExternalIdentity)
password_resets = table_of(PasswordReset)
onboarding_answers = table_of(OnboardingAnswers)

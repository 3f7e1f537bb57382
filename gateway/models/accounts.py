"""Merchants, who are also their stores: the id of a store is the user id of its holder."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, Column, Index, Integer, Interval, LargeBinary, UniqueConstraint, func
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import identifier, json_object, moment, one_of, table_of, text


class ProductionStatus(StrEnum):
    """Where a merchant stands with live operation (contract section 3)."""

    sandbox = "sandbox"
    pending = "pending"
    approved = "approved"
    rejected = "rejected"
    suspended = "suspended"


class IdentityProvider(StrEnum):
    """Who vouches for an external identity."""

    google = "google"


class User(SQLModel, table=True):
    """An account. `session_version` goes up when older sessions must end. `email_proven_at`: when somebody first showed
    that the mail of its address is theirs, by a code that was mailed there or through Google.

    `production_terms_url`: which terms were accepted; null where the service had no address for them.

    `test_clock_offset` and `test_clock_frozen_time` copy the store's row in `test_clocks`, by a trigger: every request
    reads the owner's row anyway.
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
    email_proven_at: datetime | None = moment(optional=True)
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
    """Who somebody is at an external provider: `provider_uid` is the provider's own id of them, which never becomes
    somebody else's as an address may. `email` is the address by which the link was made, kept as a record.
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
    """Somebody's wish to choose a new password without the old one, open until it is used or over. Of the
    token that travels in the mail only the SHA-256 is kept. An account may have several: who asks again may
    use the mail that came first.
    """

    __tablename__ = "password_resets"
    __table_args__ = (Index("ix_password_resets_user_id", "user_id"),)

    token_hash: bytes = Field(sa_column=Column(LargeBinary, primary_key=True))
    user_id: str = identifier(references="users.id")
    created_at: datetime = moment()
    expires_at: datetime = moment()


class OnboardingAnswers(SQLModel, table=True):
    """What an account answered to the assistant of its first access; amounts in it are centavos."""

    __tablename__ = "onboarding_answers"

    user_id: str = identifier(primary=True, references="users.id")
    answers: dict[str, Any] = json_object("answers")
    created_at: datetime = moment()
    updated_at: datetime = moment()


users = table_of(User)
external_identities = table_of(ExternalIdentity)
password_resets = table_of(PasswordReset)
onboarding_answers = table_of(OnboardingAnswers)

"""Accounts of merchants. Each is also a store: the store's id is the owner's user id."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, Integer, Interval, LargeBinary
from sqlmodel import SQLModel

from gateway.models.base import column, json_object, table_of, text_column, timestamp_column, uuid_column
from gateway.values.clock import SAO_PAULO


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
    first verified the email.

    `production_terms_url`: the accepted terms; null if the service had no address for them.

    `test_clock_offset` and `test_clock_frozen_time` are copied by a trigger from the store's row in `test_clocks`,
    because each request reads this row.
    """

    __tablename__ = "users"

    id: str = uuid_column(primary=True)
    name: str = text_column()
    email: str = text_column()
    email_verified_at: datetime | None = timestamp_column(optional=True)
    password_hash: str | None = text_column(optional=True)
    session_version: int = column(Integer, default="1")
    company: str | None = text_column(optional=True)
    cnpj: str | None = text_column(optional=True)
    cpf: str | None = text_column(optional=True)
    phone: str | None = text_column(optional=True)
    address: str | None = text_column(optional=True)
    address_number: str | None = text_column(optional=True)
    complement: str | None = text_column(optional=True)
    province: str | None = text_column(optional=True)
    postal_code: str | None = text_column(optional=True)
    company_type: str | None = text_column(optional=True)
    notify_payment_email: bool = column(Boolean, default="true")
    receipt_email: bool = column(Boolean, default="true")
    time_zone: str = text_column(default=SAO_PAULO.key)
    is_admin: bool = column(Boolean, default="false")
    production_status: str = text_column(default=ProductionStatus.sandbox)
    production_requested_at: datetime | None = timestamp_column(optional=True)
    production_reviewed_at: datetime | None = timestamp_column(optional=True)
    production_reject_reason: str | None = text_column(optional=True)
    production_terms_accepted_at: datetime | None = timestamp_column(optional=True)
    production_terms_url: str | None = text_column(optional=True)
    onboarding_completed_at: datetime | None = timestamp_column(optional=True)
    test_clock_offset: timedelta | None = column(Interval, optional=True)
    test_clock_frozen_time: datetime | None = timestamp_column(optional=True)
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


class ExternalIdentity(SQLModel, table=True):
    """An account's identity at an external provider. `provider_uid` is the provider's own id, which never changes its
    person, as an email may. `email` is the one at the time of the link.
    """

    __tablename__ = "external_identities"

    provider: str = text_column(primary=True)
    provider_uid: str = text_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    email: str = text_column()
    created_at: datetime = timestamp_column()


class PasswordReset(SQLModel, table=True):
    """A request for a new password, until it is used or expires. The mailed token is stored as its SHA-256. An account
    may have several requests, all of them valid.
    """

    __tablename__ = "password_resets"

    token_hash: bytes = column(LargeBinary, primary=True)
    user_id: str = uuid_column(references="users.id")
    created_at: datetime = timestamp_column()
    expires_at: datetime = timestamp_column()


class OnboardingAnswers(SQLModel, table=True):
    """An account's onboarding answers; amounts are in centavos."""

    __tablename__ = "onboarding_answers"

    user_id: str = uuid_column(primary=True, references="users.id")
    answers: dict[str, Any] = json_object("answers")
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


users = table_of(User)
external_identities = table_of(ExternalIdentity)
password_resets = table_of(PasswordReset)
onboarding_answers = table_of(OnboardingAnswers)

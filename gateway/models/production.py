"""The production review: documents, changes of the status, and orphaned objects in storage."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Column, Index, Integer, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from gateway.models.accounts import ProductionStatus
from gateway.models.base import encrypted, one_of, table_of, text_column, timestamp_column, uuid_column


class DocumentType(StrEnum):
    """The documents that the review needs (contract section 3)."""

    company_registration = "company_registration"
    responsible_document = "responsible_document"
    proof_of_address = "proof_of_address"


class FileType(StrEnum):
    """The accepted types of files, recognized by content."""

    pdf = "application/pdf"
    jpeg = "image/jpeg"
    png = "image/png"


class ProductionDocument(SQLModel, table=True):
    """One document of a merchant; a newer one replaces it. The file is in object storage under `object_key`, encrypted
    with `file_key` (hexadecimal), which is encrypted itself.
    """

    __tablename__ = "production_documents"
    __table_args__ = (
        one_of("type", DocumentType),
        one_of("content_type", FileType),
        CheckConstraint("size > 0", name="size"),
        UniqueConstraint("user_id", "type", name="uq_production_documents_user_id"),
    )

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    type: str = text_column()
    file_name: str = text_column()
    content_type: str = text_column()
    size: int = Field(sa_column=Column(Integer, nullable=False))
    sha256: str = text_column()
    object_key: str = text_column()
    file_key: bytes = encrypted()
    uploaded_at: datetime = timestamp_column()


class ProductionStatusChange(SQLModel, table=True):
    """One change of a store's `production_status`. `submitted`: a request's company data, and the `sha256` of each
    document by type.
    """

    __tablename__ = "production_status_changes"
    __table_args__ = (
        one_of("from_status", ProductionStatus),
        one_of("to_status", ProductionStatus),
        Index("ix_production_status_changes_user_id", "user_id", "created_at", "id"),
    )

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    from_status: str = text_column()
    to_status: str = text_column()
    reason: str | None = text_column(optional=True)
    submitted: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB(none_as_null=True), nullable=True))
    actor_id: str = uuid_column()
    actor_name: str = text_column()
    created_at: datetime = timestamp_column()


class OrphanedObject(SQLModel, table=True):
    """An object in storage without a document: one that is being uploaded, or that is to be deleted.

    The row is inserted before the object is written, so that a crash leaves no unknown object.
    """

    __tablename__ = "orphaned_objects"
    __table_args__ = (Index("ix_orphaned_objects_delete_after", "delete_after"),)

    object_key: str = text_column(primary=True)
    writing: bool = Field(sa_column=Column(Boolean, nullable=False))
    delete_after: datetime = timestamp_column()


production_documents = table_of(ProductionDocument)
production_status_changes = table_of(ProductionStatusChange)
orphaned_objects = table_of(OrphanedObject)

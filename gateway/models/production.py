"""The production review: documents, changes of the status, and orphaned objects in storage."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, Integer
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import SQLModel

from gateway.models.base import column, encrypted, table_of, text_column, timestamp_column, uuid_column


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

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    type: str = text_column()
    file_name: str = text_column()
    content_type: str = text_column()
    size: int = column(Integer)
    sha256: str = text_column()
    object_key: str = text_column()
    file_key: bytes = encrypted()
    uploaded_at: datetime = timestamp_column()


class ProductionStatusChange(SQLModel, table=True):
    """One change of a store's `production_status`. `submitted`: a request's company data, and the `sha256` of each
    document by type.
    """

    __tablename__ = "production_status_changes"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    from_status: str = text_column()
    to_status: str = text_column()
    reason: str | None = text_column(optional=True)
    submitted: dict[str, Any] | None = column(JSONB(none_as_null=True), optional=True)
    actor_id: str = uuid_column()
    actor_name: str = text_column()
    created_at: datetime = timestamp_column()


class OrphanedObject(SQLModel, table=True):
    """An object in storage without a document: one that is being uploaded, or that is to be deleted.

    The row is inserted before the object is written, so that a crash leaves no unknown object.
    """

    __tablename__ = "orphaned_objects"

    object_key: str = text_column(primary=True)
    writing: bool = column(Boolean)
    delete_after: datetime = timestamp_column()


production_documents = table_of(ProductionDocument)
production_status_changes = table_of(ProductionStatusChange)
orphaned_objects = table_of(OrphanedObject)

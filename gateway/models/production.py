"""Production approval: the documents that merchants send, every move of a merchant's
standing, and where objects lie.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Column, Index, Integer, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from gateway.models.accounts import ProductionStatus
from gateway.models.base import identifier, moment, one_of, sealed, table_of, text


class DocumentType(StrEnum):
    """What a merchant sends to be approved (contract section 3)."""

    company_registration = "company_registration"
    responsible_document = "responsible_document"
    proof_of_address = "proof_of_address"


class FileType(StrEnum):
    """What a document's file may be, by its content."""

    pdf = "application/pdf"
    jpeg = "image/jpeg"
    png = "image/png"


class ProductionDocument(SQLModel, table=True):
    """One document of a merchant; a newer one of its type takes its place. The file itself is the archive's, under
    `object_key`, sealed with `file_key` (hexadecimal), which is sealed itself.
    """

    __tablename__ = "production_documents"
    __table_args__ = (
        one_of("type", DocumentType),
        one_of("content_type", FileType),
        CheckConstraint("size > 0", name="size"),
        UniqueConstraint("user_id", "type", name="uq_production_documents_user_id"),
    )

    id: str = identifier(primary=True)
    user_id: str = identifier(references="users.id")
    type: str = text()
    file_name: str = text()
    content_type: str = text()
    size: int = Field(sa_column=Column(Integer, nullable=False))
    sha256: str = text()
    object_key: str = text()
    file_key: bytes = sealed()
    uploaded_at: datetime = moment()


class ProductionMove(SQLModel, table=True):
    """One move of a merchant's `production_status`. A request keeps what was submitted: the company data, and the
    `sha256` of each document by type.
    """

    __tablename__ = "production_moves"
    __table_args__ = (
        one_of("from_status", ProductionStatus),
        one_of("to_status", ProductionStatus),
        Index("ix_production_moves_user_id", "user_id", "created_at", "id"),
    )

    id: str = identifier(primary=True)
    user_id: str = identifier(references="users.id")
    from_status: str = text()
    to_status: str = text()
    reason: str | None = text(optional=True)
    submitted: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB(none_as_null=True), nullable=True))
    actor_id: str = identifier()
    actor_name: str = text()
    created_at: datetime = moment()


class ArchiveStray(SQLModel, table=True):
    """An object of the archive that no document keeps: one that is just being written, or one to be deleted.

    Written down before the object is, so that whatever dies in between leaves nothing that nobody knows of.
    """

    __tablename__ = "archive_strays"
    __table_args__ = (Index("ix_archive_strays_delete_after", "delete_after"),)

    object_key: str = text(primary=True)
    writing: bool = Field(sa_column=Column(Boolean, nullable=False))
    delete_after: datetime = moment()


production_documents = table_of(ProductionDocument)
production_moves = table_of(ProductionMove)
archive_strays = table_of(ArchiveStray)

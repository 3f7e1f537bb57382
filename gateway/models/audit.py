"""The audit trail: who did what, from where, and what changed. The database refuses to update, delete or truncate it.

An action inserts its record into `audit_pending`, which has no index but its key. The worker moves pending records into
`audit_records`, where lists find them, and extends the hash chain, `audit_chain`. Extending the chain in the action's
transaction would make all charges of a store wait for one another (ADR 0031). The view `audit_trail` has all records.
"""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, Column, ColumnElement, Computed, LargeBinary, Table, Text, Uuid, func, literal_column
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import SQLModel

from gateway.models.base import column, metadata, table_of, text_column, timestamp_column, uuid_column


class ActorType(StrEnum):
    """Who acts."""

    user = "user"
    api_key = "api_key"
    staff = "staff"
    system = "system"
    engine = "engine"
    public = "public"


class Source(StrEnum):
    """The source of an action."""

    rest = "rest"
    graphql = "graphql"
    job = "job"
    engine = "engine"
    checkout = "checkout"


BY_BYTES = Text(collation="C")
"""A text whose prefix an index finds."""


class AuditRecord(SQLModel, table=True):
    """One action, in monthly partitions. A trigger queues rows that other software inserts, so that they are chained
    too.
    """

    __tablename__ = "audit_records"

    id: str = uuid_column(primary=True)
    store_id: str | None = uuid_column(optional=True)
    actor_type: str = text_column()
    actor_id: str | None = text_column(optional=True)
    actor_name: str | None = text_column(optional=True)
    action: str = column(BY_BYTES)
    resource_type: str | None = text_column(optional=True)
    resource_id: str | None = text_column(optional=True)
    environment: str | None = text_column(optional=True)
    source: str = text_column()
    ip: str | None = column(BY_BYTES, optional=True)
    user_agent: str | None = text_column(optional=True)
    request_id: str | None = text_column(optional=True)
    changes: dict[str, object] = column(JSONB, default="{}")
    created_at: datetime = timestamp_column()


class AuditChainEntry(SQLModel, table=True):
    """A record's position in its hash chain. `chain_id` is the store or `NO_STORE`. Hashes are SHA-256."""

    __tablename__ = "audit_chain"

    chain_id: str = uuid_column(primary=True)
    position: int = column(BigInteger, primary=True)
    record_id: str = uuid_column()
    prev_hash: bytes | None = column(LargeBinary, optional=True)
    hash: bytes = column(LargeBinary)


NO_STORE = "00000000-0000-0000-0000-000000000000"
"""The chain of records without a store."""
_NO_STORE = f"'{NO_STORE}'::uuid"

audit_records = table_of(AuditRecord)
audit_pending = Table(
    "audit_pending",
    metadata,
    Column(
        "chain_id", Uuid(as_uuid=False), Computed(f"coalesce(store_id, {_NO_STORE})", persisted=True), primary_key=True
    ),
    Column("record_id", Uuid(as_uuid=False), primary_key=True),
    *(
        Column(column.name, column.type, nullable=column.nullable, server_default=column.server_default)
        for column in audit_records.c
        if column.name != "id"
    ),
)
"""Records that are not chained yet. `record_id` is their `id` in `audit_records`; the other columns are the same.

A trigger allows deleting a row only if `audit_records` has an identical one.
"""
audit_chain = table_of(AuditChainEntry)


chain_of: ColumnElement[str] = func.coalesce(audit_records.c.store_id, literal_column(_NO_STORE))
"""The chain that a record of `audit_records` belongs to."""

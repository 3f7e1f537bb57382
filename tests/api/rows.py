"""Reads all rows of the database, to compare them before and after a call, or between two merchants."""

from typing import Any

from sqlalchemy import select, text

from gateway.models.database import Database, Statement
from gateway.models.tables import metadata

# The audit trail as one view: sealing moves a record to another table.
_ALL = {
    table.name: Statement(select(table))
    for table in metadata.sorted_tables
    if table.name not in {"audit_records", "audit_pending"}
} | {"audit_trail": Statement(text("select * from audit_trail"))}

_NONEMPTY = Statement(
    text(" union all ".join(f"select '{name}' as name where exists (select from {name})" for name in _ALL))
)  # our own tables.

RECORDS_OF_REFUSAL = frozenset({"audit_trail", "audit_chain"})
"""Tables that a refused call may write to."""

_DIGESTS = " union all ".join(
    f"select '{name}' as name, md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as digest from {name} t"  # our own tables.
    for name in _ALL
    if name not in RECORDS_OF_REFUSAL
)

_VARYING = frozenset(
    {
        "id",
        "email",
        "password_hash",
        "key_hash",
        "prefix",
        "txid",
        "search",
        "pix_code",
        "br_code",
        "end_to_end_id",
        "return_id",
    }
    | {"source", "request_id", "ip", "user_agent", "body", "dedupe_key", "secret", "secret_preview"}
    | {"previous_secret", "slug", "order_key", "object_key", "file_key", "recorded_by", "concluded_by"}
    | {"invited_by", "link", "token", "token_hash", "hash", "prev_hash", "recovery_hashes"}
)
_VARYING_IN = {
    "simulator_charges": frozenset({"external_reference"}),  # Our charge's id.
    "simulator_refunds": frozenset({"external_reference", "charge_id"}),
    "simulator_transfers": frozenset({"external_reference"}),
    "simulator_accounts": frozenset({"document", "secret_hash"}),  # A company has one account.
    "receiving_accounts": frozenset({"cnpj", "documents_link"}),
    "external_identities": frozenset({"provider_uid"}),
    "webhook_events": frozenset({"created_at"}),  # The database's clock.
    "webhook_deliveries": frozenset({"created_at", "next_attempt_at"}),
    "emails": frozenset({"recipient", "receipt_url", "next_attempt_at", "created_at"}),
}


async def everything(database: Database) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables, as plain dictionaries in a fixed order."""
    nonempty = {row["name"] for row in await database.all(_NONEMPTY)}
    return {
        name: sorted((dict(row) for row in await database.all(statement)), key=repr) if name in nonempty else []
        for name, statement in _ALL.items()
    }


async def fingerprint(database: Database) -> dict[str, str]:
    """A digest of each table, except those that a refusal may write to."""
    async with database.pool.acquire() as connection:
        return {row["name"]: row["digest"] for row in await connection.fetch(_DIGESTS)}


def alike(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """A row without values that differ between two equal calls: ids, secrets, the caller's address."""
    varying = _VARYING | _VARYING_IN.get(table, frozenset())
    return {
        name: (value is not None) if name in varying or name.endswith("_id") else _alike(table, value)
        for name, value in row.items()
    }


def _alike(table: str, value: Any) -> Any:
    """A value, with the same applied to JSON objects."""
    return alike(table, value) if isinstance(value, dict) else value


def difference(
    before: dict[str, list[dict[str, Any]]], after: dict[str, list[dict[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    """New and changed rows, without values that differ between two equal calls."""
    fresh = {name: [row for row in rows if row not in before[name]] for name, rows in after.items()}
    return {name: sorted((alike(name, row) for row in rows), key=repr) for name, rows in fresh.items() if rows}

"""Sharding by store (docs/scaling.md): statements of hot paths name the store, so that one shard serves them.

The exceptions are listed with their reasons.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from gateway.models.tables import metadata
from tests.api_client import Api, Merchant
from tests.architecture.test_round_trips import Request, Watched, issuing, reading, reading_as_a_person, watched
from tests.members import join

__all__ = ["watched"]

KEYS = ("store_id", "chain_id", "user_id")
SPREAD = {
    table.name: next(key for key in KEYS if key in table.columns)
    for table in metadata.tables.values()
    if not set(KEYS).isdisjoint(table.columns.keys())
} | {"users": "id"}
"""The tables with rows of stores, and the column of the store's id."""
KEYLESS = {
    "webhook_deliveries": "is found by its event and endpoint, which name the store: it would get the column",
    "charge_reconciliations": "is found by its charge: it would get the column",
    "engine_notifications": "is found by the bank's id, before the store is known",
    "simulator_charges": "is of the simulated bank, which production doesn't use",
    "simulator_refunds": "is of the simulated bank, which production doesn't use",
}
"""Tables of hot paths without such a column."""


class Unscoped(NamedTuple):
    """The beginning of a statement, its tables without a store, and the reason."""

    begins: str
    tables: set[str]
    reason: str


EXCEPTIONS = (
    Unscoped(
        "SELECT api_keys.key_hash",
        {"api_keys", "users", "production_documents"},
        "A key's store is found by its hash: a directory of hashes on every shard.",
    ),
    Unscoped(
        "SELECT charges.txid",
        {"charges", "users", "payment_links"},
        "A payer's page has only a txid: a directory of txids has the store.",
    ),
    Unscoped(
        "SELECT charges.id",
        {"charges", "users", "reconciliation_discrepancies"},
        "A bank's notification has only the charge's id: a directory of ids has the store.",
    ),
)

_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE) (\w+)(?: AS (\w+))?")
_INSERT = re.compile(r"INSERT INTO (\w+) \(([^)]*)\)")
_SAME = re.compile(r"(\w+\.\w+) = (\w+\.\w+)")
_BOUND = re.compile(r"(\w+\.\w+) = (?:\$\d|any\(|\(SELECT \$\d)")


def unscoped(sql: str) -> set[str]:
    """The tables for which a statement doesn't bind the store: neither by a parameter, nor by equality with another
    bound column. Columns of its CTEs count as bound.
    """
    named = {match[2] or match[1]: match[1] for match in _TABLE.finditer(sql)}
    inserted = {match[1] for match in _INSERT.finditer(sql) if SPREAD.get(match[1]) in match[2].split(", ")}
    columns = {f"{name}.{SPREAD[table]}": table for name, table in named.items() if table in SPREAD}
    bound = {match[1] for match in _BOUND.finditer(sql)}
    pairs = [match.groups() for match in _SAME.finditer(sql)]
    known = bound | {one for pair in pairs for one in pair if one.partition(".")[0] not in _real(named)}
    while more := {one for pair in pairs if set(pair) & known for one in pair} - known:
        known |= more
    return {table for column, table in columns.items() if column not in known and table not in inserted}


def _real(named: dict[str, str]) -> set[str]:
    """The names of tables, without those of CTEs."""
    return {name for name, table in named.items() if table in metadata.tables}


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT charges.id \nFROM charges \nWHERE charges.user_id = $1::UUID AND charges.id = $2", set()),
        ("SELECT charges.id \nFROM charges \nWHERE charges.id = $1::UUID", {"charges"}),
        ("UPDATE charges SET status=$1 WHERE charges.id = $2", {"charges"}),
        ("SELECT users.id FROM charges JOIN users ON users.id = charges.user_id WHERE charges.id = $1", {"charges", "users"}),
        ("SELECT users.id FROM charges JOIN users ON users.id = charges.user_id WHERE users.id = $1", set()),
        ("INSERT INTO charges (id, user_id) VALUES ($1, $2)", set()),
        ("INSERT INTO charges (id, txid) VALUES ($1, $2)", {"charges"}),
    ],
)  # fmt: skip
def test_unscoped_tables_are_found(sql: str, found: set[str]) -> None:
    assert unscoped(sql) == found


def hot(merchant: Merchant, member: Merchant, charges: Iterator[str], known: dict[str, str]) -> dict[str, Request]:
    async def pay(api: Api) -> None:
        answer = await api.post("/pix/simulate-payment", {"id": next(charges)}, token=merchant.key)
        assert answer.status_code == 200, answer.text

    read = reading(merchant, known) | reading_as_a_person(merchant, member, known)
    return issuing(merchant) | read | {"pay": pay}


async def test_hot_paths_name_the_store(watched: Watched, merchant: Merchant) -> None:
    charges = [await merchant.issue() for _ in range(3)]
    member = await merchant.api.register_merchant()
    await join(merchant, member, "viewer")
    unpaid = iter([charge["id"] for charge in charges[1:]])
    sent: set[str] = set()
    for request in hot(merchant, member, unpaid, charges[0]).values():
        await watched.requested_by(request)
        sent.update(watched.sent)
    assert len(sent) > 15
    unscoped_statements = {sql: tables for sql in sent if (tables := unscoped(sql))}
    expected = {
        sql: exception.tables
        for sql in unscoped_statements
        for exception in EXCEPTIONS
        if sql.startswith(exception.begins)
    }
    assert unscoped_statements == expected
    assert len(unscoped_statements) == len(EXCEPTIONS), "remove exceptions that no statement needs"
    touched = {match[1] for sql in sent for match in _TABLE.finditer(sql)} & metadata.tables.keys()
    assert touched - SPREAD.keys() == KEYLESS.keys()

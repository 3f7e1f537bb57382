"""What a PostgreSQL that is spread over machines would ask of us (docs/scaling.md): a statement of a hot path says
whose rows it is about, so that the one machine which holds that store answers it. Those that don't are listed here with
their reason, and nothing else may join them unnoticed.
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
"""The tables whose rows belong to stores, and the column that says to which; a store is the account that holds it."""
KEYLESS = {
    "webhook_deliveries": "goes by its event and its endpoint, which name the store: it would be given the column",
    "charge_reconciliations": "goes by its charge: it would be given the column",
    "engine_notifications": "is found by the bank's own id, before anybody knows the store",
    "simulator_charges": "is the rehearsed bank's, and no table of a deployment with a real one",
}
"""Tables that hot paths touch and that have no such column."""


class Stray(NamedTuple):
    """A statement by its beginning, the tables of which it doesn't say whose rows it wants, and why that is so."""

    begins: str
    tables: set[str]
    reason: str


EXCEPTIONS = (
    Stray(
        "SELECT api_keys.key_hash",
        {"api_keys", "users", "production_documents"},
        "A key's hash is what its store is found by: a directory of hashes that every machine has answers it.",
    ),
    Stray(
        "SELECT charges.txid",
        {"charges", "users", "payment_links"},
        "A payer's page knows a txid and nothing of the store: a directory of txids names it.",
    ),
    Stray(
        "SELECT charges.id",
        {"charges", "users", "reconciliation_discrepancies"},
        "A bank's notice knows the charge's id and nothing of the store: a directory of ids names it.",
    ),
)

_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE) (\w+)(?: AS (\w+))?")
_INSERT = re.compile(r"INSERT INTO (\w+) \(([^)]*)\)")
_SAME = re.compile(r"(\w+\.\w+) = (\w+\.\w+)")
_GIVEN = re.compile(r"(\w+\.\w+) = (?:\$\d|any\(|\(SELECT \$\d)")


def unscoped(sql: str) -> set[str]:
    """The tables of stores of whose rows a statement doesn't say which store they belong to: neither by a value that it
    is given nor by being the same as that of a table of which it does. Columns of its own CTEs count as given: where
    they come from is seen there.
    """
    named = {match[2] or match[1]: match[1] for match in _TABLE.finditer(sql)}
    inserted = {match[1] for match in _INSERT.finditer(sql) if SPREAD.get(match[1]) in match[2].split(", ")}
    columns = {f"{name}.{SPREAD[table]}": table for name, table in named.items() if table in SPREAD}
    given = {match[1] for match in _GIVEN.finditer(sql)}
    pairs = [match.groups() for match in _SAME.finditer(sql)]
    known = given | {one for pair in pairs for one in pair if one.partition(".")[0] not in _real(named)}
    while more := {one for pair in pairs if set(pair) & known for one in pair} - known:
        known |= more
    return {table for column, table in columns.items() if column not in known and table not in inserted}


def _real(named: dict[str, str]) -> set[str]:
    """Names that mean a table, and not a part of the statement."""
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
def test_a_statement_is_read_rightly(sql: str, found: set[str]) -> None:
    assert unscoped(sql) == found


def hot(merchant: Merchant, member: Merchant, charges: Iterator[str], known: dict[str, str]) -> dict[str, Request]:
    async def pay(api: Api) -> None:
        answer = await api.post("/pix/simulate-payment", {"id": next(charges)}, token=merchant.key)
        assert answer.status_code == 200, answer.text

    read = reading(merchant, known) | reading_as_a_person(merchant, member, known)
    return issuing(merchant) | read | {"pay": pay}


async def test_hot_paths_say_whose_rows_they_want(watched: Watched, merchant: Merchant) -> None:
    charges = [await merchant.issue() for _ in range(3)]
    member = await merchant.api.register_merchant()
    await join(merchant, member, "viewer")
    unpaid = iter([charge["id"] for charge in charges[1:]])
    sent: set[str] = set()
    for request in hot(merchant, member, unpaid, charges[0]).values():
        await watched.requested_by(request)
        sent.update(watched.sent)
    assert len(sent) > 15
    strays = {sql: tables for sql in sent if (tables := unscoped(sql))}
    expected = {sql: exception.tables for sql in strays for exception in EXCEPTIONS if sql.startswith(exception.begins)}
    assert strays == expected
    assert len(strays) == len(EXCEPTIONS), "a reason that nobody needs any more goes"
    touched = {match[1] for sql in sent for match in _TABLE.finditer(sql)} & metadata.tables.keys()
    assert touched - SPREAD.keys() == KEYLESS.keys()

"""Verify exports of the audit trail without the gateway: `python verify_audit.py
auditoria-test.csv auditoria-live.csv`.

It needs only Python 3.9 or newer. It recomputes every record's hash, and compares it with the next record's
`prev_hash`. On failure it names the first invalid record; exit code 1. docs/audit.md defines the hash.
"""

import csv
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path

FIELDS = (
    *("id", "store_id", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id"),
    *("environment", "source", "ip", "user_agent", "request_id", "changes", "created_at"),
)
SIGNS = "=+@＝＋－＠-"
GUARD = re.compile(rf"""^'(?='*[\t\r])|(?:^|(?<=[;\t\r\n]))'(?='*"*[{SIGNS}])""")
"""The apostrophe that an export puts before the start of a formula."""


def hash_of(cells: Iterable[str]) -> str:
    """The hash over the netstrings of these texts."""
    return sha256(b"".join(b"%d:%b," % (len(text), text) for text in (cell.encode() for cell in cells))).hexdigest()


def in_utc(text: str) -> str:
    """The time in UTC, as hashed: an export has local time."""
    return datetime.fromisoformat(text).astimezone(timezone.utc).isoformat()  # noqa: UP017  # For Python 3.9.


def is_valid(row: dict[str, str]) -> bool:
    """Whether a row's hash is that of its fields."""
    contents = (in_utc(row[name]) if name == "created_at" else GUARD.sub("", row[name]) for name in FIELDS)
    return hash_of((row["prev_hash"], row["position"], *contents)) == row["hash"]


def rows_of(paths: Iterable[str]) -> Iterator[dict[str, str]]:
    """The rows of the exports."""
    for path in paths:
        with Path(path).open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)


def verify(records: Iterable[dict[str, str]]) -> str:
    """A summary of the rows. Raises ValueError for the first invalid one."""
    rows = list(records)
    chained = sorted((row for row in rows if row["hash"]), key=lambda row: (row["store_id"], int(row["position"])))
    gaps = 0
    before = None
    for row in chained:
        if not is_valid(row):
            raise ValueError(f"record {row['id']} was changed")
        follows = before is not None and before["store_id"] == row["store_id"]
        expected = int(before["position"]) + 1 if follows else 1
        if int(row["position"]) != expected:
            gaps += 1
        elif row["prev_hash"] != (before["hash"] if follows else ""):
            raise ValueError(f"record {row['id']} does not follow the one before it")
        before = row
    summary = f"{len(chained)} records hold, {gaps} gaps, {len(rows) - len(chained)} not chained yet"
    return f"{summary}; newest {chained[-1]['position']} {chained[-1]['hash']}" if chained else summary


if __name__ == "__main__":
    csv.field_size_limit(sys.maxsize)
    try:
        sys.stdout.write(verify(rows_of(sys.argv[1:])) + "\n")
    except ValueError as broken:
        sys.exit(str(broken))

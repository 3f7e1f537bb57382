"""The hash of a record in the audit chain. docs/audit.md has a test vector, and a program that verifies an export.

    hash = SHA-256 of the netstrings of: prev_hash, position, and the fields of the record in the order of `FIELDS`

A netstring is the number of bytes in decimal, a colon, the bytes, a comma (cr.yp.to/proto/netstrings.txt), so fields
can't run into one another. Each field is the UTF-8 text of the CSV export, except that times are ISO 8601 in UTC. Null
is the empty text. `changes` is compact JSON with keys in code point order. `prev_hash` is lower-case hex, and empty for
the first record of a chain, whose position is 1.
"""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

import orjson

FIELDS = (
    "id",
    "store_id",
    "actor_type",
    "actor_id",
    "actor_name",
    "action",
    "resource_type",
    "resource_id",
    "environment",
    "source",
    "ip",
    "user_agent",
    "request_id",
    "changes",
    "created_at",
)


def hash_of(prev_hash: bytes | None, position: int, record: Mapping[str, Any]) -> bytes:
    """The 32-byte hash of a record, a row with `FIELDS`, that follows the record of `prev_hash`."""
    content = [prev_hash.hex() if prev_hash else "", str(position)]
    content += [text_of(record[name]) for name in FIELDS]
    return sha256(b"".join(_netstring(text.encode()) for text in content)).digest()


def text_of(value: Any) -> str:
    """The text of a field, as hashed and exported."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _netstring(text: bytes) -> bytes:
    return b"%d:%b," % (len(text), text)

"""The seal of a record: its hash in the chain. docs/audit.md explains it, with a test vector and a program that
verifies an export. Encryption of secrets is in `gateway.security`.

    hash = SHA-256 of the netstrings of: prev_hash, position, and the fields of the record in the order of `FIELDS`

A netstring is the number of bytes in decimal, a colon, the bytes, a comma (cr.yp.to/proto/netstrings.txt), so no field
can flow into the next. Each field is the UTF-8 text that the CSV export shows, but for the zone: nothing is the empty
text, a time is ISO 8601 in UTC, `changes` is compact JSON with its keys in the order of their code points. `prev_hash`
is lower-case hex, and empty for the first record of a chain, whose position is 1.
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
    """The 32 bytes that seal a record, a row with `FIELDS`, behind the one that `prev_hash` seals."""
    content = [prev_hash.hex() if prev_hash else "", str(position)]
    content += [text_of(record[name]) for name in FIELDS]
    return sha256(b"".join(_netstring(text.encode()) for text in content)).digest()


def text_of(value: Any) -> str:
    """A field as it is hashed, and exported."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _netstring(text: bytes) -> bytes:
    return b"%d:%b," % (len(text), text)

"""Identifiers: UUIDv7 for rows (RFC 9562, so that indexes grow at one end), txid for charges, slugs for links."""

import os
import secrets
import time
import uuid
from datetime import datetime
from random import getrandbits
from typing import Final, NewType

Id = NewType("Id", str)
"""The text form of a UUID: 36 characters, lower case."""

TXID_LENGTH = 32
SLUG_LENGTH = 10
SLUG_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""No 0, 1, i, l or o: a slug can be read out loud or copied from paper."""
FIRST_ID: Final = "00000000-0000-0000-0000-000000000000"
LAST_ID: Final = "ffffffff-ffff-ffff-ffff-ffffffffffff"
"""Before and after every id. No row has them: the ends of a scan in id order."""


def new_id() -> Id:
    """A new UUIDv7, with a resolution of a quarter of a microsecond like PostgreSQL's. Ids of one process ascend."""
    milliseconds, nanoseconds = divmod(time.time_ns(), 1_000_000)
    value = (milliseconds << 80) | (0x7 << 76) | ((nanoseconds << 12) // 1_000_000 << 64)
    value |= (0x2 << 62) | (int.from_bytes(os.urandom(8)) >> 2)
    return Id(str(uuid.UUID(int=value)))


def new_request_id() -> str:
    """A new UUIDv4 of a request, for logs. It is no secret, so it is made without a system call."""
    return str(uuid.UUID(int=getrandbits(128), version=4))


def first_id_of(timestamp: datetime) -> Id:
    """The smallest UUIDv7 of a timestamp. Ids created earlier are smaller."""
    return Id(str(uuid.UUID(int=(int(timestamp.timestamp() * 1000) << 80) | (0x7 << 76) | (0x2 << 62))))


def new_txid(of: Id) -> str:
    """A new txid of a charge: 32 lower-case hexadecimal digits, valid in the Pix API (`[a-zA-Z0-9]{26,35}`).

    It starts with the second of the charge's id, so that its indexes grow at one end. The other 96 bits are random.
    """
    second = int(of[:8] + of[9:13], 16) // 1000
    return f"{second:08x}{secrets.token_hex(TXID_LENGTH // 2 - 4)}"


def new_slug() -> str:
    """A new slug of a payment link: 10 unambiguous characters (49 bits)."""
    return "".join(secrets.choice(SLUG_ALPHABET) for _ in range(SLUG_LENGTH))


def is_id(text: str) -> bool:
    """Whether `text` is the canonical form of a UUID, in either case."""
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False

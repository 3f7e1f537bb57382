"""Identifiers: UUIDv7 for rows (RFC 9562, so that indexes grow at one end), txid for charges, slugs for links."""

import os
import secrets
import time
import uuid
from datetime import datetime
from typing import Final, NewType

Id = NewType("Id", str)
"""The text form of a UUID: 36 characters, lower case."""

TXID_LENGTH = 32
SLUG_LENGTH = 10
SLUG_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""No 0, 1, i, l or o: a slug survives being read out loud or copied from paper."""
FIRST_ID: Final = "00000000-0000-0000-0000-000000000000"
"""Nothing has it, and it is before everything that has one: where reading in the order of ids begins."""


def new_id() -> Id:
    """A fresh UUIDv7. Like PostgreSQL's, with a resolution of a quarter of a microsecond, so ids of one
    process are in order.
    """
    milliseconds, nanoseconds = divmod(time.time_ns(), 1_000_000)
    value = (milliseconds << 80) | (0x7 << 76) | ((nanoseconds << 12) // 1_000_000 << 64)
    value |= (0x2 << 62) | (int.from_bytes(os.urandom(8)) >> 2)
    return _text_of(value)


def first_id_of(moment: datetime) -> Id:
    """The least UUIDv7 of a moment: all that was made before it has a lesser one."""
    return _text_of((int(moment.timestamp() * 1000) << 80) | (0x7 << 76) | (0x2 << 62))


def new_txid(of: Id) -> str:
    """A fresh txid of a charge: 32 lower-case hexadecimal digits, valid in the Pix API (`[a-zA-Z0-9]{26,35}`). It
    begins with the second of the charge's id, so that indexes of it grow at one end as well; the other 96 bits are
    random, so that it can't be guessed.
    """
    second = int(of[:8] + of[9:13], 16) // 1000
    return f"{second:08x}{secrets.token_hex(TXID_LENGTH // 2 - 4)}"


def new_slug() -> str:
    """A fresh slug of a payment link: 10 unambiguous characters, 49 bits, so links can't be guessed."""
    return "".join(secrets.choice(SLUG_ALPHABET) for _ in range(SLUG_LENGTH))


def is_id(text: str) -> bool:
    """Whether `text` is the canonical form of a UUID, in either case. Nothing else reaches a query."""
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def _text_of(value: int) -> Id:
    text = f"{value:032x}"
    return Id(f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")

"""The EndToEndId of a settled Pix: the transfer's id at both banks."""

import re
import secrets
import string
from datetime import UTC, datetime
from typing import Final

_FORM: Final = re.compile(r"[0-9A-Za-z]{32}")
_ALPHANUMERIC: Final = string.ascii_letters + string.digits


def new_end_to_end_id(now: datetime) -> str:
    """Return a new EndToEndId: `E`, the payer bank's ISPB (here 8 zeros), the UTC minute, 11 random letters and digits.

    32 characters in all (Manual de Padrões para Iniciação do Pix). `now` must have a time zone; a naive time raises
    ValueError.
    """
    if now.tzinfo is None:
        raise ValueError("The time of a transfer needs a zone.")
    minute = now.astimezone(UTC).strftime("%Y%m%d%H%M")
    return f"E00000000{minute}" + "".join(secrets.choice(_ALPHANUMERIC) for _ in range(11))


def new_return_id(now: datetime) -> str:
    """Return a new id of a return (RtrId): as an EndToEndId, with `D` first."""
    return "D" + new_end_to_end_id(now)[1:]


def valid_end_to_end_id(value: object) -> str | None:
    """An id of the format of the Pix API: 32 letters and digits (engine reference, part B). None for anything else."""
    return value if isinstance(value, str) and _FORM.fullmatch(value) else None

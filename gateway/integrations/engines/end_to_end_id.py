"""The EndToEndId of a settled Pix: the number by which both banks know the transfer."""

import re
import secrets
import string
from datetime import UTC, datetime
from typing import Final

SIMULATOR_ISPB: Final = "00000000"

_FORM: Final = re.compile(r"[0-9A-Za-z]{32}")
_ALPHANUMERIC: Final = string.ascii_letters + string.digits


def new_end_to_end_id(now: datetime, *, ispb: str = SIMULATOR_ISPB) -> str:
    """Return a new EndToEndId: `E`, the payer bank's ISPB (8 digits), the UTC minute, 11 random letters and digits.

    32 characters in all (Manual de Padrões para Iniciação do Pix). `now` must know its zone; a naive time raises
    ValueError, since guessing would put the minute three hours off in Brasília.
    """
    if now.tzinfo is None:
        raise ValueError("The time of a transfer needs a zone.")
    minute = now.astimezone(UTC).strftime("%Y%m%d%H%M")
    return f"E{ispb}{minute}" + "".join(secrets.choice(_ALPHANUMERIC) for _ in range(11))


def is_end_to_end_id(text: str) -> bool:
    """Whether a text has the form of one: 32 letters and digits, and no more than that (engine.md, part B). A bank's
    ISPB may hold letters, and the Pix API's own pattern promises nothing else.
    """
    return _FORM.fullmatch(text) is not None

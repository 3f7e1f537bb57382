"""How pages and mails write money and time for a Brazilian reader."""

from datetime import datetime

from gateway.clock import SAO_PAULO
from gateway.money import format_brl

_NO_BREAK = "\u00a0"


def reais(centavos: int) -> str:
    """`R$ 1.299,90`, on one line."""
    return format_brl(centavos).replace(" ", _NO_BREAK)


def moment(value: datetime) -> str:
    """`21/11/2026 às 14:32`, in Brasília's time."""
    return value.astimezone(SAO_PAULO).strftime(f"%d/%m/%Y às{_NO_BREAK}%H:%M")

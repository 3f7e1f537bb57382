"""How pages and mails write money, time and numbers for a Brazilian reader."""

from datetime import date, datetime

from gateway.values.clock import SAO_PAULO
from gateway.values.money import format_brl

_NO_BREAK = "\u00a0"


def reais(centavos: int) -> str:
    """`R$ 1.299,90`, on one line."""
    return format_brl(centavos).replace(" ", _NO_BREAK)


def format_timestamp(value: datetime) -> str:
    """`21/11/2026 às 14:32`, in Brasília's time."""
    return value.astimezone(SAO_PAULO).strftime(f"%d/%m/%Y às{_NO_BREAK}%H:%M")


def day(value: date) -> str:
    """`21/11/2026`."""
    return value.strftime("%d/%m/%Y")


def waiting(seconds: int) -> str:
    """A whole number of minutes, rounded up, or of seconds below one: for a message about waiting."""
    if seconds < 60:
        return f"{seconds} segundo{'s' if seconds != 1 else ''}"
    minutes = -(-seconds // 60)
    return f"{minutes} minuto{'s' if minutes != 1 else ''}"


def count(number: int, one: str, many: str) -> str:
    """`1 aviso`, `1.200 avisos`."""
    return f"{number:,}".replace(",", ".") + f" {one if number == 1 else many}"

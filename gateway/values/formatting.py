"""Format money, time and numbers for pages and emails, in Brazilian Portuguese."""

from datetime import date, datetime

from gateway.values.clock import SAO_PAULO
from gateway.values.money import format_brl

_NO_BREAK = "\u00a0"


def reais(centavos: int) -> str:
    """`R$ 1.299,90`, on one line."""
    return format_brl(centavos).replace(" ", _NO_BREAK)


def format_timestamp(value: datetime) -> str:
    """`21/11/2026 às 14:32`, in the time zone of São Paulo."""
    return value.astimezone(SAO_PAULO).strftime(f"%d/%m/%Y às{_NO_BREAK}%H:%M")


def day(value: date) -> str:
    """`21/11/2026`."""
    return value.strftime("%d/%m/%Y")


def waiting(seconds: int) -> str:
    """A duration in minutes, rounded up, or in seconds if below one minute."""
    if seconds < 60:
        return f"{seconds} segundo{'s' if seconds != 1 else ''}"
    minutes = -(-seconds // 60)
    return f"{minutes} minuto{'s' if minutes != 1 else ''}"


def count(number: int, one: str, many: str) -> str:
    """`1 aviso`, `1.200 avisos`."""
    return f"{number:,}".replace(",", ".") + f" {one if number == 1 else many}"

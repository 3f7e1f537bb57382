"""How the pages write money and time for a Brazilian reader."""

from datetime import datetime

from gateway.clock import SAO_PAULO

_NO_BREAK = "\u00a0"


def reais(centavos: int) -> str:
    """`R$ 1.299,90`, on one line."""
    whole, rest = divmod(centavos, 100)
    grouped = f"{whole:,}".replace(",", ".")
    return f"R${_NO_BREAK}{grouped},{rest:02}"


def moment(value: datetime) -> str:
    """`21/11/2026 às 14:32`, in Brasília's time."""
    return value.astimezone(SAO_PAULO).strftime(f"%d/%m/%Y às{_NO_BREAK}%H:%M")


def waiting(seconds: int) -> str:
    """A whole number of minutes, rounded up, or of seconds below one: what to tell somebody who must wait."""
    if seconds < 60:
        return f"{seconds} segundo{'s' if seconds != 1 else ''}"
    minutes = -(-seconds // 60)
    return f"{minutes} minuto{'s' if minutes != 1 else ''}"

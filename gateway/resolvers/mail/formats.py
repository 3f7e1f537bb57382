"""How mails write dates and numbers for a Brazilian reader."""

from datetime import date


def day(value: date) -> str:
    """`21/11/2026`."""
    return value.strftime("%d/%m/%Y")


def count(number: int, one: str, many: str) -> str:
    """`1 aviso`, `1.200 avisos`."""
    return f"{number:,}".replace(",", ".") + f" {one if number == 1 else many}"

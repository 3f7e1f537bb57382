"""Money and time in Brazilian format."""

from datetime import UTC, datetime

import pytest

from gateway.values.formatting import format_timestamp, reais, waiting


@pytest.mark.parametrize(
    ("centavos", "text"),
    [(5, "R$ 0,05"), (12990, "R$ 129,90"), (100_000, "R$ 1.000,00"), (999_999_999, "R$ 9.999.999,99")],
)
def test_money(centavos: int, text: str) -> None:
    assert reais(centavos) == text.replace(" ", "\u00a0")


def test_time_is_in_brasilia() -> None:
    assert format_timestamp(datetime(2026, 11, 22, 1, 5, tzinfo=UTC)) == "21/11/2026 às\u00a022:05"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "1 segundo"), (59, "59 segundos"), (60, "1 minuto"), (61, "2 minutos"), (600, "10 minutos")],
)
def test_waiting(seconds: int, text: str) -> None:
    assert waiting(seconds) == text

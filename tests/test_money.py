"""Conversion between reais at the transports and centavos inside: exact, and strict about input."""

import json
from decimal import ROUND_HALF_UP, Decimal

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gateway.values.money import (
    CEILING,
    MINIMUM_CHARGE,
    InvalidAmount,
    centavos_from_reais,
    format_brl,
    is_below,
    percentage_of,
    reais_from_centavos,
)

amounts = st.integers(0, CEILING)
percents = st.decimals(0, 1000, places=4, allow_nan=False)


@pytest.mark.parametrize(
    ("reais", "centavos"),
    [
        (0, 0),
        (10, 1000),
        (129.9, 12990),
        (0.1, 10),
        (0.29, 29),  # 0.29 * 100 is 28.999999999999996.
        (1.1, 110),
        (4.35, 435),
        (1234567.89, 123456789),
        (9_999_999.99, 999_999_999),
        (9_999_999, 999_999_900),
        (1e2, 10000),
        (-0.0, 0),
        ("0", 0),
        ("10", 1000),
        ("10.5", 1050),
        ("10.50", 1050),
        ("0.01", 1),
        ("9999999.99", 999_999_999),
        (Decimal(10), 1000),
        (Decimal("129.9"), 12990),
        (Decimal("1E+2"), 10000),
        (Decimal("9999999.99"), 999_999_999),
    ],
)
def test_reais_become_centavos(reais, centavos):
    answer = centavos_from_reais(reais)
    assert answer == centavos
    assert type(answer) is int


@pytest.mark.parametrize(
    "value",
    [10.005, 0.001, 5e-324, 129.999999999, 0.1 + 0.2, "10.005", "10.500", Decimal("10.005"), Decimal("10.500")],
)
def test_a_third_decimal_is_refused_and_never_rounded(value):
    with pytest.raises(InvalidAmount, match=r"duas casas decimais|número em reais"):
        centavos_from_reais(value)


@pytest.mark.parametrize("value", [-1, -0.01, -1e300, float("-inf"), Decimal("-0.01"), Decimal("-1E+50")])
def test_a_negative_amount_is_refused(value):
    with pytest.raises(InvalidAmount, match="não pode ser negativo"):
        centavos_from_reais(value)


@pytest.mark.parametrize(
    "value",
    [
        10_000_000,
        10**400,
        10_000_000.0,
        9_999_999.995,
        1e300,
        json.loads("1e400"),
        float("inf"),
        "10000000",
        "9" * 31,
        Decimal(10_000_000),
        Decimal("1E+999999"),
    ],
)
def test_an_amount_over_the_ceiling_is_refused(value):
    with pytest.raises(InvalidAmount, match=r"O valor máximo é R\$ 9\.999\.999,99\."):
        centavos_from_reais(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        float("nan"),
        Decimal("nan"),
        Decimal("sNaN"),
        Decimal("inf"),
        "",
        " ",
        "10 ",
        " 10",
        "10\n",
        "+10",
        "010",
        ".5",
        "5.",
        "1e3",
        "1_000",
        "10,50",
        "1.234,56",
        "R$ 10",
        "0x10",
        "NaN",
        "Infinity",
        "\uff11\uff10",  # Full-width digits, which int() would read.
        "\u0661\u0660",  # Arabic-Indic ones too.
        b"10",
        [10],
        {},
        10j,
    ],
)
def test_other_values_are_refused(value):
    with pytest.raises(InvalidAmount, match="Informe um número em reais"):
        centavos_from_reais(value)
    assert not is_below(value, MINIMUM_CHARGE), "nor is it too small a number"


@pytest.mark.parametrize(
    "value",
    [
        *(0, 4.99, 4.999, -1, -0.0, -(10**400), -1e300),
        *("0", "4.99", "4.999", "-3", "-0", "4." + "9" * 10_000, "-" + "9" * 10_000),
        *(Decimal("4.9999999999999999"), Decimal("-1E+999999999"), Decimal("1E-999999999")),
    ],
)
def test_an_amount_below_the_minimum_is_recognised_despite_other_errors(value):
    assert is_below(value, MINIMUM_CHARGE)


@pytest.mark.parametrize(
    "value",
    [
        *(5, 5.0, 5.001, 10**400, float("inf"), "5", "5.000", "9" * 10_000),
        *("1e999999999", "1e-999999999", "-1e999999999", "--3", "4.", "4,99"),
        *(Decimal(5), Decimal("5.0000000000000001"), Decimal("1E+999999999"), Decimal("inf")),
    ],
)
def test_other_amounts_and_values_are_not_below_the_minimum(value):
    assert not is_below(value, MINIMUM_CHARGE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-10", "não pode ser negativo"),
        ("-0.001", "não pode ser negativo"),
        ("10.001", "duas casas decimais"),
        ("10.000", "duas casas decimais"),
        ("9" * 5000, "valor máximo"),
        ("9" * 5000 + ".99", "valor máximo"),
    ],
)
def test_a_number_as_text_is_refused_like_the_number(text, message):
    with pytest.raises(InvalidAmount, match=message):
        centavos_from_reais(text)


@given(amounts)
@example(CEILING)
def test_every_amount_round_trips(centavos):
    reais = reais_from_centavos(centavos)
    assert centavos_from_reais(reais) == centavos
    assert centavos_from_reais(orjson.loads(orjson.dumps(reais))) == centavos
    assert centavos_from_reais(json.loads(json.dumps(reais), parse_float=Decimal)) == centavos
    assert centavos_from_reais(f"{centavos // 100}.{centavos % 100:02d}") == centavos


@given(st.floats(0, 9_999_999.99))
@example(2.675)
@example(1.005)
def test_a_float_is_read_by_its_shortest_decimal_form(value):
    """The fast path (one division) against the definition: the number's text in JSON."""
    text = Decimal(repr(value))
    if text == text.quantize(Decimal("0.01")):
        assert centavos_from_reais(value) == text * 100
    else:
        with pytest.raises(InvalidAmount):
            centavos_from_reais(value)


def test_formatted_reais_have_at_most_two_decimals_densely():
    for centavos in range(300_000):
        assert Decimal(repr(centavos / 100)).as_tuple().exponent >= -2


@given(st.integers(-(10**15) + 1, 10**15 - 1))
@example(10**15 - 1)
@example(99_999_999_999_999)
def test_formatted_reais_are_exact_up_to_fifteen_digits(centavos):
    """Balances exceed the maximum of one charge and must be as exact."""
    text = repr(reais_from_centavos(centavos))
    assert Decimal(text) == Decimal(centavos).scaleb(-2)
    assert len(text.partition(".")[2]) <= 2
    assert orjson.dumps(reais_from_centavos(centavos)).decode() == text


@pytest.mark.parametrize(
    ("centavos", "text"),
    [
        (0, "R$ 0,00"),
        (5, "R$ 0,05"),
        (1990, "R$ 19,90"),
        (123456, "R$ 1.234,56"),
        (999_999_999, "R$ 9.999.999,99"),
        (100_000_000_000, "R$ 1.000.000.000,00"),
        (-5, "-R$ 0,05"),
        (-123456, "-R$ 1.234,56"),
    ],
)
def test_brazilian_form(centavos, text):
    assert format_brl(centavos) == text


@pytest.mark.parametrize(
    ("centavos", "percent", "part"),
    [
        (100, "12.5", 13),  # 12.5 centavos: half goes up, where banker's rounding would stay at 12.
        (300, "0.5", 2),
        (100, "12.4999999999999999999999999999999999", 12),
        (12990, "4.99", 648),
        (1, "50", 1),
        (1, "49.99", 0),
        (CEILING, "100", CEILING),
        (CEILING, "0", 0),
        (0, "10", 0),
    ],
)
def test_a_percentage_rounds_half_up_to_the_centavo(centavos, percent, part):
    assert percentage_of(centavos, Decimal(percent)) == part


@given(amounts, percents)
def test_a_percentage_agrees_with_decimal_arithmetic(centavos, percent):
    assert percentage_of(centavos, percent) == (centavos * percent / 100).quantize(Decimal(1), ROUND_HALF_UP)


@pytest.mark.parametrize(("centavos", "percent"), [(-1, "10"), (1, "-10"), (1, "nan"), (1, "inf")])
def test_a_percentage_of_nonsense_is_an_error(centavos, percent):
    with pytest.raises((ValueError, ArithmeticError)):
        percentage_of(centavos, Decimal(percent))

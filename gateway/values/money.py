"""Money: integer centavos inside, reais in the APIs, converted only here.

Models, tables and sums use centavos. A JSON number in reais is a double: sums of doubles are inexact, but a double
carries up to 15 significant digits without loss, which is enough for a transport.
"""

import re
from decimal import Decimal
from typing import Final, NewType

Centavos = NewType("Centavos", int)
Hundredths = NewType("Hundredths", int)
"""A number with two decimals that may be money or a percentage (a coupon's discount): 12.5 is 1250."""

CEILING: Final = Centavos(999_999_999)  # R$ 9.999.999,99, the largest amount a caller may write.
MINIMUM_CHARGE: Final = Centavos(500)  # R$ 5,00 (specification section 8).

_CEILING_IN_REAIS: Final = CEILING / 100
_PLAIN_DECIMAL: Final = re.compile(r"(0|[1-9][0-9]{0,30})(?:\.([0-9]{1,2}))?")  # Bounded: int() of a long text is slow.
_NUMBER: Final = re.compile(r"(?P<minus>-)?(?:0|[1-9][0-9]*)(?:\.(?P<decimals>[0-9]+))?")


class InvalidAmount(ValueError):  # "Invalid" already says that it is an error.
    """The value is not an amount of money. The message is short, in Portuguese and safe to show."""


def centavos_from_reais(value: object) -> Centavos:
    """Read an amount in reais, as JSON decoding leaves it, into centavos: 129.9 is exactly 12990.

    Accepted: an int, a float or a Decimal from 0 to 9,999,999.99 with at most two decimals, or the same written as a
    plain decimal string ("10", "10.5", "10.50"). Refused with `InvalidAmount`: a third decimal (a trailing zero too,
    where it can still be seen), NaN, infinities, booleans, negatives, amounts over the ceiling and any other text.
    """
    if isinstance(value, float):
        return _from_float(value)
    if isinstance(value, int) and not isinstance(value, bool):  # `true` is an int to Python, but no amount.
        return _within_range(value * 100)
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, Decimal):
        return _from_decimal(value)
    raise InvalidAmount("Informe um número em reais.")


def is_below(value: object, minimum: Centavos) -> bool:
    """Whether the value is a number of reais below the minimum, also if negative, with more decimals, or a text.

    A text with an exponent is not a number, as in `centavos_from_reais`.
    """
    if isinstance(value, str):
        value = Decimal(value) if _NUMBER.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return False
    if isinstance(value, Decimal) and value.is_nan():  # Unlike a double NaN, it can't be compared.
        return False
    return value < reais_from_centavos(minimum)


def reais_from_centavos(amount: Centavos | int) -> float:
    """Return the amount in reais, as JSON shows it.

    The division is rounded correctly, so the result is the double nearest to the true amount; and a double keeps 15
    significant digits, so its shortest form has at most two decimals for any amount below ten trillion reais.
    """
    return amount / 100


def format_brl(amount: Centavos | int) -> str:
    """Write the amount as Brazilians do: 123456 centavos are `R$ 1.234,56`."""
    reais, centavos = divmod(abs(amount), 100)
    sign = "-" if amount < 0 else ""
    return f"{sign}R$ {reais:,}".replace(",", ".") + f",{centavos:02d}"


def percentage_of(amount: Centavos | int, percent: Decimal) -> Centavos:
    """Return `percent` per cent of the amount, to the centavo, half up: 12.5 % of 100 centavos are 13.

    Exact for any number of digits. Negative amounts and percentages raise ValueError: no fee or discount has them,
    and "half up" would have two meanings.
    """
    if amount < 0 or percent < 0:
        raise ValueError("A percentage is taken of a non-negative amount, at a non-negative rate.")
    numerator, denominator = percent.as_integer_ratio()
    return Centavos((2 * amount * numerator + 100 * denominator) // (200 * denominator))


def _from_float(value: float) -> Centavos:
    if not 0 <= value <= _CEILING_IN_REAIS:  # Every comparison with NaN is False.
        raise _out_of_range(value)
    centavos = round(value * 100)
    # n / 100 is the double that the text "n/100" decodes to; another value has more decimals.
    if centavos / 100 != value:
        raise _too_many_decimals()
    return Centavos(centavos)


def _from_text(text: str) -> Centavos:
    written = _PLAIN_DECIMAL.fullmatch(text)
    if written is None:
        if number := _NUMBER.fullmatch(text):
            short = number["minus"] or len(number["decimals"] or "") <= 2
            raise _out_of_range(-1 if number["minus"] else CEILING) if short else _too_many_decimals()
        raise InvalidAmount('Informe um número em reais, como 10 ou "10.50".')
    reais, decimals = written.groups("")
    return _within_range(int(reais) * 100 + int(decimals.ljust(2, "0")))


def _from_decimal(value: Decimal) -> Centavos:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):  # A letter marks NaN and the infinities.
        raise InvalidAmount("Informe um número em reais.")
    if exponent < -2:
        raise _too_many_decimals()
    if not 0 <= value <= CEILING:  # Before the product: Decimal("1E+999999") is an integer of a million digits.
        raise _out_of_range(value)
    return _within_range(int(value * 100))


def _within_range(centavos: int) -> Centavos:
    if 0 <= centavos <= CEILING:
        return Centavos(centavos)
    raise _out_of_range(centavos)


def _out_of_range(value: Decimal | float) -> InvalidAmount:
    if value < 0:
        return InvalidAmount("O valor não pode ser negativo.")
    if value > 0:
        return InvalidAmount(f"O valor máximo é {format_brl(CEILING)}.")
    return InvalidAmount("Informe um número em reais.")  # NaN.


def _too_many_decimals() -> InvalidAmount:
    return InvalidAmount("Use no máximo duas casas decimais.")

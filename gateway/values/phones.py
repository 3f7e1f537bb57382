"""Normalize Brazilian phone numbers by the numbering plan of libphonenumber."""

import re
from functools import cache
from importlib import import_module
from typing import Any
from unicodedata import category

INVALID = "informe um telefone do Brasil com DDD, com 10 ou 11 dígitos"
NOT_MOBILE = "informe um celular do Brasil com DDD, com 11 dígitos"
MAX_LENGTH = 40
_CARRIER_TO_CHOOSE = re.compile(r"0\s*xx\s*", re.IGNORECASE)
_LINK = "tel:"
_WRITTEN = re.compile(r"\(?\+? ?[0-9(][0-9 ().\-]*")


class InvalidPhone(ValueError):
    """Not a Brazilian number with its area code. The message is Portuguese, for a field."""


def normalise_phone(text: str) -> str:
    """The 10 or 11 digits of area code and number.

    Accepts +55, 0055, a leading 0, a carrier code, spaces, dots, dashes and parentheses. Raises `InvalidPhone` for
    anything else, such as another country, 0800, an extension or an unknown area code.
    """
    library, written = _library(), _plain(text)
    if not _WRITTEN.fullmatch(written):
        raise InvalidPhone(INVALID)
    if re.sub(r"\D", "", written).startswith("00"):  # As the international prefix is dialled here.
        written = "+" + re.sub(r"\D", "", written)[2:]
    try:
        number = library.parse(written, "BR")
    except library.NumberParseException:
        raise InvalidPhone(INVALID) from None
    kinds = library.PhoneNumberType
    lines = (kinds.FIXED_LINE, kinds.MOBILE, kinds.FIXED_LINE_OR_MOBILE)
    if number.country_code != 55 or library.number_type(number) not in lines:  # Brazil.
        raise InvalidPhone(INVALID)
    return str(number.national_number)


def normalise_mobile(text: str) -> str:
    """Like `normalise_phone`, for a mobile number: 11 digits. Raises `InvalidPhone`."""
    try:
        digits = normalise_phone(text)
    except InvalidPhone:
        raise InvalidPhone(NOT_MOBILE) from None
    if len(digits) != len("11987654321"):
        raise InvalidPhone(NOT_MOBILE)
    return digits


def _plain(text: str) -> str:
    """The text with plain spaces and dashes, without direction marks, a carrier's `0xx` and a link's `tel:`."""
    kinds = ((letter, category(letter)) for letter in text)
    plain = (" " if kind == "Zs" else "-" if kind == "Pd" else letter for letter, kind in kinds if kind != "Cf")
    return _CARRIER_TO_CHOOSE.sub("", "".join(plain).strip().removeprefix(_LINK)).strip()


@cache
def _library() -> Any:
    """Imported on first use: its 80 modules would slow every start."""
    return import_module("phonenumbers")

"""CPF and CNPJ: normalization and masking.

A CPF is 11 digits. A CNPJ is 14 characters: 8 of root and 4 of branch in `[0-9A-Z]`, then 2 numeric check digits
(alphanumeric since July 2026, Instrução Normativa RFB 2.229/2024). The numeric CNPJ is a special case of the same
arithmetic, so the module has no branch for it.
"""

import re
from operator import mul

CPF_LENGTH = 11
CNPJ_LENGTH = 14

_CPF = re.compile(r"[0-9]{11}")
_CNPJ = re.compile(r"[0-9A-Z]{12}[0-9]{2}")

# A character is worth its ASCII code less 48: "0" to "9" are 0 to 9, "A" is 17 and "Z" is 42.
_VALUE_OF = bytes(max(code - ord("0"), 0) for code in range(256))

# The weights of the second check digit. Those of the first are the same ones without the leading weight.
_CPF_WEIGHTS = (11, 10, 9, 8, 7, 6, 5, 4, 3, 2)
_CNPJ_WEIGHTS = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)


class InvalidDocument(ValueError):  # "Invalid" already says that it is an error.
    """The text is no CPF or CNPJ. The message is Portuguese and safe to show: it never repeats the text."""


def normalise_document(text: object) -> str:
    """Return the form that is stored: 11 digits of a CPF or 14 characters of a CNPJ, check digits verified.

    Removes dots, hyphens, slashes and spaces, and converts to upper case. Any other character raises `InvalidDocument`,
    as does a value that is not text.
    """
    bare = _without_formatting(text)
    if len(bare) == CPF_LENGTH:
        return normalise_cpf(bare)
    if len(bare) == CNPJ_LENGTH:
        return normalise_cnpj(bare)
    raise InvalidDocument("Informe um CPF com 11 dígitos ou um CNPJ com 14 caracteres.")


def normalise_cpf(text: object) -> str:
    """Return the 11 digits of a CPF, or raise `InvalidDocument`."""
    bare = _without_formatting(text)
    if not (_CPF.fullmatch(bare) and _has_its_check_digits(bare, _CPF_WEIGHTS)):
        raise InvalidDocument("CPF inválido.")
    return bare


def normalise_cnpj(text: object) -> str:
    """Return the 14 characters of a numeric or alphanumeric CNPJ, or raise `InvalidDocument`."""
    bare = _without_formatting(text)
    if not (_CNPJ.fullmatch(bare) and _has_its_check_digits(bare, _CNPJ_WEIGHTS)):
        raise InvalidDocument("CNPJ inválido.")
    return bare


def mask_document(document: str) -> str:
    """Hide a normalised document for public pages: `***.456.789-**` for a CPF, `12.***.***/0001-**` for a CNPJ."""
    # The length is not enough: a formatted CPF has 14 characters, too.
    if _CPF.fullmatch(document):
        return f"***.{document[3:6]}.{document[6:9]}-**"
    if _CNPJ.fullmatch(document):
        return f"{document[:2]}.***.***/{document[8:12]}-**"
    raise InvalidDocument("O documento não está normalizado.")


def _without_formatting(text: object) -> str:
    # Check ASCII before upper(): "ſ" and "ı" are not ASCII, but their upper-case forms "S" and "I" are.
    if not isinstance(text, str) or not text.isascii():
        raise InvalidDocument("Informe um CPF ou CNPJ válido.")
    return text.replace(".", "").replace("-", "").replace("/", "").replace(" ", "").upper()


def _has_its_check_digits(bare: str, weights: tuple[int, ...]) -> bool:
    # Eleven or fourteen equal digits pass the arithmetic, but no such number is assigned.
    if bare == bare[0] * len(bare):
        return False
    values = bare.encode("ascii").translate(_VALUE_OF)
    return values[-2] == _check_digit(values[:-2], weights[1:]) and values[-1] == _check_digit(values[:-1], weights)


def _check_digit(values: bytes, weights: tuple[int, ...]) -> int:
    """Modulo 11 of the weighted sum; the remainders 0 and 1 both give the digit 0."""
    remainder = sum(map(mul, values, weights)) % 11
    return 0 if remainder < 2 else 11 - remainder

"""The BR Code: the text behind a Pix QR code, which is also the "copia e cola".

A BR Code is a flat run of fields, each `id` (2 digits), `length` (2 digits) and `value`; a template is a field whose
value is such a run again. Sources: *Manual do BR Code* and *Manual de Padrões para Iniciação do Pix* (Banco Central),
which narrow the EMV QR Code Specification for Payment Systems, Merchant-Presented Mode.

    00 payload format      01 reusable or single use   26–51 receiver's accounts, one of them Pix:
    52 merchant category   53 currency (986)                  00 GUI  01 key  02 info  03 facilitator  25 URL
    54 amount in reais     58 country (BR)             62 additional data: 05 txid
    59 receiver's name     60 city   61 postal code    80–99 other templates, one of them a Pix recurrence
    63 CRC, always last

A **static** code has a Pix key. A **dynamic** one has a URL where the receiver's bank serves the charge; its txid is
behind that URL, so the code has `***`.
"""

import re
import unicodedata
from binascii import crc_hqx
from enum import StrEnum
from functools import lru_cache
from typing import Final

from msgspec import Struct

from gateway.values.money import Centavos, format_brl

MAX_LENGTH: Final = 512  # Characters of a whole code (Pix API of Banco Central, `pixCopiaECola`).

_PIX: Final = "br.gov.bcb.pix"  # The globally unique identifier that marks a template as Pix's.
_NO_TXID: Final = "***"
_TAGS: Final = frozenset(f"{tag:02d}" for tag in range(100))
_LENGTHS: Final = {f"{length:02d}": length for length in range(1, 100)}  # A look-up is faster than isdigit() and int().
_ACCOUNTS: Final = frozenset(str(tag) for tag in range(26, 52))
_OTHER_TEMPLATES: Final = frozenset(str(tag) for tag in range(80, 100))

_URL: Final = re.compile("(?!(?i:https?):)[!-~]{1,77}")

_REQUIRED: Final = frozenset({"00", "52", "53", "58", "59", "60", "62", "63"})
_VALUES: Final = {
    "00": re.compile("01"),
    "01": re.compile("11|12"),
    "52": re.compile("[0-9]{4}"),
    "53": re.compile("986"),
    "54": re.compile(r"[0-9]{1,10}\.[0-9]{2}"),
    "58": re.compile("BR"),
    "59": re.compile(".{1,25}"),
    "60": re.compile(".{1,15}"),
    "61": re.compile("[0-9-]{1,99}"),  # Digits by the manual; the hyphen of a CEP is accepted.
}
_PIX_VALUES: Final = {"01": re.compile("[!-~]{1,77}"), "03": re.compile("[0-9]{8}"), "25": _URL}

_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
_REFUSED_BY_SOME_BANKS: Final = re.compile(r"[^A-Za-z0-9$%*+\-./:]+")  # bacen/pix-api issues 128, 509, 634 and 635.


class Fault(StrEnum):
    """What is wrong with a BR Code."""

    CHARSET = "charset"
    LENGTH = "length"
    STRUCTURE = "structure"
    DUPLICATE = "duplicate"
    ORDER = "order"
    MISSING = "missing"
    CRC = "crc"
    VALUE = "value"
    AMOUNT = "amount"


class InvalidBrCode(ValueError):  # "Invalid" already says that it is an error.
    """The text is not a valid BR Code, or no code can be built from the values."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


class BrCode(Struct, frozen=True):
    """A parsed Pix BR Code. Either `key` (static) or `url` (dynamic, without `https://`) is present."""

    merchant_name: str
    merchant_city: str
    amount: Centavos | None  # None: the payer types it, or the bank behind the URL knows it.
    txid: str | None  # None: written `***`.
    key: str | None
    url: str | None


# ---- Writing


def build_dynamic(*, url: str, amount: Centavos | int, merchant_name: str, merchant_city: str) -> str:
    """Write a single-use code for the charge served at `url` (without `https://`, up to 77 characters).

    `amount` is in centavos. Name and city are cleaned and cut to 25 and 15 characters. Raises `InvalidBrCode` when a
    value cannot be written.
    """
    if not _URL.fullmatch(url):
        raise InvalidBrCode(Fault.VALUE, "A URL do BR Code deve ter até 77 caracteres e não leva https://.")
    if not 0 < amount < 10**12:
        raise InvalidBrCode(Fault.VALUE, "O valor de um BR Code deve ser positivo e ter até 10 algarismos em reais.")
    account = _field("26", _PIX_GUI + _field("25", url))
    price = _field("54", f"{amount // 100}.{amount % 100:02d}")
    receiver = _receiver(merchant_name, merchant_city)
    code = f"000201010212{account}{_CATEGORY_AND_CURRENCY}{price}{receiver}{_ADDITIONAL}6304"
    return code + crc(code)


def is_writable(name: str) -> bool:
    """Whether a receiver's name has any character that a code accepts; `株式会社` has none."""
    return bool(_cleaned(name, 25))


def crc(text: str) -> str:
    """CRC-16/CCITT-FALSE of an ASCII text, as four upper-case hexadecimal digits ("123456789" gives "29B1")."""
    return f"{crc_hqx(text.encode('ascii'), 0xFFFF):04X}"


def _field(tag: str, value: str) -> str:
    return f"{tag}{len(value):02d}{value}"


_PIX_GUI: Final = _field("00", _PIX)
_CATEGORY_AND_CURRENCY: Final = _field("52", "0000") + _field("53", "986")
_ADDITIONAL: Final = _field("62", _field("05", _NO_TXID))


@lru_cache(1024)  # The same for every charge of a store, and most of the cost of a code.
def _receiver(name: str, city: str) -> str:
    name, city = _cleaned(name, 25), _cleaned(city, 15)
    if not name or not city:
        raise InvalidBrCode(Fault.MISSING, "O BR Code precisa do nome e da cidade do recebedor em letras latinas.")
    return _field("58", "BR") + _field("59", name) + _field("60", city)


def _cleaned(text: str, limit: int) -> str:
    """`Açaí & Cia` becomes `Acai Cia`: no accents, only characters that every bank accepts, cut to the limit."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return _REFUSED_BY_SOME_BANKS.sub(" ", plain).strip()[:limit].rstrip()


# ---- Reading


def check(payload: str, *, amount: Centavos | int) -> BrCode:
    """Parse a code before its charge is stored. An amount in it must be the charge's (centavos)."""
    code = parse(payload)
    if code.amount is not None and code.amount != amount:
        found, expected = format_brl(code.amount), format_brl(amount)
        raise InvalidBrCode(Fault.AMOUNT, f"O BR Code cobra {found}, e a cobrança é de {expected}.")
    return code


def parse(payload: str) -> BrCode:
    """Read a Pix BR Code, or raise `InvalidBrCode` with the first `fault` found.

    The CRC must be in upper case. A code with only a recurrence, without key or URL, is refused: it cannot be paid now.
    """
    fields = _checked_fields(payload)
    pix = _pix_template(fields, _ACCOUNTS)
    if pix is None:
        raise InvalidBrCode(Fault.MISSING, "O BR Code não tem uma conta Pix.")
    _require_values(pix, _PIX_VALUES)
    _pix_template(fields, _OTHER_TEMPLATES)  # A recurrence is not read, but must be well formed.
    key, url = pix.get("01"), pix.get("25")
    if (key is None) == (url is None):
        raise InvalidBrCode(Fault.MISSING, "O BR Code deve ter uma chave Pix ou uma URL, e só uma delas.")
    amount = fields.get("54")
    return BrCode(
        merchant_name=fields["59"],
        merchant_city=fields["60"],
        amount=None if amount is None else Centavos(int(amount.replace(".", ""))),
        txid=_txid(fields["62"]),
        key=key,
        url=url,
    )


def _checked_fields(payload: str) -> dict[str, str]:
    """The outermost fields, after all checks that are not specific to Pix."""
    if not (payload.isascii() and payload.isprintable()):
        raise InvalidBrCode(Fault.CHARSET, "O BR Code só pode ter caracteres ASCII visíveis e espaços.")
    if len(payload) > MAX_LENGTH:
        raise InvalidBrCode(Fault.LENGTH, f"O BR Code tem mais de {MAX_LENGTH} caracteres.")
    fields = _fields(payload)
    if missing := _REQUIRED - fields.keys():
        raise InvalidBrCode(Fault.MISSING, f"Falta o campo {min(missing)} do BR Code.")
    if next(iter(fields)) != "00" or next(reversed(fields)) != "63":
        raise InvalidBrCode(Fault.ORDER, "O BR Code deve começar no campo 00 e terminar no campo 63.")
    if fields["63"] != crc(payload[:-4]):
        raise InvalidBrCode(Fault.CRC, "O CRC do BR Code não confere.")
    _require_values(fields, _VALUES)
    return fields


def _fields(text: str) -> dict[str, str]:
    """Split one level of a code into its fields, in order."""
    fields: dict[str, str] = {}
    at, end, lengths = 0, len(text), _LENGTHS
    while at < end:
        value = at + 4
        tag, length = text[at : at + 2], lengths.get(text[at + 2 : value])
        if length is None or tag not in _TAGS:
            raise InvalidBrCode(Fault.STRUCTURE, f"O BR Code não tem um campo na posição {at}.")
        if tag in fields:
            raise InvalidBrCode(Fault.DUPLICATE, f"O campo {tag} do BR Code se repete.")
        at = value + length
        fields[tag] = text[value:at]
    if at != end:
        raise InvalidBrCode(Fault.LENGTH, f"O último campo do BR Code passa do fim em {at - end} caracteres.")
    return fields


def _pix_template(fields: dict[str, str], tags: frozenset[str]) -> dict[str, str] | None:
    """The Pix template among `tags`; other schemes may have their own."""
    templates = [_fields(fields[tag]) for tag in fields if tag in tags]
    pix = [template for template in templates if template.get("00", "").lower() == _PIX]
    if len(pix) > 1:
        raise InvalidBrCode(Fault.DUPLICATE, "O BR Code tem mais de um bloco Pix do mesmo tipo.")
    return pix[0] if pix else None


@lru_cache(1024)  # `***` in every dynamic code.
def _txid(additional: str) -> str | None:
    txid = _fields(additional).get("05")
    if txid is None:
        raise InvalidBrCode(Fault.MISSING, "Falta o txid do BR Code.")
    if len(txid) > 25:
        raise InvalidBrCode(Fault.LENGTH, "O txid do BR Code tem mais de 25 caracteres.")
    return None if txid == _NO_TXID else txid


def _require_values(fields: dict[str, str], values: dict[str, re.Pattern[str]]) -> None:
    for tag, pattern in values.items():
        if tag in fields and not pattern.fullmatch(fields[tag]):
            raise InvalidBrCode(Fault.VALUE, f"O campo {tag} do BR Code tem um valor inválido.")

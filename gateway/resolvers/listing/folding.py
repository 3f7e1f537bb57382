"""Texts as searches compare them: in lower case and without accents, so that `joao` finds `João` and
`JOÃO` finds `joao` (ADR 0050).

What is kept of texts is folded when it is kept, by the function `folded` of the database (migration 0037).
Texts that aren't are compared with a pattern instead, in which a letter stands for all that fold to it: to fold
a row takes ten times as long.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from unicodedata import normalize

_MARK = "[\u0300-\u036f]"
_MARKS = re.compile(_MARK)
_SPECIAL = re.compile(r"[][\\.^$*+?(){}|]")
_LETTERS_WITH_ACCENTS = range(0xC0, 0x2B00), range(0xF900, 0xFB50), range(0x2F800, 0x2FA20)
"""Where Unicode has them, and the signs that are another way to write a letter."""


def folded(text: str) -> str:
    """The text in lower case, composed, without the marks that Unicode takes apart from letters."""
    return normalize("NFC", _MARKS.sub("", normalize("NFD", text))).lower()


def pattern(text: str) -> str:
    """A regular expression of PostgreSQL that finds a text, folded, in texts in lower case,
    however their accents are written.
    """
    return "".join(_either(letter) + _MARK + "*" for letter in text)


def _either(letter: str) -> str:
    accented = _accented().get(letter)
    return f"[{letter}{accented}]" if accented else _SPECIAL.sub(r"\\\g<0>", letter)


@lru_cache(maxsize=1)
def _accented() -> Mapping[str, str]:
    """The letters that fold to a letter. Asked for when something is searched first: it takes some milliseconds to
    know.
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    for letter in map(chr, chain(*_LETTERS_WITH_ACCENTS)):
        low, base = letter.lower(), folded(letter)
        if len(low) == len(base) == 1 and low != base:
            found[base].add(low)
    return {base: "".join(sorted(letters)) for base, letters in found.items()}

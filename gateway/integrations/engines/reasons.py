"""An engine's own words, made fit for a merchant to read: short, one line, and without what isn't theirs to see."""

import re
from unicodedata import category

MAX_REASON_LENGTH = 200
_SECRETS = (
    (re.compile(r"https?://\S+", re.IGNORECASE), "[endereço]"),
    (re.compile(r"\$?aact_\S+", re.IGNORECASE), "[chave]"),
    (re.compile(r"[^\s@<>]+@[^\s@<>]+"), "[e-mail]"),
    # A word of letters and digits that is so long is a key, a token or an id.
    (re.compile(r"(?=[\w-]*\d)[A-Za-z0-9_-]{20,}"), "[código]"),
    # A document or a phone number, however it is written. An amount has fewer digits.
    (re.compile(r"\+?(?:[0-9A-Z]{2}[./-]?)?\d(?:[\s().\-/]{0,2}\d){9,}"), "[número]"),
)


def reason_of(text: object) -> str:
    """The text as one bounded line without documents, addresses, keys and control characters; empty for no text."""
    if not isinstance(text, str):
        return ""
    line = "".join(" " if category(letter)[0] in "CZ" or letter in "<>" else letter for letter in text[:2000])
    line = " ".join(line.split())
    for pattern, instead in _SECRETS:
        line = pattern.sub(instead, line)
    if len(line) > MAX_REASON_LENGTH:
        line = f"{line[: MAX_REASON_LENGTH - 1].rstrip()}…"
    return line

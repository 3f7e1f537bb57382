"""Texts without letter case and accents, for comparisons."""

from unicodedata import combining, normalize


def plain(text: str) -> str:
    """In lower case and without accents."""
    return "".join(one for one in normalize("NFD", text.lower()) if not combining(one))

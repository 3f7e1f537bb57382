"""Domains as mail looks them up."""

import idna


def in_ascii(domain: str) -> str:
    """The domain's form in ASCII (IDNA 2008). Raises ValueError for one that has none: what other rules make of
    `ｅxample.com` or `straße.de` is a domain of somebody else's.
    """
    return domain if domain.isascii() else idna.encode(domain.lower(), strict=True).decode()

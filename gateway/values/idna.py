"""Domains as mail looks them up."""

import re

import idna

_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")


def to_ascii(domain: str) -> str:
    """The domain's form in ASCII (IDNA 2008). Raises ValueError for one that has none: what other rules make of
    `ｅxample.com` or `straße.de` is another domain; and for one with other signs than letters, digits and
    hyphens (RFC 1123).
    """
    host = domain if domain.isascii() else idna.encode(domain.lower(), strict=True).decode()
    if not _HOST.fullmatch(host):
        raise ValueError("no host has such a name")
    return host

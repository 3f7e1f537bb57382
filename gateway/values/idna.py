"""Internationalized domain names (IDNA 2008)."""

import re

import idna

_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")


def to_ascii(domain: str) -> str:
    """The ASCII form of a domain. Raises `ValueError` for other characters than letters, digits and hyphens (RFC 1123).

    Also raises it for `ｅxample.com` and `straße.de`, which older rules map to other domains.
    """
    host = domain if domain.isascii() else idna.encode(domain.lower(), strict=True).decode()
    if not _HOST.fullmatch(host):
        raise ValueError("no host has such a name")
    return host

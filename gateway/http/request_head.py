"""Refuse a request that a proxy in front may read differently: where it ends, and for which host it is."""

import re
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import AddressValueError, IPv6Address

_HOST = re.compile(rb"(?:\[([0-9A-Fa-f:.]+)\]|(?:[A-Za-z0-9._~!$&'()*+;=-]|%[0-9A-Fa-f]{2})+)(?::([0-9]{0,5}))?")
"""`uri-host [ ":" port ]` (RFC 9110, section 7.2) without the comma, which joins two values."""
_MAX_PORT = 65535


def find_head_error(version: str, headers: Sequence[tuple[bytes, bytes]]) -> str | None:
    """What is wrong with a request of this HTTP version (RFC 9112, sections 3.2 and 6.1). Names are in lower case."""
    hosts = [value for name, value in headers if name == b"host"]
    encodings = [value.lower() for name, value in headers if name == b"transfer-encoding"]
    if version not in {"1.1", "1.0"}:
        return "A requisição não é HTTP válida."
    if (version == "1.1" or hosts) and (len(hosts) != 1 or not _is_host(hosts[0])):
        return "A requisição deve ter exatamente um cabeçalho Host, com um nome ou endereço válido."
    if encodings and (encodings != [b"chunked"] or version == "1.0"):
        return "Transfer-Encoding deve ser apenas chunked, uma vez, em HTTP/1.1."
    return None


def _is_host(value: bytes) -> bool:
    found = _HOST.fullmatch(value)
    if found is None or int(found[2] or 0) > _MAX_PORT:
        return False
    with suppress(AddressValueError):
        return found[1] is None or IPv6Address(found[1].decode()) is not None
    return False

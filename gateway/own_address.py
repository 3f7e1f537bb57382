"""The public address of the gateway, as a page shows it to who reads the page."""

import re
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from gateway.settings import Network, Settings

_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}
_HOST = re.compile(r"(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")


def own_address(scope: Scope, settings: Settings) -> str:
    """`GATEWAY_BASE_URL` where it names a host of the network; else the host of this request. What a proxy says of it
    counts only if `GATEWAY_TRUSTED_PROXIES` names the proxy.
    """
    if urlsplit(settings.base_url).hostname not in _THIS_MACHINE:
        return settings.base_url
    headers = Headers(scope=scope)
    scheme, host = scope["scheme"], headers.get("host", "")
    if scope.get("client") and within(scope["client"][0], settings.trusted_proxies):
        host = headers.get("x-forwarded-host", host)
        forwarded = headers.get("x-forwarded-proto", scheme)
        scheme = forwarded if forwarded in {"http", "https"} else scheme
    return f"{scheme}://{host}" if _HOST.fullmatch(host) else settings.base_url


def within(address: str, networks: tuple[Network, ...]) -> bool:
    """Whether an address lies in one of the networks; an IPv4 address may be written as IPv6."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return any((mapped or parsed) in network for network in networks)

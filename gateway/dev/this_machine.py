"""Whether a request names this machine as its host, which excludes DNS rebinding."""

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_this_machine(host: str | None, base_url: str) -> bool:
    """Whether a `Host` header has a number, `localhost` or the name of the base URL."""
    name = urlsplit(f"//{host or ''}").hostname or ""
    return name in {"localhost", urlsplit(base_url).hostname} or _is_number(name)


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True

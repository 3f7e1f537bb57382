"""Whether a request names this machine as its host, which excludes DNS rebinding."""

from urllib.parse import urlsplit

from gateway.integrations.egress.resolver import literal


def is_this_machine(host: str | None, base_url: str) -> bool:
    """Whether a `Host` header has a number, `localhost` or the name of the base URL."""
    name = urlsplit(f"//{host or ''}").hostname or ""
    return name in {"localhost", urlsplit(base_url).hostname} or literal(name) is not None

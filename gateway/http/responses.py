"""The headers of all responses, and the body of errors outside operations."""

from typing import Any

from gateway import __version__


def error_body(path: str, status: int, error: dict[str, Any]) -> dict[str, Any]:
    """`{"error": …}`, or the GraphQL form at `/graphql`."""
    if path.rstrip("/").lower() != "/graphql":
        return {"error": error}
    further = {name: value for name, value in error.items() if name != "message"}
    return {"errors": [{"message": error["message"], "extensions": {"status": status, **further}}]}


DEFAULT_HEADERS = (
    (b"x-service-version", __version__.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)

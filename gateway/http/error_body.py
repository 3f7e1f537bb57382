"""The body of an error that no operation gave, in the form of the path it answers."""

from typing import Any


def error_body(path: str, status: int, error: dict[str, Any]) -> dict[str, Any]:
    """`{"error": …}`, or what GraphQL clients read at `/graphql`."""
    if path.rstrip("/").lower() != "/graphql":
        return {"error": error}
    further = {name: value for name, value in error.items() if name != "message"}
    return {"errors": [{"message": error["message"], "extensions": {"status": status, **further}}]}

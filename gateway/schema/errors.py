"""Errors as GraphQL shows them: the same message, `codigo`, status and extra members as REST, under `extensions`."""

from typing import Any

from graphql import GraphQLError

from gateway.errors import UNEXPECTED_MESSAGE, GatewayError
from gateway.telemetry import UNEXPECTED, log


def formatted(error: GraphQLError, request_id: str) -> dict[str, Any]:
    """One member of `errors`. What isn't an error of ours is masked, and logged with the request's id."""
    shown: dict[str, Any] = {"message": error.message}
    if error.locations:
        shown["locations"] = [location.formatted for location in error.locations]
    if error.path:
        shown["path"] = error.path
    cause = error.original_error
    if isinstance(cause, GatewayError):
        shown["message"] = cause.message
        shown["extensions"] = _extensions(cause)
    elif cause is None or isinstance(cause, GraphQLError):
        shown["extensions"] = {"status": 400, **(error.extensions or {})}
    else:
        UNEXPECTED.inc()
        log.error("unexpected_error", request_id=request_id, path=error.path, exc_info=cause)
        shown["message"] = UNEXPECTED_MESSAGE
        shown["extensions"] = {"status": 500, "id": request_id}
    return shown


def of_ours(error: GatewayError) -> dict[str, Any]:
    """One of our errors, raised before anything was executed."""
    return {"message": error.message, "extensions": _extensions(error)}


def _extensions(error: GatewayError) -> dict[str, Any]:
    codigo = {"codigo": error.codigo} if error.codigo else {}
    return {"status": error.status, **codigo, **error.extra}

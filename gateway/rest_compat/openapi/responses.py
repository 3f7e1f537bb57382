"""Responses of an endpoint: success, and the errors that follow from its permission, flags and input."""

from collections.abc import Iterable
from typing import Any, get_origin

from gateway import errors
from gateway.errors import GatewayError
from gateway.resolvers.core.access import RULES, KeyAccess, Permission
from gateway.resolvers.core.actor import Role
from gateway.resolvers.core.listing.exports import Export
from gateway.resolvers.core.operation import Operation
from gateway.resolvers.core.views import Page
from gateway.rest_compat.app import Endpoint
from gateway.rest_compat.openapi.descriptions import DESCRIPTIONS
from gateway.rest_compat.openapi.schemas import Schema, Schemas, result_schema

ErrorClass = type[GatewayError]
DONE = {200: "Feito.", 201: "Criado.", 202: "Aceito: acontece a seguir."}
MEANING = {
    400: "Dados inválidos.",
    401: "Credencial ausente ou inválida.",
    403: "Sem permissão.",
    404: "Não existe, é de outra loja ou de outro ambiente.",
    409: "Conflita com o estado atual.",
    410: "Encerrado.",
    413: "Corpo grande demais.",
    415: "O corpo não é do tipo que se espera.",
    429: "Tentativas demais.",
    500: "Falha inesperada. `error.id` é o código a informar ao suporte, igual ao cabeçalho `X-Request-Id`.",
    501: "Não configurado neste serviço.",
    502: "Um provedor externo recusou ou falhou.",
    503: "Indisponível.",
}
NOTICE: Schema = {"type": "string", "description": "Um aviso sobre a requisição, quando há o que avisar."}
PAGINATION: Schema = {"$ref": "#/components/schemas/Pagination"}


def success(schemas: Schemas, endpoint: Endpoint) -> dict[str, Any]:
    """The response of success; none for an operation that always fails."""
    operation = endpoint.operation
    if not DESCRIPTIONS[operation.name].succeeds:
        return {}
    if endpoint.file_types:
        file: Schema = {"schema": {"type": "string", "format": "binary"}}
        return {
            str(endpoint.status): {"description": "O arquivo.", "content": dict.fromkeys(endpoint.file_types, file)}
        }
    if is_export(endpoint):
        content: Schema = {"text/csv": {"schema": {"type": "string"}}}
        return {str(endpoint.status): {"description": "O arquivo CSV.", "content": content}}
    properties = {"data": result_schema(schemas, operation.result_type)}
    if get_origin(operation.result_type) is Page:
        properties["pagination"] = schemas.use(PAGINATION)
    properties["aviso"] = NOTICE
    response: Schema = {
        "description": DONE[endpoint.status],
        "content": {"application/json": {"schema": {"type": "object", "required": ["data"], "properties": properties}}},
    }
    headers = ["Idempotent-Replayed"] if operation.idempotent else []
    headers += ["Location"] if endpoint.location is not None else []
    if headers:
        response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in headers}
    existing = {"200": _without_location(response) | {"description": "Já existia."}} if endpoint.may_exist else {}
    return {**existing, str(endpoint.status): response}


def _without_location(response: Schema) -> Schema:
    headers = {name: header for name, header in response.get("headers", {}).items() if name != "Location"}
    rest = {name: part for name, part in response.items() if name != "headers"}
    return {**rest, "headers": headers} if headers else rest


def is_export(endpoint: Endpoint) -> bool:
    """Whether an endpoint responds with CSV only."""
    return endpoint.operation.result_type is Export


def failures(endpoint: Endpoint, *, has_id: bool) -> dict[str, Any]:
    """The error responses by status. `has_id`: the input has an id, which may be unknown."""
    found = [
        *DESCRIPTIONS[endpoint.operation.name].errors,
        *_of_request(endpoint),
        *_of_permission(endpoint.operation),
    ]
    found += [errors.NotFound] if has_id else []
    found += [errors.LiveNotApproved, errors.EngineFailed] if endpoint.operation.needs_live_approval else []
    found += [errors.IdempotencyConflict, errors.IdempotencyInProgress] if endpoint.operation.idempotent else []
    found += [errors.ExportsUnderway] if is_export(endpoint) else []
    classes = list(dict.fromkeys(found))
    statuses = sorted({error.status for error in classes})
    answers = {
        str(status): _reference_or_response([each for each in classes if each.status == status]) for status in statuses
    }
    return dict(sorted((answers | {"500": {"$ref": "#/components/responses/Unexpected"}}).items()))


def shared() -> dict[str, Any]:
    """Responses of many endpoints."""
    alone: list[ErrorClass] = [
        *(
            errors.InvalidInput,
            errors.NotFound,
            errors.BodyTooLarge,
            errors.WrongContentType,
            errors.EngineFailed,
            errors.RateLimited,
            errors.ExportsUnderway,
        )
    ]
    answers = {error.__name__: error_response([error]) for error in alone}
    unexpected = {"error": {"message": errors.UNEXPECTED_MESSAGE, "id": "0198f3c2-5d0e-7c31"}}
    return answers | {
        "Unauthenticated": error_response([errors.MissingCredential, errors.UnknownApiKey, errors.InvalidSession]),
        "Unexpected": {
            "description": MEANING[500],
            "content": {"application/json": {"schema": _schema_reference("ApiError"), "example": unexpected}},
        },
    }


def error_response(classes: list[ErrorClass]) -> dict[str, Any]:
    """The response of one status: its meaning, its `codigo`s, and an example of each error."""
    status = classes[0].status
    forms = [
        _schema_reference("AuthenticationError" if issubclass(each, errors.Unauthenticated) else "ApiError")
        for each in classes
    ]
    distinct = [form for index, form in enumerate(forms) if form not in forms[:index]]
    response: Schema = {
        "description": " ".join([MEANING[status], *_codigos(classes)]),
        "content": {
            "application/json": {
                "schema": distinct[0] if len(distinct) == 1 else {"oneOf": distinct},
                "examples": {_title(each): {"summary": _title(each), "value": _example(each)} for each in classes},
            }
        },
    }
    names: tuple[str, ...] = ()
    if status == errors.RateLimited.status:
        names = ("Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
    elif errors.ExportsUnderway in classes:
        names = ("Retry-After",)
    if names:
        response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return response


def _reference_or_response(classes: list[ErrorClass]) -> dict[str, Any]:
    names = {each.__name__ for each in classes}
    if names == {"MissingCredential", "UnknownApiKey", "InvalidSession"}:
        return {"$ref": "#/components/responses/Unauthenticated"}
    if len(names) == 1 and names <= shared().keys():
        return {"$ref": f"#/components/responses/{names.pop()}"}
    return error_response(classes)


def _of_request(endpoint: Endpoint) -> Iterable[ErrorClass]:
    yield errors.InvalidInput
    if endpoint.form:
        yield from (errors.FileTooLarge, errors.NotAForm)
    elif endpoint.method in {"POST", "PUT"}:
        yield errors.BodyTooLarge
        if not endpoint.any_body:
            yield errors.WrongContentType


def _of_permission(operation: Operation[Any, Any]) -> Iterable[ErrorClass]:
    permission = operation.permission
    if permission is Permission.public:
        return
    yield from (errors.MissingCredential, errors.UnknownApiKey, errors.InvalidSession)
    rule = RULES[permission]
    if rule.staff:
        yield from (errors.StaffOnly, errors.SecondFactorRequired)
    elif rule.panel:
        yield errors.PanelOnly
    if rule.roles != frozenset(Role):
        yield errors.OwnerOnly if permission is Permission.owner else errors.RoleDenied
    if operation.scope not in {None, KeyAccess.any_key}:
        yield errors.ScopeMissing
    yield errors.LiveKeyBlocked
    if not rule.own_account:
        yield errors.ForeignStore


def _schema_reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _codigos(classes: list[ErrorClass]) -> Iterable[str]:
    codigos = [f"`{each.codigo}`" for each in classes if each.codigo]
    return [f"Códigos: {', '.join(dict.fromkeys(codigos))}."] if codigos else []


def _title(error: ErrorClass) -> str:
    return error.codigo or error.__name__


def _example(error: ErrorClass) -> dict[str, Any]:
    if issubclass(error, errors.Unauthenticated):
        return {"error": error.default_message}
    if error is errors.InvalidInput:
        return {"error": errors.InvalidInput(("amount", "campo obrigatório")).body()}
    if issubclass(error, errors.InvalidInput):
        return {"error": error().body()}
    codigo = {"codigo": error.codigo} if error.codigo else {}
    return {"error": {"message": error.default_message, **codigo}}

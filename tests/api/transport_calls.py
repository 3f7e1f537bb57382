"""Calls any operation through either transport with the same raw input, and reads both responses into one form."""

from dataclasses import dataclass, field
from typing import Any

import httpx
from graphql import GraphQLField, GraphQLObjectType, GraphQLOutputType, get_named_type
from strawberry.utils.str_converters import to_camel_case, to_snake_case

from gateway.rest_compat.app import Endpoint
from gateway.rest_compat.query import parameters_of
from gateway.rest_compat.routes import ENDPOINTS
from gateway.schema.schema import SCHEMA
from tests.api_client import Api

CORE = SCHEMA._schema


@dataclass(frozen=True)
class Outcome:
    """A response of either transport. `body` is its whole text."""

    status: int
    data: Any = None
    message: str | None = None
    codigo: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    replayed: bool = False
    notices: str | None = None
    body: str = field(default="", compare=False)


def endpoint_of(operation: str) -> Endpoint | None:
    """The first row of the table of paths that calls the operation."""
    return next((endpoint for endpoint in ENDPOINTS if endpoint.operation.name == operation), None)


async def by_rest(api: Api, operation: str, raw_input: dict[str, Any], token: str | None, **headers: str) -> Outcome:
    """Call through the REST transport."""
    endpoint = endpoint_of(operation)
    assert endpoint is not None, operation
    in_path = {name for name in raw_input if f"{{{name}}}" in endpoint.path}
    path = endpoint.path.format(**{name: raw_input[name] for name in in_path})
    rest = {name: value for name, value in raw_input.items() if name not in in_path}
    sent_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if token is not None:
        sent_headers["authorization"] = f"Bearer {token}"
    known = parameters_of(endpoint.operation.input_type)
    query = {name: value for name, value in rest.items() if name in known}
    sent: dict[str, Any] = {"params": query} if endpoint.method in {"GET", "DELETE"} else {"json": rest}
    return read_rest(await api.client.request(endpoint.method, path, headers=sent_headers, **sent))


def read_rest(response: httpx.Response) -> Outcome:
    body = response.json()
    replayed = response.headers.get("idempotent-replayed") == "true"
    if "error" not in body:
        return Outcome(
            response.status_code, body["data"], replayed=replayed, notices=body.get("aviso"), body=response.text
        )
    error = body["error"]
    if isinstance(error, str):
        return Outcome(response.status_code, message=error, body=response.text)
    extra = {name: value for name, value in error.items() if name not in {"message", "codigo"}}
    return Outcome(
        response.status_code,
        message=error["message"],
        codigo=error.get("codigo"),
        extra=extra,
        replayed=replayed,
        body=response.text,
    )


async def by_graphql(
    api: Api, field_name: str, raw_input: dict[str, Any], token: str | None, **headers: str
) -> Outcome:
    """Call through the GraphQL transport, selecting every field of the result."""
    document, variables = document_of(field_name, raw_input)
    response = await api.request(
        "POST", "/graphql", {"query": document, "variables": variables}, token=token, **headers
    )
    return read_graphql(response, field_name)


def read_graphql(response: httpx.Response, field_name: str) -> Outcome:
    body = response.json()
    replayed = response.headers.get("idempotent-replayed") == "true"
    if body.get("errors"):
        error = body["errors"][0]
        extra = {name: value for name, value in error["extensions"].items() if name not in {"status", "codigo"}}
        if "campos" in extra:  # REST has no paths.
            extra["campos"] = [{key: fault[key] for key in fault if key != "caminho"} for fault in extra["campos"]]
        return Outcome(
            error["extensions"]["status"],
            message=error["message"],
            codigo=error["extensions"].get("codigo"),
            extra=extra,
            replayed=replayed,
            body=response.text,
        )
    notices = body.get("extensions", {}).get("aviso")
    return Outcome(
        200, _listed(_snake(body["data"][field_name])), replayed=replayed, notices=notices, body=response.text
    )


def field_of(name: str) -> tuple[str, GraphQLField] | None:
    """The root field of that name, and whether it is of a query or a mutation."""
    for kind, root in (("query", CORE.query_type), ("mutation", CORE.mutation_type)):
        if root is not None and name in root.fields:
            return kind, root.fields[name]
    return None


def document_of(field_name: str, raw_input: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The document that calls a root field with the raw input, and its variables."""
    found = field_of(field_name)
    assert found is not None, f"GraphQL has no field {field_name}"
    kind, definition = found
    variables = _variables(definition, raw_input)
    declared = ", ".join(f"${name}: {definition.args[name].type}" for name in variables)
    passed = ", ".join(f"{name}: ${name}" for name in variables)
    head = f"{kind}({declared})" if declared else kind
    call = f"{field_name}({passed})" if passed else field_name
    return f"{head} {{ {call} {selection(definition.type)} }}", variables


def _variables(definition: GraphQLField, raw_input: dict[str, Any]) -> dict[str, Any]:
    variables: dict[str, Any] = {}
    for name, argument in definition.args.items():
        if name == "input":
            own = get_named_type(argument.type).fields  # type: ignore[union-attr]  # Arguments named `input` are objects.
            renamed = {to_camel_case(key): value for key, value in raw_input.items()}
            variables[name] = {key: value for key, value in renamed.items() if key in own}
        elif to_snake_case(name) in raw_input:
            variables[name] = raw_input[to_snake_case(name)]
        elif name == "endpointId" and "id" in raw_input:  # `id` in the path of REST.
            variables[name] = raw_input["id"]
    return variables


RELATIONS = {
    *("Charge.customer", "Charge.product", "Charge.coupon", "Charge.paymentLink"),
    *("Charge.subscription", "SubscriptionContract.customer", "SubscriptionContract.charges"),
    *("Customer.charges", "PaymentLink.product", "PaymentLink.coupon"),
    "SubscriptionContract.lastCharge",
    *("StatementEntry.charge", "StatementEntry.withdrawal", "StatementEntry.repayment"),
    *("Charge.refunds", "Refund.charge", "StatementEntry.refund"),
    "Coupon.discountedAmount",
    *(
        f"{parent}.{total}"
        for parent in ("Customer", "Product", "Coupon", "PaymentLink", "SubscriptionContract")
        for total in ("paidCount", "paidAmount", "lastPaidAt")
    ),
}
"""Relations, which REST has no fields for."""
GRAPHQL_ONLY = RELATIONS | {
    *("Charge.actions", "Event.deliveries", "WebhookEndpoint.health"),
    *("WebhookDelivery.payload", "WebhookDelivery.requestHeaders", "WebhookDelivery.endpoint"),
    "PaymentLink.qrCodeUrl",
}
"""Fields that REST does not have."""


def selection(kind: GraphQLOutputType, depth: int = 4) -> str:
    """Every leaf below a type."""
    named = get_named_type(kind)
    if not isinstance(named, GraphQLObjectType):
        return ""
    fields = (
        f"{name} {selection(field.type, depth - 1)}".strip()
        for name, field in named.fields.items()
        if f"{named.name}.{name}" not in GRAPHQL_ONLY
        and (depth > 1 or not isinstance(get_named_type(field.type), GraphQLObjectType))
    )
    return "{ " + " ".join(fields) + " }"


_CAMEL_CASE_IN_REST = {"accessToken"}
"""Names that the specification has in camelCase for REST, too."""


def _listed(data: Any) -> Any:
    """A connection as the list that REST returns."""
    return [edge["node"] for edge in data["edges"]] if isinstance(data, dict) and "edges" in data else data


def _snake(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name if name in _CAMEL_CASE_IN_REST else to_snake_case(name): _snake(inner) for name, inner in value.items()
        }
    return [_snake(item) for item in value] if isinstance(value, list) else value

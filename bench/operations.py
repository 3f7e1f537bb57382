"""What is measured: each operation with its requests to the floor and to ours, and the ratio it may cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from bench.load import FRESH
from bench.stage import ORDER, Stage

TWENTY_FIELDS = (
    "id txid status description amount originalAmount discountAmount feeAmount netAmount customerName customerEmail "
    "customerCpf externalReference metadata expiresAt pixCode paidAt createdAt updatedAt checkoutUrl"
)
ISSUE = f"mutation($input: IssueChargeInput!) {{ issueCharge(input: $input) {{ {TWENTY_FIELDS} }} }}"
READ = f"query($txid: String!) {{ charge(txid: $txid) {{ {TWENTY_FIELDS} }} }}"
LIST = f"query {{ charges(first: 100) {{ edges {{ node {{ {TWENTY_FIELDS} }} }} }} }}"
_GRAPHQL_ORDER = {
    "amount": ORDER["amount"],
    "description": ORDER["description"],
    "customerName": ORDER["customer_name"],
    "customerEmail": ORDER["customer_email"],
    "customerCpf": ORDER["customer_cpf"],
}


@dataclass(frozen=True)
class Operation:
    """One row of the report. `draws`: ours makes a new QR image for each request, and the floor has a variant that does
    too. Without a `target` it is told for comparison."""

    name: str
    target: float | None
    floor: Callable[[Stage], list[str]]
    ours: Callable[[Stage], list[str]]
    draws: bool = False


def request(method: str, path: str, *, key: str | None = None, once: bool = False, body: Any = None) -> str:
    """One HTTP/1.1 request as it goes over the wire. `once`: with an `Idempotency-Key` of its own each time it is sent,
    as an integration sends what it may have to send again.
    """
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", "accept: */*", "user-agent: bench"]
    if key:
        lines.append(f"authorization: Bearer {key}")
    if once:
        lines.append(f"idempotency-key: {FRESH}")
    content = orjson.dumps(body) if body is not None else b""
    if body is not None:
        lines += ["content-type: application/json", f"content-length: {len(content)}"]
    return "\r\n".join([*lines, "", content.decode()])


def graphql(key: str, query: str, variables: Mapping[str, Any], *, once: bool = False) -> str:
    return request("POST", "/graphql", key=key, once=once, body={"query": query, "variables": variables})


def _bare_issue(stage: Stage) -> list[str]:
    return [request("POST", "/pix", key=stage.issuer.key, body=ORDER)]


def _rest_issue(stage: Stage) -> list[str]:
    return [request("POST", "/pix", key=stage.issuer.key, once=True, body=ORDER)]


def _floor_read(stage: Stage) -> list[str]:
    return [request("GET", f"/pix/status?txid={txid}", key=stage.reader.key) for txid in stage.txids]


def _checkout_read(stage: Stage) -> list[str]:
    return [request("GET", f"/checkout/{txid}") for txid in stage.txids]


def _floor_list(stage: Stage) -> list[str]:
    return [request("GET", f"/pix?user_id={stage.reader.id}", key=stage.reader.key)]


def _rest_list(stage: Stage) -> list[str]:
    return [request("GET", "/pix?limit=100", key=stage.reader.key)]


def _graphql_issue(stage: Stage) -> list[str]:
    return [graphql(stage.issuer.key, ISSUE, {"input": _GRAPHQL_ORDER}, once=True)]


def _graphql_bare_issue(stage: Stage) -> list[str]:
    return [graphql(stage.issuer.key, ISSUE, {"input": _GRAPHQL_ORDER})]


def _graphql_read(stage: Stage) -> list[str]:
    return [graphql(stage.reader.key, READ, {"txid": txid}) for txid in stage.txids]


def _graphql_list(stage: Stage) -> list[str]:
    return [graphql(stage.reader.key, LIST, {})]


OPERATIONS = (
    Operation("REST issue", 1.6, _bare_issue, _rest_issue, draws=True),
    Operation("REST issue, no Idempotency-Key", None, _bare_issue, _bare_issue, draws=True),
    Operation("REST read", 1.3, _floor_read, _floor_read),
    Operation("REST checkout read", 1.3, _floor_read, _checkout_read),
    Operation("REST list 100", 1.3, _floor_list, _rest_list),
    Operation("GraphQL issue", 2.0, _bare_issue, _graphql_issue),
    Operation("GraphQL issue, no Idempotency-Key", None, _bare_issue, _graphql_bare_issue),
    Operation("GraphQL read", 2.0, _floor_read, _graphql_read),
    Operation("GraphQL list 100", 2.0, _floor_list, _graphql_list),
)


def drawing(requests: list[str]) -> list[str]:
    """The floor's requests, to its variant that draws the QR image."""
    return [text.replace("POST /pix ", "POST /pix-qr ", 1) for text in requests]

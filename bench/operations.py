"""The compared operations: the requests of each operation to the baseline and to the gateway, and the target ratio."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson
from strawberry.utils.str_converters import to_camel_case

from bench.environment import (
    ORDER,
    Merchant,
    Servers,
    open_client,
    open_servers,
    read_data,
    register_merchant,
    run_api,
    run_server,
)
from bench.load import NEW_UUID

TWENTY_FIELDS = (
    "id txid status description amount originalAmount discountAmount feeAmount netAmount customerName customerEmail "
    "customerCpf externalReference metadata expiresAt pixCode paidAt createdAt updatedAt checkoutUrl"
)
ISSUE = f"mutation($input: IssueChargeInput!) {{ issueCharge(input: $input) {{ {TWENTY_FIELDS} }} }}"
READ = f"query($txid: String!) {{ charge(txid: $txid) {{ {TWENTY_FIELDS} }} }}"
LIST = f"query {{ charges(first: 100) {{ edges {{ node {{ {TWENTY_FIELDS} }} }} }} }}"
_GRAPHQL_ORDER = {to_camel_case(name): value for name, value in ORDER.items()}
_READER_CHARGES = 300


@dataclass(frozen=True)
class Subject:
    """Both servers on one database, and two merchants. The charges of `reader` never change; `issuer` gets new ones."""

    servers: Servers
    api_port: int
    api_pid: int
    baseline_port: int
    baseline_pid: int
    reader: Merchant
    issuer: Merchant
    txids: tuple[str, ...]


@contextmanager
def open_subject() -> Iterator[Subject]:
    """Start both servers and issue the reader's charges."""
    with (
        open_servers() as servers,
        run_api(servers) as (api_port, api_pid),
        run_server(["bench.baseline"], servers) as (baseline_port, baseline_pid),
    ):
        reader, issuer = (register_merchant(api_port, name) for name in ("reader", "issuer"))
        with open_client(api_port, reader.key) as client:
            keys = ({"idempotency-key": str(uuid4())} for _ in range(_READER_CHARGES))
            charges = [read_data(client.post("/pix", json=ORDER, headers=key)) for key in keys]
        txids = tuple(charge["txid"] for charge in charges)
        yield Subject(servers, api_port, api_pid, baseline_port, baseline_pid, reader, issuer, txids)


@dataclass(frozen=True)
class Operation:
    """`draws_qr`: the gateway draws a QR image for each request. The price of the image is measured and subtracted."""

    name: str
    target: float
    baseline: Callable[[Subject], list[str]]
    gateway: Callable[[Subject], list[str]]
    draws_qr: bool = False


def request(method: str, path: str, *, key: str | None = None, idempotent: bool = False, body: Any = None) -> str:
    """One HTTP/1.1 request as it is sent. `idempotent`: each copy has an `Idempotency-Key` of its own."""
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", "accept: */*", "user-agent: bench"]
    if key:
        lines.append(f"authorization: Bearer {key}")
    if idempotent:
        lines.append(f"idempotency-key: {NEW_UUID}")
    content = orjson.dumps(body) if body is not None else b""
    if body is not None:
        lines += ["content-type: application/json", f"content-length: {len(content)}"]
    return "\r\n".join([*lines, "", content.decode()])


def graphql(key: str, query: str, variables: Mapping[str, Any], *, idempotent: bool = False) -> str:
    body = {"query": query, "variables": variables}
    return request("POST", "/graphql", key=key, idempotent=idempotent, body=body)


def _issue(subject: Subject) -> list[str]:
    return [request("POST", "/pix", key=subject.issuer.key, body=ORDER)]


def _read(subject: Subject) -> list[str]:
    return [request("GET", f"/pix/status?txid={txid}", key=subject.reader.key) for txid in subject.txids]


def _list(subject: Subject) -> list[str]:
    return [request("GET", f"/pix?user_id={subject.reader.id}", key=subject.reader.key)]


OPERATIONS = (
    Operation(
        "REST issue",
        1.6,
        _issue,
        lambda subject: [request("POST", "/pix", key=subject.issuer.key, idempotent=True, body=ORDER)],
        draws_qr=True,
    ),
    Operation("REST read", 1.3, _read, _read),
    Operation(
        "REST checkout read",
        1.3,
        _read,
        lambda subject: [request("GET", f"/checkout/{txid}") for txid in subject.txids],
    ),
    Operation("REST list 100", 1.3, _list, lambda subject: [request("GET", "/pix?limit=100", key=subject.reader.key)]),
    Operation(
        "GraphQL issue",
        2.0,
        _issue,
        lambda subject: [graphql(subject.issuer.key, ISSUE, {"input": _GRAPHQL_ORDER}, idempotent=True)],
    ),
    Operation(
        "GraphQL read",
        2.0,
        _read,
        lambda subject: [graphql(subject.reader.key, READ, {"txid": txid}) for txid in subject.txids],
    ),
    Operation("GraphQL list 100", 2.0, _list, lambda subject: [graphql(subject.reader.key, LIST, {})]),
)

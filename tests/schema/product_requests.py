"""Requests to the product's schema, valid and invalid, with and without a credential, to compare executors."""

from typing import Any

from tests.api_client import Api

FIELDS = "{ id txid amount customer { id } }"
ISSUE = f"mutation($input: IssueChargeInput!) {{ issueCharge(input: $input) {FIELDS} }}"
READ = f"query($id: ID, $txid: String) {{ charge(id: $id, txid: $txid) {FIELDS} }}"
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("{ me { environment } }", {}),
    (READ, {"txid": "unknown"}),
    (READ, {}),
    (READ, {"id": "no id", "txid": None}),
    (READ, {"txid": 7}),
    (ISSUE, {"input": {"amount": 1, "description": ""}}),
    (ISSUE, {"input": {"amount": None, "metadata": {"a": 1}, "novoCliente": True}}),
    (ISSUE, {"input": {"amount": 5, "unknown": 1}}),
    ("query($first: Int) { charges(first: $first) { totalCount edges { node { id } } } }", {"first": 101}),
]


async def answers_to_all(api: Api, token: str, comment: str = "") -> list[Any]:
    """Execute each request three times, so that it is compiled and takes the fast path; `comment` makes it new."""
    return [
        await api.graphql(f"{text} # {comment}", token=credential, **sent)
        for text, sent in REQUESTS
        for credential in (token, None)
        for _ in range(3)
    ]

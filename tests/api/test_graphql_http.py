"""GraphQL over HTTP: methods, media types and status codes of the draft specification, and persisted queries."""

from typing import Any

import httpx
import orjson
import pytest

from gateway.schema.http_request import MediaType, choose_media_type
from tests.api_client import Api, Merchant

JSON, RESPONSE = "application/json", "application/graphql-response+json"
ME = "{ me { environment } }"
LOGIN = 'mutation { login(input: {email: "a@example.com", password: "x"}) { accessToken } }'


async def get(api: Api, accept: str = JSON, token: str | None = None, **parameters: str) -> httpx.Response:
    headers = {"accept": accept} | ({"authorization": f"Bearer {token}"} if token else {})
    return await api.client.get("/graphql", params=parameters, headers=headers)


async def post(api: Api, accept: str, **body: Any) -> httpx.Response:
    return await api.request("POST", "/graphql", body, accept=accept)


async def test_a_query_is_served_over_get(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    answer = await get(
        api,
        token=merchant.key,
        query="query A { me { environment } } query B($id: ID) { charge(id: $id) { txid } }",
        operationName="B",
        variables=orjson.dumps({"id": charge["id"]}).decode(),
        extensions="{}",
        utm_source="ignored",
    )
    assert (answer.status_code, answer.json()) == (200, {"data": {"charge": {"txid": charge["txid"]}}})
    assert answer.headers["cache-control"] == "no-store"
    head = await api.client.head("/graphql", params={"query": ME}, headers={"accept": JSON})
    assert head.status_code == 200


@pytest.mark.parametrize(
    "query",
    [LOGIN, "query A { me { environment } } mutation B { endOtherSessions { accessToken } }"],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_get_never_mutates(api: Api, merchant: Merchant, query: str, method: str) -> None:
    parameters = {"query": query} | ({"operationName": "B"} if "query A" in query else {})
    headers = {"accept": JSON, "authorization": f"Bearer {merchant.token}"}
    refused = await api.client.request(method, "/graphql", params=parameters, headers=headers)
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert (await api.graphql("{ me { user { id } } }", token=merchant.token)).keys() == {"data"}
    if method == "GET":
        assert refused.json()["errors"][0]["extensions"]["status"] == 405


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"query": ""},
        {"query": ME, "variables": "[]"},
        {"query": ME, "variables": "{"},
        {"query": ME, "extensions": "1"},
        {"query": ME, "variables": "nul"},
    ],
)
async def test_an_invalid_get_is_400(api: Api, parameters: dict[str, str]) -> None:
    answer = await get(api, **parameters)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["extensions"]["status"] == 400


async def test_a_parameter_that_is_repeated_is_400(api: Api) -> None:
    answer = await api.client.get(f"/graphql?query={ME}&query={ME}", headers={"accept": JSON})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["extensions"]["campos"][0]["campo"] == "query"


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("", MediaType.unnamed),
        ("*/*", MediaType.unnamed),
        ("application/*", MediaType.unnamed),
        ("text/html, */*;q=0.8", MediaType.unnamed),
        (JSON, MediaType.json),
        ("Application/JSON; charset=utf-8", MediaType.json),
        (RESPONSE, MediaType.response),
        (f"{RESPONSE}, {JSON};q=0.9", MediaType.response),
        (f"{RESPONSE};q=0.5, {JSON}", MediaType.json),
        (f"{JSON}, {RESPONSE}", MediaType.json),
        (f"{RESPONSE}, application/graphql+json, {JSON}, text/event-stream, multipart/mixed", MediaType.response),
        (f"{JSON};q=0, */*", None),
        (f"{JSON};q=0, {RESPONSE}", MediaType.response),
        ("text/html", None),
        ("image/png, text/plain", None),
        (f"{JSON};q=nan", None),
        (f"{JSON};q=7", None),
    ],
)
def test_accept_chooses_the_media_type(accept: str, form: MediaType | None) -> None:
    assert choose_media_type(accept, page=False) is form


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", MediaType.page),
        (f"{JSON}, text/html;q=0.1", MediaType.json),
        ("*/*", MediaType.unnamed),
    ],
)
def test_a_browser_gets_graphiql(accept: str, form: MediaType) -> None:
    assert choose_media_type(accept, page=True) is form


REQUESTS: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "executed": ({"query": ME}, {RESPONSE: 200, JSON: 200, "*/*": 200}),
    "no document": ({}, {RESPONSE: 400, JSON: 400, "*/*": 400}),
    "doesn't parse": ({"query": "{"}, {RESPONSE: 400, JSON: 200, "*/*": 400}),
    "doesn't fit": ({"query": "{ nada }"}, {RESPONSE: 400, JSON: 200, "*/*": 400}),
    "no such operation": ({"query": ME, "operationName": "B"}, {RESPONSE: 400, JSON: 200, "*/*": 400}),
    "variables don't fit": (
        {"query": "query($id: ID!) { charge(id: $id) { id } }"},
        {RESPONSE: 400, JSON: 200, "*/*": 200},
    ),
    "too large": ({"query": "{ __typename } " * 51}, {RESPONSE: 400, JSON: 400, "*/*": 400}),
}


@pytest.mark.parametrize("accept", [RESPONSE, JSON, "*/*"])
@pytest.mark.parametrize("request_", REQUESTS)
async def test_status_codes_by_media_type(api: Api, request_: str, accept: str) -> None:
    body, statuses = REQUESTS[request_]
    answer = await post(api, accept, **body)
    assert answer.status_code == statuses[accept]
    kind = f"{accept}; charset=utf-8" if accept != "*/*" else JSON
    assert answer.headers["content-type"] == kind
    if request_ != "executed":
        assert answer.json()["errors"]
        assert "data" not in answer.json() or (request_ == "variables don't fit" and accept != RESPONSE)


async def test_no_acceptable_media_type_is_406(api: Api) -> None:
    answer = await post(api, "image/png", query=ME)
    assert answer.status_code == 406
    assert answer.json()["errors"][0]["extensions"] == {"status": 406}


HASH = {"persistedQuery": {"version": 1, "sha256Hash": "0" * 64}}
NOT_SUPPORTED = {"message": "PersistedQueryNotSupported", "extensions": {"code": "PERSISTED_QUERY_NOT_SUPPORTED"}}


@pytest.mark.parametrize("accept", [RESPONSE, JSON, "*/*"])
async def test_a_hash_without_its_document_is_not_supported(api: Api, accept: str) -> None:
    responses = [await post(api, accept, extensions=HASH, operationName="A")]
    responses.append(await post(api, accept, query="", extensions=HASH))
    responses.append(await get(api, accept, extensions=orjson.dumps(HASH).decode()))
    responses.append(await get(api, accept, query="", extensions=orjson.dumps(HASH).decode()))
    assert [(answer.status_code, answer.json()) for answer in responses] == [(200, {"errors": [NOT_SUPPORTED]})] * 4


async def test_repeated_headers_are_one_list(api: Api) -> None:
    body = b'{"query": "{ __typename }"}'
    kind = ("content-type", "application/json")
    accepts = [("accept", "text/html"), ("accept", "application/json")]
    assert (await api.client.post("/graphql", content=body, headers=[kind, *accepts])).status_code == 200
    kinds = [kind, ("content-type", "text/plain")]
    assert (await api.client.post("/graphql", content=body, headers=kinds)).status_code == 415


async def test_an_empty_operation_name_is_ignored(api: Api) -> None:
    for answer in (
        await post(api, JSON, query="query A { __typename }", operationName=""),
        await get(api, JSON, query="query A { __typename }", operationName=""),
    ):
        assert answer.json() == {"data": {"__typename": "Query"}}


async def test_a_hash_with_its_document_is_executed(api: Api) -> None:
    assert (await post(api, JSON, query="{ __typename }", extensions=HASH)).json() == {"data": {"__typename": "Query"}}


async def test_cached_introspection_has_the_requested_media_type(api: Api) -> None:
    document = "query A($all: Boolean) { __schema { types { name fields(includeDeprecated: $all) { name } } } }"
    answers = [
        await post(api, accept, query=document, variables=variables)
        for variables in ({}, {"all": True})
        for accept in (JSON, RESPONSE, JSON)
    ]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.headers["content-type"] for answer in answers}) == 2
    assert [answer.content for answer in answers[:3]] == [answers[0].content] * 3

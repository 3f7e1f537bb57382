"""Limits of GraphQL, checked before execution (contract section 2, GraphQL)."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
import structlog
from graphql import get_introspection_query, graphql_sync
from msgspec.structs import replace
from strawberry.utils.str_converters import to_camel_case

from gateway.app import Gateway
from gateway.errors import UNEXPECTED_MESSAGE
from gateway.http.middleware import RequestMiddleware
from gateway.models.database import open_database
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.credentials import Credentials
from gateway.schema.http import GraphQLApp
from gateway.schema.query_limits import MAX_ALIASES, MAX_DEPTH, MAX_FIELDS, MAX_FRAGMENT_SPREADS
from gateway.schema.schema import SCHEMA
from gateway.settings import Settings
from gateway.telemetry import REGISTRY
from tests import sql
from tests.api_client import Api, Merchant, charge_order
from tests.schema.plans import plans_of
from tests.spy_engine import overheard, overhearing

WAITING = "select count(*) from pg_locks where relation = 'charges'::regclass and not granted"


@pytest.fixture(params=["compiled", "by graphql-core"])
async def api(request: pytest.FixtureRequest, settings: Settings, services: Services) -> AsyncIterator[Api]:
    """The application with both executors, which have the same limits."""
    chosen = settings.model_copy(update={"graphql_fast_path": request.param == "compiled"})
    async with Api.of(Gateway(chosen, services)) as opened:
        yield opened


async def ask(api: Api, query: Any, token: str | None = None, **more: Any) -> Any:
    return await api.request("POST", "/graphql", {"query": query, **more}, token=token)


def chain(length: int, spreads: int) -> str:
    """Fragments that each spread the next one `spreads` times."""
    links = (f"fragment F{n} on Identity {{ {f'...F{n + 1} ' * spreads} }}" for n in range(length))
    return "{ me { ...F0 } } " + " ".join(links) + f" fragment F{length} on Identity {{ environment }}"


FIELDS = "id name email " * 7
TOO_MUCH = {
    "tokens": "{ me { " + "environment " * 6000 + "} }",
    "fields": "{ me { user { " + "name " * (MAX_FIELDS + 1) + "} } }",
    "repeated root fields": "{ " + "me { user { id } } " * 300 + "}",
    "aliases": "{ " + " ".join(f"a{n}: me {{ environment }}" for n in range(MAX_ALIASES + 1)) + " }",
    "spreads": "{ me { " + "...F " * (MAX_FRAGMENT_SPREADS + 1) + "} } fragment F on Identity { environment }",
    "multiplying fragments": chain(25, 2),
    "a long chain of fragments": chain(540, 1),
    "unclosed depth": "{ me " * 2000,
    "depth": "{ me " * 1000 + "}" * 1000,
    "deep list": "{ charge(id: " + "[" * 2000 + "]" * 2000 + ") { id } }",
    "deep object": "mutation { issueCharge(input: {metadata: " + "{a: " * 500 + "1" + "}" * 500 + "}) { id } }",
    "fragment cycle": "{ me { ...A } } fragment A on Identity { ...B } fragment B on Identity { ...A }",
    "fragment within itself": "{ me { ...A } } fragment A on Identity { ...A }",
    "unknown fragment": "{ me { ...Nada } }",
    "mutations": "mutation { " + " ".join(f"a{n}: endOtherSessions {{ accessToken }}" for n in range(11)) + "}",
    "mutations in fragments": "mutation { ...F ...G } "
    "fragment F on Mutation { "
    + " ".join(f"a{n}: endOtherSessions {{ accessToken }}" for n in range(6))
    + " } "
    + "fragment G on Mutation { "
    + " ".join(f"b{n}: endOtherSessions {{ accessToken }}" for n in range(6))
    + " }",
    "fields of all operations": " ".join(f"query A{n} {{ me {{ user {{ {FIELDS} }} }} }}" for n in range(50)),
    "operations": " ".join(f"query A{n} {{ __typename }}" for n in range(51)),
    "introspections": "{ " + " ".join(f"a{n}: __schema {{ description }}" for n in range(11)) + " }",
    "introspection levels": "{ __schema { types { " + "ofType { " * 19 + "name" + " }" * 19 + " } } }",
    "characters": "{ __typename }" + " " * 100_000,
    "inline values": "{ charge(id: [" + "1 " * 1001 + "]) { id } }",
    "merged fields": "{ "
    + " ".join(f"...F{n}" for n in range(99))
    + " } "
    + " ".join(f"fragment F{n} on Query {{ me {{ environment user {{ id }} }} }}" for n in range(99)),
    "deep introspection": "{ __schema { types " + "{ fields { type " * 15 + "{ name }" + "} }" * 15 + " } }",
    "lone surrogate": '{ charge(id: "\\ud800") { id } }',
    "not GraphQL": "select * from users",
    "unknown field": "{ senhas }",
    "two anonymous operations": "{ me { environment } } { me { environment } }",
    "subscription": "subscription { me }",
    "schema definition": "type Query { a: Int }",
}


@pytest.mark.parametrize("query", TOO_MUCH.values(), ids=TOO_MUCH.keys())
async def test_too_much_or_no_document_at_all_is_a_quick_400(api: Api, query: str) -> None:
    started = time.thread_time()  # Of this thread only, as other processes may keep the machine busy.
    response = await ask(api, query)
    assert time.thread_time() - started < 2
    assert response.status_code == 400
    body = response.json()
    assert "data" not in body
    assert all(error["extensions"]["status"] == 400 for error in body["errors"])


async def test_a_dashboard_s_queries_are_within_limits(api: Api, merchant: Merchant) -> None:
    introspection = await ask(api, get_introspection_query(input_value_deprecation=True))
    assert introspection.status_code == 200
    assert "errors" not in introspection.json()
    assert MAX_DEPTH >= 10
    hundred = "{ " + " ".join(f"a{n}: me {{ environment user {{ id name }} }}" for n in range(100)) + " }"
    assert "errors" not in (await ask(api, hundred, merchant.key)).json()


CLIENTS = {
    "graphql-core, everything": get_introspection_query(
        descriptions=True, specified_by_url=True, directive_is_repeatable=True, schema_description=True,
        input_value_deprecation=True, one_of=True, type_depth=9,
    ),
    "graphql-core, little": get_introspection_query(descriptions=False),
    "graphql-core, deep": get_introspection_query(type_depth=14),
    "what a client asks first": """{
        type: __type(name: "__Type") { fields { name } }
        directive: __type(name: "__Directive") { fields { name args { name } } }
        schema: __type(name: "__Schema") { fields { name } }
        value: __type(name: "__InputValue") { fields(includeDeprecated: true) { name } }
    }""",
}  # fmt: skip


@pytest.mark.parametrize("query", CLIENTS.values(), ids=CLIENTS.keys())
async def test_introspection_equals_graphql_core_s(api: Api, query: str) -> None:
    response = await ask(api, query)
    assert response.status_code == 200
    by_itself = graphql_sync(SCHEMA._schema, query)
    assert response.json() == {"data": orjson.loads(orjson.dumps(by_itself.data))}
    assert (await ask(api, query)).content == response.content
    with_more = await ask(api, query.replace("{", "{ __typename ", 1))
    assert with_more.json()["data"] == response.json()["data"] | {"__typename": "Query"}


async def test_introspection_with_a_credential_s_fields_is_executed_each_time(api: Api, merchant: Merchant) -> None:
    query = "{ __schema { queryType { name } } me { environment } }"
    expected = {"__schema": {"queryType": {"name": "Query"}}}
    for _ in range(2):
        assert (await ask(api, query, merchant.key)).json()["data"] == expected | {"me": {"environment": "test"}}
        assert (await ask(api, query)).json()["data"] == expected | {"me": None}


async def test_introspection_is_limited_by_the_size_of_its_response(api: Api) -> None:
    fields = " ".join(f"a{n}: fields {{ name description type {{ name }} }}" for n in range(40))
    for _ in range(2):
        answer = await ask(api, f"{{ __schema {{ types {{ {fields} }} }} }}")
        (error,) = answer.json()["errors"]
        assert (error["extensions"]["status"], error["message"][:13]) == (400, "A introspecçã")


async def test_ten_mutations_are_executed_and_two_passwords_are_hashed(api: Api, merchant: Merchant) -> None:
    login = 'login(input: {email: "unknown@example.com", password: "errada errada"}) { accessToken }'
    named = [f"a{n}: {login}" for n in range(4)] + [
        f'b{n}: createCustomer(input: {{name: "{n}"}}) {{ id }}' for n in range(6)
    ]
    answer = (await ask(api, f"mutation {{ {' '.join(named)} }}", merchant.key)).json()
    refused = [(error["path"][0], error["extensions"]["status"]) for error in answer["errors"]]
    assert refused == [("a0", 401), ("a1", 401), ("a2", 429), ("a3", 429)]
    assert all(answer["data"][f"b{n}"]["id"] for n in range(6))


ONBOARD = "completeOnboarding(input: {extra: $x}) { answers }"


@pytest.mark.parametrize(
    ("x", "times", "message"),
    [
        ("v" * 200_000, 6, "1024 KiB"),
        ({"a": ["v"] * 3000}, 2, "5000 valores"),
        ({"a": [["v"] * 100] * 60}, 1, "5000 valores"),
    ],
    ids=["text", "values", "nested values"],
)
async def test_variables_count_as_often_as_they_are_used(
    merchant: Merchant, services: Services, x: Any, times: int, message: str
) -> None:
    document = "mutation($x: JSON) { " + " ".join(f"a{n}: {ONBOARD}" for n in range(times)) + " }"
    answer = await ask(merchant.api, document, merchant.token, variables={"x": x})
    assert answer.status_code == 400
    assert message in answer.json()["errors"][0]["message"]
    assert await sql.value(services.database, "select count(*) from onboarding_answers") == 0


@asynccontextmanager
async def api_with_timeout(settings: Settings, services: Services, seconds: float) -> AsyncIterator[Api]:
    """The application with this timeout of GraphQL requests."""
    async with Api.of(RequestMiddleware(GraphQLApp(settings, max_seconds=seconds), lambda: services)) as opened:
        yield opened


async def test_mutations_after_the_timeout_are_refused(
    settings: Settings, services: Services, merchant: Merchant
) -> None:
    both = " ".join(f'{name}: createCustomer(input: {{name: "{name}"}}) {{ id }}' for name in "ab")
    async with api_with_timeout(settings, services, 0) as api:
        answer = (await ask(api, f"mutation {{ {both} }}", merchant.key)).json()
    assert answer["data"] == {"a": None, "b": None}
    assert [error["extensions"]["status"] for error in answer["errors"]] == [503, 503]
    assert (await merchant.api.get("/customers", token=merchant.key)).json()["data"] == []


async def test_a_query_is_cancelled_after_the_timeout(
    settings: Settings, services: Services, merchant: Merchant
) -> None:
    customers = "{ customers { edges { node { id } } } }"
    async with api_with_timeout(settings, services, 0.3) as api, services.database.transaction() as locked:
        await locked.connection.execute("lock table customers")
        answer = await ask(api, customers, merchant.key)
    assert answer.status_code == 503
    assert answer.json()["errors"][0]["extensions"]["status"] == 503
    assert "errors" not in (await ask(merchant.api, customers, merchant.key)).json()


async def test_rows_cost_by_their_selected_fields(api: Api, merchant: Merchant) -> None:
    await merchant.issue()
    relations = "charges(first: 100) { edges { node { customer { id name } } } }"
    for count, fits in ((20, True), (21, False)):
        query = "{ " + " ".join(f"a{n}: {relations}" for n in range(count)) + " }"
        answer = (await ask(api, query, merchant.key)).json()
        assert ("errors" not in answer) is fits


@pytest.mark.parametrize(
    "value", ["9" * 5000, "-" + "9" * 5000, "1e400", "-1e400", "0.1e-400", "true", '"x"', "[1]", "{a: 1}", "NADA"]
)
async def test_unusual_literals_are_refused_with_the_operation_s_message(
    api: Api, merchant: Merchant, value: str
) -> None:
    fields = 'description: "x", customerName: "J", customerEmail: "j@example.com", customerCpf: "52998224725"'
    response = await ask(
        api, f"mutation {{ issueCharge(input: {{amount: {value}, {fields}}}) {{ id }} }}", merchant.key
    )
    for error in response.json()["errors"]:
        assert error["extensions"]["status"] == 400, error
    assert not (response.json().get("data") or {}).get("issueCharge")


@pytest.mark.parametrize("written", ["4.9999999999999999", "4.999999999999999999999", "129.90000000000001"])
async def test_an_amount_in_a_document_is_read_exactly(merchant: Merchant, written: str) -> None:
    fields = 'description: "x", customerName: "J", customerEmail: "j@example.com", customerCpf: "52998224725"'
    document = f"mutation {{ issueCharge(input: {{amount: {written}, {fields}}}) {{ id }} }}"
    [refused] = (await ask(merchant.api, document, merchant.key)).json()["errors"]
    order = orjson.dumps(charge_order()).replace(b"129.9", written.encode())
    headers = {"authorization": f"Bearer {merchant.key}", "content-type": "application/json"}
    by_rest = (await merchant.api.client.post("/pix", content=order, headers=headers)).json()["error"]
    assert (refused["message"], refused["extensions"].get("codigo")) == (by_rest["message"], by_rest.get("codigo"))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": None},
        {"query": ""},
        {"query": 7},
        {"query": ["{ me { environment } }"]},
        {"query": "{ me { environment } }", "variables": []},
        {"query": "{ me { environment } }", "variables": "{}"},
        {"query": "{ me { environment } }", "operationName": 7},
        {"query": "query A { me { environment } }", "operationName": "B"},
        {"query": "query A { me { environment } } query B { me { environment } }"},
    ],
    ids=repr,
)
async def test_an_invalid_request_is_refused(api: Api, merchant: Merchant, body: dict[str, Any]) -> None:
    response = await api.request("POST", "/graphql", body, token=merchant.key)
    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"]["status"] == 400


async def test_images_count_for_more_than_rows(api: Api, merchant: Merchant) -> None:
    await merchant.issue()
    images = "charges(first: 100) { edges { node { qrCodeUrl } } }"
    five, six = ("{ " + " ".join(f"a{n}: {images}" for n in range(count)) + " }" for count in (5, 6))
    assert "errors" not in (await ask(api, five, merchant.key)).json()
    [error] = (await ask(api, six, merchant.key)).json()["errors"]
    assert (error["extensions"]["status"], "5000" in error["message"]) == (400, True)


async def test_the_lists_of_one_request_leave_connections_to_others(
    settings: Settings, services: Services, merchant: Merchant
) -> None:
    """The counts of a document, as many as allowed, wait for one lock while other requests are served."""
    counts = (f'a{n}: charges(first: 0, filter: {{q: "a{n}"}}) {{ totalCount }}' for n in range(MAX_ALIASES))
    small = await open_database(settings.asyncpg_dsn, size=2)
    crowded = replace(services, database=small, credentials=Credentials(small))
    async with Api.of(Gateway(settings, crowded)) as api:
        async with services.database.transaction() as locked:
            await locked.connection.execute("lock table charges")
            greedy = asyncio.create_task(ask(api, "{ " + " ".join(counts) + " }", merchant.key))
            while not await sql.value(services.database, WAITING):  # noqa: ASYNC110  # PostgreSQL has no event to wait for.
                await asyncio.sleep(0.01)
            assert (await api.get("/customers", token=merchant.key)).status_code == 200
            assert not greedy.done()
        counted = (await greedy).json()
    await small.close()
    assert list(counted["data"].values()) == [{"totalCount": 0}] * MAX_ALIASES


async def test_no_batching(api: Api, merchant: Merchant) -> None:
    batch = await api.request("POST", "/graphql", [{"query": "{ me { environment } }"}], token=merchant.key)
    assert batch.status_code == 400
    put = await api.put("/graphql", {"query": "{ me { environment } }"})
    assert (put.status_code, put.headers["allow"]) == (405, "GET, HEAD, POST")


async def test_introspection_can_be_switched_off(settings: Settings, services: Services) -> None:
    async with Api.of(Gateway(settings, services)) as api:
        assert "Você quis dizer 'me'" in (await ask(api, "{ mee { environment } }")).text
    closed = settings.model_copy(update={"graphql_introspection": False, "graphiql": False})
    async with Api.of(Gateway(closed, services)) as api:
        for query in ("{ __schema { types { name } } }", '{ __type(name: "User") { name } }'):
            assert (await ask(api, query)).status_code == 400
        guessing = await ask(api, "{ mee { environment } }")
        assert "quis dizer" not in guessing.text
        assert "errors" not in (await ask(api, "{ __typename }")).json()
        for method in ("GET", "HEAD"):
            refused = await api.client.request(method, "/graphql", headers={"accept": "text/html"})
            assert refused.status_code == 406, method


@pytest.mark.parametrize("letter", ["İ", "liveİ", "İİİİ"])
async def test_a_letter_that_grows_in_lower_case_is_an_invalid_value(api: Api, letter: str) -> None:
    """graphql-core's suggestions of similar names raise IndexError for these."""
    unknown = "mutation($input: LoginInput!) { login(input: $input) { accessToken } }"
    written = f'mutation {{ chooseEnvironment(input: {{environment: "{letter}"}}) {{ environment }} }}'
    bound = "mutation($input: ChooseEnvironmentInput!) { chooseEnvironment(input: $input) { environment } }"
    for query, variables, expected in (
        (written, {}, "O valor não é um dos de 'Environment'."),
        (bound, {"input": {"environment": letter}}, "Variável $input.environment: use um destes valores: test, live."),
        (unknown, {"input": {"email": "a", "password": "b", letter: "c"}}, f"Variável $input.{letter}: não existe em"),
    ):
        (error,) = (await api.graphql(query, **variables))["errors"]
        assert error["extensions"]["status"] == 400
        assert expected in error["message"]


FAILING_DOCUMENTS = {
    "straight": "mutation($input: IssueChargeInput!) { issueCharge(input: $input) { id } }",
    "plans": "mutation($input: IssueChargeInput!) { issueCharge(input: $input) { id } me: __typename }",
    "graphql-core": "mutation($input: IssueChargeInput!) { issueCharge(input: $input) @include(if: true) { id } }",
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("path", FAILING_DOCUMENTS)
async def test_unexpected_errors_are_masked_and_logged(
    settings: Settings, services: Services, path: str, compiled: bool
) -> None:
    """On each execution path, which depends on how often the document was used."""

    async def broken(*_: object) -> None:
        raise RuntimeError("segredo do provedor")

    def unexpected() -> Any:
        return REGISTRY.get_sample_value("gateway_unexpected_errors_total")

    chosen = settings.model_copy(update={"graphql_fast_path": compiled})
    order = {to_camel_case(name): value for name, value in charge_order().items()}
    async with Api.of(Gateway(chosen, overhearing(services, broken))) as api:
        token, before = (await api.register_merchant()).key, unexpected()
        with structlog.testing.capture_logs() as logged:
            comment = f"masked {path} {compiled}"
            document = f"{FAILING_DOCUMENTS[path]} # {comment}"
            answers = [await ask(api, document, token, variables={"input": order}) for _ in range(4)]
    for answer in answers:
        (error,) = answer.json()["errors"]
        assert answer.json()["data"]["issueCharge"] is None
        assert error["extensions"] == {"status": 500, "id": answer.headers["x-request-id"]}
        assert (error["message"], error["path"]) == (UNEXPECTED_MESSAGE, ["issueCharge"])
        assert "segredo" not in answer.text
    errors = [one for one in logged if one["event"] == "unexpected_error"]
    assert [one["request_id"] for one in errors] == [answer.headers["x-request-id"] for answer in answers]
    assert {(*one["path"], one["log_level"], str(one["exc_info"])) for one in errors} == {
        ("issueCharge", "error", "segredo do provedor")
    }
    assert unexpected() - before == len(answers)
    taken = [plans is not None and plans.fast_path is not None for plans in plans_of(comment)]
    assert taken == ([path == "straight"] if compiled else [])


async def test_unexpected_errors_are_masked_over_rest(merchant: Merchant) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("segredo do provedor")

    async with overheard(merchant, broken) as failing:
        rest = await failing.api.post("/pix", charge_order(), token=merchant.key, x_request_id="meu-pedido-0001")
    assert (rest.status_code, rest.json()["error"]["id"]) == (500, "meu-pedido-0001")
    assert "segredo" not in rest.text


async def test_a_refused_mutation_keeps_the_results_of_the_others(api: Api, merchant: Merchant) -> None:
    answer = await api.graphql(
        """mutation {
            key: createApiKey(input: {name: "loja", environment: test}) { key }
            live: createApiKey(input: {name: "loja", environment: live}) { key }
            customer: createCustomer(input: {name: "Maria"}) { name }
        }""",
        token=merchant.token,
    )
    assert answer["data"]["key"]["key"].startswith("service_test_")
    assert (answer["data"]["live"], answer["data"]["customer"]) == (None, {"name": "Maria"})
    (error,) = answer["errors"]
    assert (error["path"], error["extensions"]["codigo"]) == (["live"], "PRODUCAO_NAO_LIBERADA")


async def test_one_document_hashes_no_more_passwords_than_one_change_needs(api: Api, merchant: Merchant) -> None:
    change = '{ currentPassword: "errada", newPassword: "uma senha comprida" }'
    body = " ".join(f"c{n}: changePassword(input: {change}) {{ environment }}" for n in range(4))
    errors = (await api.graphql(f"mutation {{ {body} }}", token=merchant.token))["errors"]
    statuses = [error["extensions"]["status"] for error in errors]
    assert statuses.count(429) == 2, errors

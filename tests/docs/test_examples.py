"""The examples in the docs: GraphQL, JSON, console commands, SQL, and the charge's state diagram."""

import json
import re
import shlex
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from graphql import OperationDefinitionNode, get_variable_values, parse, validate
from strawberry.utils.str_converters import to_camel_case

from gateway.errors import MinimumAmount
from gateway.models.charges import ChargeStatus
from gateway.models.database import Database
from gateway.models.emails import EmailKind
from gateway.resolvers.charges.status import ALLOWED
from gateway.resolvers.subscriptions.summary import BillingSummaryView
from gateway.rest_compat.documentation import COMMITTED
from gateway.schema import graphiql
from gateway.schema.schema import SCHEMA
from tests.api_client import PASSWORD, Api, Merchant, charge_order
from tests.appwrite import arrive
from tests.deploy.test_packaging import accepts
from tests.docs.pages import ROOT, Page, pages
from tests.members import tokens_of
from tests.two_factor import challenge, enrol

CORE = SCHEMA._schema
IN_GUIDES = [(page.name, block) for page in pages() for block in page.blocks("graphql")]
IN_GRAPHIQL = [(example.title, example.query) for example in graphiql.examples()]


@pytest.mark.parametrize(("where", "document"), IN_GUIDES + IN_GRAPHIQL)
def test_every_graphql_example_fits_the_schema(where: str, document: str) -> None:
    assert [error.message for error in validate(CORE, parse(document))] == [], where


@pytest.mark.parametrize("example", graphiql.examples(), ids=lambda example: example.title)
def test_the_variables_of_every_example_fit_its_operation(example: graphiql.Example) -> None:
    (operation,) = parse(example.query).definitions
    assert isinstance(operation, OperationDefinitionNode)
    variables = json.loads(example.variables or "{}")
    declared = {definition.variable.name.value for definition in operation.variable_definitions or ()}
    assert set(variables) <= declared
    coerced = get_variable_values(CORE, operation.variable_definitions or (), variables)
    assert not isinstance(coerced, list), coerced


VARIABLES: dict[str, dict[str, Any]] = {
    "issueCharge": {"input": {to_camel_case(name): value for name, value in charge_order().items()}},
    "charge": {"id": "own"},
}
"""The variables of the guides' documents."""


@pytest.mark.parametrize(("where", "document"), IN_GUIDES)
async def test_every_graphql_example_runs(api: Api, merchant: Merchant, where: str, document: str) -> None:
    if document.lstrip().startswith("subscription"):  # `tests/schema/test_live.py` follows its stream.
        assert validate(CORE, parse(document)) == []
        return
    charge = await merchant.issue(amount=120)
    root = re.findall(r"[{]\s*(\w+)", document)[0]
    variables = VARIABLES.get(root, {}) | ({"id": charge["id"]} if root == "charge" else {})
    if root == "externalLogin":
        variables = {"token": arrive().token()}
    if root == "loginWithCode":
        factor = await enrol(merchant)
        variables = {"challenge": await challenge(merchant), "code": factor.code()}
    if root == "resetPassword":
        await api.post("/auth/password/forgot", {"email": merchant.email})
        [token] = await tokens_of(api.services, merchant.email, EmailKind.password_reset)
        variables = {"token": token, "password": "uma senha nova comprida"}
    if root == "resumeSession":  # The client keeps the cookie.
        login = "mutation($input: LoginInput!) { login(input: $input) { accessToken } }"
        await api.graphql(login, headers=PANEL, input={"email": merchant.email, "password": PASSWORD})
    # The guide's clock date may be in the past, and a test clock never goes back.
    body = {"query": document, "variables": variables}
    answer = (await api.request("POST", "/graphql", body, token=merchant.token, **PANEL)).json()
    refused = [
        error for error in answer.get("errors", ()) if error["extensions"]["status"] != 400 or root != MOVES_TIME
    ]
    assert refused == [], where
    assert set(answer["data"]) == {root}


PANEL = {"x_panel": "1"}
MOVES_TIME = "advanceTestClock"


async def test_the_tabs_of_graphiql_run_from_left_to_right(api: Api) -> None:
    """The session of a response is used in the following tabs, as on the page."""
    token, txid = None, ""
    for example in graphiql.examples():
        variables = json.loads(example.variables.replace("cole-aqui-o-txid", txid) or "{}")
        answer = await api.graphql(example.query, token=token, **variables)
        assert "errors" not in answer, (example.title, answer)
        (result,) = answer["data"].values()
        token = result.get("accessToken", token)
        txid = result.get("txid", txid)
        if "paidAt" in result:
            assert result["status"] == "paid"


def test_the_example_of_an_error_is_a_real_error() -> None:
    examples = [json.loads(block)["error"] for block in Page(ROOT / "docs/errors.md").blocks("json")]
    assert MinimumAmount().body() in examples


TESTED_BY = {
    "sh": "tests/quickstart runs it",
    "graphql": "run here",
    "json": "validated with the OpenAPI document here",
    "console": "its commands and requests are validated here",
    "sql": "planned by the database here",
    "plpgsql": "tests/cli/test_roles.py and tests/models/test_server_log.py run it",
    "ini": "its settings exist: tests/docs/test_links.py",
    "mermaid": "compared with the state machine here",
    "text": "not code",
    "nginx": "tests/deploy/test_bank_proxy.py runs the one of docs/connect-your-bank.md",
    "caddyfile": "tests/deploy/test_bank_proxy.py runs it",
    **dict.fromkeys(("ts", "yaml"), "tests/clients/test_guides.py runs it"),
    **dict.fromkeys(("python", "js", "php"), "tests/docs/test_webhooks.py runs it"),
}


def test_each_language_of_code_blocks_is_tested() -> None:
    languages = {page.name: page.languages() for page in pages()}
    assert {name: used for name, used in languages.items() if not used <= TESTED_BY.keys()} == {}
    assert [name for name, used in languages.items() if used & {"python", "js", "php"}] == ["docs/webhooks.md"]
    assert [name for name, used in languages.items() if used & {"ts", "yaml"}] == ["docs/graphql.md", "docs/rest.md"]
    assert [name for name, used in languages.items() if "mermaid" in used] == ["docs/concepts.md"]


def relax(node: Any) -> Any:
    """Return the schema without required properties and without additional ones."""
    if isinstance(node, list):
        return [relax(item) for item in node]
    if not isinstance(node, dict):
        return node
    relaxed = {name: relax(value) for name, value in node.items() if name != "required" or isinstance(value, dict)}
    if node.get("type") == "object" and isinstance(node.get("properties"), dict):
        relaxed.setdefault("additionalProperties", False)
    return relaxed


@cache
def documented() -> jsonschema_rs.Validator:
    """Return a validator of complete and partial request, response and webhook bodies."""
    document = json.loads(COMMITTED.read_text())
    items = (*document["paths"].values(), *document["components"]["pathItems"].values())
    bodies = [
        body.get("content", {}).get("application/json", {}).get("schema")
        for item in items
        for operation in item.values()
        for body in (operation.get("requestBody", {}), *operation["responses"].values())
    ]
    errors = [{"$ref": f"#/components/schemas/{name}"} for name in ("ApiError", "AuthenticationError")]
    distinct = {json.dumps(body): relax(body) for body in (*bodies, *errors) if body}
    return jsonschema_rs.validator_for({"anyOf": list(distinct.values()), "components": relax(document["components"])})


def test_every_json_example_is_a_valid_body() -> None:
    for page in pages():
        blocks = [json.loads(block) for block in page.blocks("json")]
        if page.name == "docs/graphql.md":  # Variables and a GraphQL response.
            variables, answer = blocks
            assert set(variables["input"]) <= set(CORE.type_map["IssueChargeInput"].fields)  # type: ignore[attr-defined]  # an input.
            extensions = answer["errors"][0]["extensions"]
            assert extensions.pop("campos") == [
                fault | {"caminho": ["input", "amount"]} for fault in MinimumAmount().extra["campos"]
            ]
            others = {name: value for name, value in MinimumAmount().extra.items() if name != "campos"}
            assert extensions == {"status": 400, "codigo": "VALOR_MINIMO"} | others
            continue
        for block in blocks:
            assert isinstance(block, dict), page.name
            if page.name == "docs/subscriptions.md":  # The reference omits the job's path.
                BillingSummaryView.model_validate(block["data"], extra="forbid")
            else:
                assert documented().is_valid(block), (page.name, block)


def test_console_examples_are_valid() -> None:
    """`gateway` commands have known options; requests have a known path and a valid body."""
    document = json.loads(COMMITTED.read_text())
    blocks = [block for page in pages() for block in page.blocks("console")]
    for typed in (typed for block in blocks for typed in re.findall(r"^\$ (.+(?:\n(?!\$).+)*)", block, re.MULTILINE)):
        words = shlex.split(typed.strip("()"), comments=True)
        installed = "/opt/gateway/bin/gateway"
        if words[0] == "gateway" or installed in words:
            start = words.index(installed) if installed in words else 0
            accepts(words[start + 1 : words.index(">") if ">" in words else None])
        if words[0] != "curl" or "$GATEWAY" not in typed:
            continue
        path = next(word for word in words if word.startswith("$GATEWAY")).removeprefix("$GATEWAY")
        body = json.loads(words[words.index("--json") + 1]) if "--json" in words else None
        operation = document["paths"][path]["get" if body is None else "post"]
        if body is not None:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            jsonschema_rs.validator_for(schema | {"components": document["components"]}).validate(body)


async def test_sql_examples_match_the_tables(database: Database) -> None:
    blocks = [block for page in pages() for block in page.blocks("sql")]
    async with database.pool.acquire() as connection:
        for block in blocks:
            await connection.fetch(f"explain {block}")
    assert blocks


def test_the_state_diagram_equals_the_state_machine() -> None:
    (diagram,) = Page(ROOT / "docs/concepts.md").blocks("mermaid")
    drawn = {(source, target) for source, target in re.findall(r"^ +(\w+) --> (\w+):", diagram, re.MULTILINE)}
    assert drawn == {(source, target) for source, targets in ALLOWED.items() for target in targets}
    assert {state for transition in drawn for state in transition} == set(ChargeStatus)

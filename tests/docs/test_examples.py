"""The examples are right: GraphQL fits the schema, JSON is JSON, and the diagram of a charge's life is the code's."""

import json
import re

import pytest
from graphql import OperationDefinitionNode, get_variable_values, parse, validate

from gateway.models.charges import ChargeStatus
from gateway.resolvers.charges.states import ALLOWED
from gateway.resolvers.listing.windows import MOST_ROWS
from gateway.schema import graphiql, limits
from gateway.schema.documents import MOST_TOKENS
from gateway.schema.schema import SCHEMA
from tests.api import Api
from tests.docs.pages import ROOT, Page, pages

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
    given = json.loads(example.variables or "{}")
    declared = {definition.variable.name.value for definition in operation.variable_definitions or ()}
    assert set(given) <= declared
    coerced = get_variable_values(CORE, operation.variable_definitions or (), given)
    assert not isinstance(coerced, list), coerced


async def test_the_tabs_of_graphiql_run_from_left_to_right(api: Api) -> None:
    """As the page does it: the session of an answer serves the tabs after it."""
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


def test_the_limits_of_graphql_are_told_as_they_are() -> None:
    told = dict(re.findall(r"^\| ([a-z ]+) \| (\d+) \|$", Page(ROOT / "docs/graphql.md").text, re.MULTILINE))
    assert {name: int(number) for name, number in told.items()} == {
        "tokens of a document": MOST_TOKENS,
        "depth": limits.DEEPEST,
        "fields": limits.MOST_FIELDS,
        "aliases": limits.MOST_ALIASES,
        "fragment spreads": limits.MOST_SPREADS,
        "rows that all lists of a request ask for": MOST_ROWS,
    }


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_json_example_is_json(page: Page) -> None:
    for block in page.blocks("json"):
        assert isinstance(json.loads(block), dict)


def test_the_diagram_of_a_charge_is_the_one_the_code_follows() -> None:
    (diagram,) = Page(ROOT / "docs/concepts.md").blocks("mermaid")
    drawn = {(source, target) for source, target in re.findall(r"^ +(\w+) --> (\w+):", diagram, re.MULTILINE)}
    assert drawn == {(source, target) for source, targets in ALLOWED.items() for target in targets}
    assert {state for move in drawn for state in move} == set(ChargeStatus)

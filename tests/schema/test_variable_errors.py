"""Invalid variables are reported by name in Portuguese, by both executors, without their values."""

from typing import Any

import pytest
from graphql import OperationDefinitionNode, parse
from graphql.execution.values import VariableValues, get_variable_values

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.schema.variable_errors import INVALID, MAX_REPORTED, validate_variables
from gateway.settings import Settings
from tests.api_client import Api
from tests.schema.random_documents import CORE, DocumentGenerator
from tests.schema.test_single_field import OperationGenerator

SECRET = "uma senha bem comprida"
EMAIL = "ana@example.com"
LOGIN = "mutation($input: LoginInput!) { login(input: $input) { accessToken } }"
LIST = "query($first: Int, $filter: ChargeFilter) { charges(first: $first, filter: $filter) { totalCount } }"
CHARGE = "mutation($input: IssueChargeInput!) { issueCharge(input: $input) { id } }"
NULLABLE = "query($order: ChargeOrder = created_at_desc) { charges(order: $order) { totalCount } }"
SKIPPING = "query($skips: Boolean = true) { me @skip(if: $skips) { environment } }"
ENDPOINT = "mutation($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { id } }"
GOOD = {"email": EMAIL, "password": SECRET}
NUMBER = "deve ser um número inteiro, de até 32 bits"

INVALID_VARIABLES: dict[str, tuple[str, Any, list[str]]] = {
    "an unknown field": (LOGIN, {"input": GOOD | {"mfa": "1"}}, ["Variável $input.mfa: não existe em LoginInput."]),
    "a missing field": (LOGIN, {"input": {"password": SECRET}}, ["Variável $input.email: campo obrigatório."]),
    "a null": (LOGIN, {"input": GOOD | {"email": None}}, ["Variável $input.email: não pode ser nulo."]),
    "no text": (LOGIN, {"input": GOOD | {"email": [SECRET]}}, ["Variável $input.email: deve ser um texto."]),
    "no object": (LOGIN, {"input": SECRET}, ["Variável $input: deve ser um objeto."]),
    "no variable": (LOGIN, {}, ["Variável $input: campo obrigatório."]),
    "no variables": (LOGIN, None, ["Variável $input: campo obrigatório."]),
    "several faults": (
        LOGIN,
        {"input": {"email": 7, "senha": SECRET}},
        [
            "Variável $input.email: deve ser um texto.",
            "Variável $input.password: campo obrigatório.",
            "Variável $input.senha: não existe em LoginInput.",
        ],
    ),
    "no number": (LIST, {"first": SECRET}, [f"Variável $first: {NUMBER}."]),
    "too large a number": (LIST, {"first": 2**40}, [f"Variável $first: {NUMBER}."]),
    "no word of an enum": (
        LIST,
        {"filter": {"status": SECRET}},
        ["Variável $filter.status: use um destes valores: pending, paid, expired, canceled, refunded."],
    ),
    "no switch": (
        CHARGE,
        {"input": {"novoCliente": SECRET}},
        ["Variável $input.novoCliente: deve ser true ou false."],
    ),
    "an item": (
        ENDPOINT,
        {"input": {"name": "a", "url": SECRET, "events": ["charge.paid", {}]}},
        ["Variável $input.events.1: deve ser um texto."],
    ),
    "null where its default would have done": (
        NULLABLE,
        {"order": None},
        ["Variável $order: não pode ser nulo onde é usada."],
    ),
    "null for a directive": (SKIPPING, {"skips": None}, ["Variável $skips: não pode ser nulo onde é usada."]),
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("query", "variables", "messages"), INVALID_VARIABLES.values(), ids=INVALID_VARIABLES)
async def test_invalid_variables_are_named_without_their_values(
    settings: Settings, services: Services, compiled: bool, query: str, variables: Any, messages: list[str]
) -> None:
    chosen = settings.model_copy(update={"graphql_fast_path": compiled})
    async with Api.of(Gateway(chosen, services)) as api:
        for _ in range(3):  # The third use is compiled.
            answer = await api.request("POST", "/graphql", {"query": query, "variables": variables})
            assert answer.status_code == 200
            assert answer.json()["data"] in (None, {"charges": None})
            assert [error["message"] for error in answer.json()["errors"]] == messages
            assert {error["extensions"]["status"] for error in answer.json()["errors"]} == {400}
            assert SECRET not in answer.text
            assert EMAIL not in answer.text


async def test_errors_of_a_document_have_no_variables(api: Api) -> None:
    body = {"query": LOGIN.replace("accessToken", "token"), "variables": {"input": GOOD}}
    answer = await api.request("POST", "/graphql", body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["message"].endswith(" não tem o campo 'token'.")
    assert SECRET not in answer.text


async def test_many_errors_and_long_names_are_shortened(api: Api) -> None:
    faults = [f"{n}{'x' * 1000}" for n in range(1000)]
    answer = await api.graphql(LOGIN, input=GOOD | dict.fromkeys(faults, 1))
    assert len(answer["errors"]) == MAX_REPORTED
    assert all(len(error["message"]) < 200 for error in answer["errors"])


@pytest.mark.seeds(6)
def test_all_refusals_of_graphql_core_are_reported(seed: int) -> None:
    generator, refused = OperationGenerator(DocumentGenerator(seed)), 0
    for _ in range(100):
        (operation, *_) = parse(generator.document(CORE.query_type)).definitions
        assert isinstance(operation, OperationDefinitionNode)
        for _ in range(12):
            values = generator.values()
            taken = get_variable_values(CORE, operation.variable_definitions or (), values)
            messages = [error.message for error in validate_variables(CORE, operation, values)]
            assert (messages == [INVALID]) is isinstance(taken, VariableValues), (messages, values)
            refused += messages != [INVALID]
    assert refused > 20


async def test_errors_have_the_field_names_of_rest(api: Api) -> None:
    form = {"novoCliente": SECRET, "amount": 10, "description": "x", "customerName": None}
    answer = await api.graphql(CHARGE, input=form)
    fields = [error["extensions"]["campos"] for error in answer["errors"]]
    path = ["input", "novoCliente"]
    assert [{"campo": "novo_cliente", "mensagem": "deve ser true ou false", "caminho": path}] in fields
    [missing] = (await api.graphql(LOGIN))["errors"]
    assert missing["extensions"]["campos"] == [
        {"campo": "input", "mensagem": "campo obrigatório", "caminho": ["input"]}
    ]

"""Errors of fields in every input: each has a specific reason that can be part of a list."""

import re

import pytest

import gateway.rest_compat.routes  # noqa: F401  # Every input is declared by then.
from gateway.errors import InvalidInput, MinimumAmount, NotFound
from gateway.resolvers.core.inputs import Input

WRONG: list[object] = [5, -1, 1.5, 10**12, "", "  ", "x", "x" * 5000, "a\x00b", [], ["x"], ["x"] * 3000, {}, True, None]


def inputs(base: type[Input] = Input) -> list[type[Input]]:
    found = [base]
    for each in base.__subclasses__():
        found += inputs(each)
    return found


def reasons(form: type[Input]) -> set[str]:
    reasons_found: set[str] = set()
    for name in form.model_fields:
        for value in WRONG:
            try:
                form.from_raw({name: value})
            except InvalidInput as refused:
                reasons_found |= {each["mensagem"] for each in refused.extra["campos"]}
            except NotFound:
                continue
    return reasons_found


def test_every_reason_says_what_to_correct() -> None:
    reasons_found = {reason for form in inputs() for reason in reasons(form)}
    assert len(reasons_found) > 50
    vague = re.compile(r"valor inválido|\b1 caracteres|\b1 itens|\{|pydantic|[Ii]nput should")
    assert [reason for reason in sorted(reasons_found) if vague.search(reason)] == []


@pytest.mark.parametrize("fields", [("name", "cpf"), ("cpf", "name")])
def test_the_message_lists_fields_without_a_full_stop_within(fields: tuple[str, str]) -> None:
    reasons_by_field = {"name": "campo obrigatório", "cpf": "CPF inválido."}
    refused = InvalidInput(*((name, reasons_by_field[name]) for name in fields))
    assert refused.message.startswith("Dados inválidos: ")
    assert sorted(refused.message.removeprefix("Dados inválidos: ").split("; ")) == [
        "cpf: CPF inválido",
        "name: campo obrigatório",
    ]


def test_an_error_names_the_field_as_the_caller_did() -> None:
    assert MinimumAmount("coupon_code").about("code").body()["campos"] == [
        {"campo": "code", "mensagem": "o valor mínimo é R$ 5,00"}
    ]

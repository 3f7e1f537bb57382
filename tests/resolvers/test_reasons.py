"""What is said of a bad field, in every input there is: a reason of its own, in a form that can stand in a list."""

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
    told: set[str] = set()
    for name in form.model_fields:
        for value in WRONG:
            try:
                form.from_raw({name: value})
            except InvalidInput as refused:
                told |= {each["mensagem"] for each in refused.extra["campos"]}
            except NotFound:
                continue
    return told


def test_every_reason_says_what_to_mend() -> None:
    told = {reason for form in inputs() for reason in reasons(form)}
    assert len(told) > 50
    vague = re.compile(r"valor inválido|\b1 caracteres|\b1 itens|\{|pydantic|[Ii]nput should")
    assert [reason for reason in sorted(told) if vague.search(reason)] == []


@pytest.mark.parametrize("fields", [("name", "cpf"), ("cpf", "name")])
def test_the_message_lists_fields_without_a_full_stop_within(fields: tuple[str, str]) -> None:
    said = {"name": "campo obrigatório", "cpf": "CPF inválido."}
    refused = InvalidInput(*((name, said[name]) for name in fields))
    assert refused.message.startswith("Dados inválidos: ")
    assert sorted(refused.message.removeprefix("Dados inválidos: ").split("; ")) == [
        "cpf: CPF inválido",
        "name: campo obrigatório",
    ]


def test_an_error_is_about_the_field_that_the_caller_named() -> None:
    assert MinimumAmount("coupon_code").about("code").body()["campos"] == [
        {"campo": "code", "mensagem": "o valor mínimo é R$ 5,00"}
    ]

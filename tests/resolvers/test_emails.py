"""Valid email addresses: deliverable, and not confusable with another address."""

import re
from unicodedata import category

import idna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from gateway.resolvers.core.inputs import Email
from tests.api_client import Api, Merchant

BEFORE = re.compile(r"[^@\s\"(),:;<>\[\]\\]{1,64}@(?:[^@\s.\"(),:;<>\[\]\\]{1,63}\.)+[^@\s.\"(),:;<>\[\]\\]{2,63}")
"""The former pattern, which accepted undeliverable addresses."""
ADDRESS: TypeAdapter[str] = TypeAdapter(Email)
LOCAL_CHARACTERS = st.sampled_from([*"aZ0é漢ж-_.+'!", "\u200b", "\u202e", "\u00ad", "\x07", "\u3164", "🙂", "\u0301"])
PARTS = st.text(st.one_of(LOCAL_CHARACTERS, st.characters(exclude_categories=["Cs"])), max_size=8)

GOOD = [
    "ana@example.com",
    "ana.souza+loja@sub.example.com.br",
    "o'brien!#$%&*/=?^_`{|}~-@example.com",
    "_ana_@example.com",
    "-ana-@example.com",
    "josé@exemplo.com.br",
    "ана@почта.рф",
    "用户@例え.テスト",
    "ana@xn--exmplo-hva.com",
    "ana@my-shop.co",
    "ana@a.io",
    "a" * 64 + "@example.com",
    "a@" + ("b" * 63 + ".") * 2 + "com",
    "🙂@example.com",
    "ana@straße.de",
    "ana@AÇAÍ.com.br",
]
BAD = [
    "ana\u200b@example.com",
    "ana\u200d@example.com",
    "ana@exam\u00adple.com",
    "\u202eana@example.com",
    "ana\u2066@example.com",
    "ana@\ufeffexample.com",
    "ana\u3164@example.com",
    "ana\x07@example.com",
    "ana\x85@example.com",
    "=?utf-8?q?a=0D=0AX-Evil:_1?=@example.com",
    "=?utf-8?q?b=40evil.com=3E=2C?=@example.com",
    "ana\U000e0041@example.com",
    ".ana@example.com",
    "ana.@example.com",
    "ana..souza@example.com",
    ".@example.com",
    "ana@-example.com",
    "ana@example-.com",
    "ana@example.com-",
    "ana@example.-com",
    "ana@my_shop.com",
    "ana@example.c_m",
    "a" * 65 + "@example.com",
    "ana@example",
    "ana@@example.com",
    "ana@ｅxample.com",
    "ana@mail。example.com",
    "ana@" + "ü" * 60 + ".com",
    "ana@🙂.com",
    "ana@e\u0301xemplo.com",
    "ana@exa=mplo.com",
    "ana@exa?mplo.com",
    "ana@exa'mplo.com",
    "ana@=3a.b.=0a",
]


def to_ascii(domain: str) -> bool:
    try:
        return idna.encode(domain.lower(), strict=True).isascii()
    except idna.IDNAError:
        return False


def taken(text: str) -> bool:
    try:
        return ADDRESS.validate_python(text) == text
    except ValidationError:
        return False


@pytest.mark.parametrize("text", GOOD)
def test_deliverable_addresses_are_accepted(text: str) -> None:
    assert taken(text)


@pytest.mark.parametrize("text", BAD, ids=ascii)
def test_undeliverable_addresses_are_refused(text: str) -> None:
    assert not taken(text)


@given(PARTS, st.lists(PARTS, min_size=1, max_size=4))
def test_the_stricter_rule_refuses_only_named_addresses(local: str, labels: list[str]) -> None:
    text = f"{local}@{'.'.join(labels)}"
    local, _, domain = text.rpartition("@")
    faults = (
        any(
            category(character) in {"Cc", "Cf"} or character in "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
            for character in text
        ),
        local.startswith(".") or local.endswith(".") or ".." in local,
        any(label.startswith("-") or label.endswith("-") or "_" in label for label in domain.split(".")),
        not domain.isascii() and not to_ascii(domain),
        domain.isascii() and not re.fullmatch(r"[A-Za-z0-9.-]*", domain),
        re.search(r"=\?.*\?=", text) is not None,
    )
    assert taken(text) is (BEFORE.fullmatch(text) is not None and len(text) <= 254 and not any(faults))


async def test_both_transports_refuse_an_address_with_invisible_characters(api: Api, merchant: Merchant) -> None:
    customer = {"name": "Ana", "email": "ana\u200b@example.com"}
    rest = (await api.post("/customers", customer, token=merchant.key)).json()["error"]
    create = "mutation($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }"
    graphql = (await api.graphql(create, token=merchant.key, input=customer))["errors"][0]["extensions"]
    refusal = {"campo": "email", "mensagem": "informe um e-mail válido"}
    assert rest["campos"] == [refusal]
    assert graphql["campos"] == [refusal | {"caminho": ["input", "email"]}]

"""Onboarding: contract section 3."""

from datetime import timedelta
from typing import Any

import pytest

from gateway.models.database import Database
from tests.api.rows import fingerprint
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock

ANSWERS = {
    "origin": "indicação",
    "responsible_name": "Ana Lima",
    "responsible_cpf": "529.982.247-25",
    "responsible_phone": "(11) 98888-7777",
    "store_name": "Outra loja",
    "cnpj": "12.abc.345/01de-35",
    "postal_code": "01310-100",
    "address": "Avenida Paulista",
    "address_number": "1000",
    "complement": "conj. 1",
    "province": "Bela Vista",
    "city": "São Paulo",
    "state": "SP",
    "segment": "educação",
    "monthly_revenue": 12345.6,
}


async def onboard(api: Api, merchant: Merchant, body: dict[str, Any]) -> dict[str, Any]:
    answer = await api.post("/auth/onboarding", body, token=merchant.token)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def test_answers_are_stored_and_set_only_empty_fields(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    await api.put("/auth/profile", {"address_number": "7"}, token=merchant.token)
    further = {"team": {"size": 3, "tools": ["planilha", None]}, "user_id": "x", "": "sem nome"}
    assert (await api.post("/auth/onboarding", ANSWERS | further, token=merchant.token)).status_code == 400
    del further[""]
    first = await onboard(api, merchant, ANSWERS | further)

    stored = {"responsible_cpf": "52998224725", "responsible_phone": "11988887777", "cnpj": "12ABC34501DE35"}
    assert first["answers"] == ANSWERS | stored | {"team": further["team"]}
    user = first["user"]
    assert (user["company"], user["cnpj"]) == ("Loja da Ana", "11222333000181"), "existing profile fields stay"
    assert (user["address"], user["address_number"], user["postal_code"]) == ("Avenida Paulista", "7", "01310-100")
    assert (user["complement"], user["province"], user["cpf"], user["phone"]) == ("conj. 1", "Bela Vista", None, None)
    assert user["onboarding_completed_at"] is not None
    assert (await api.get("/auth/me", token=merchant.key)).json()["data"]["user"] == user

    clock.advance(timedelta(minutes=30))
    again = {
        "segment": None,
        "origin": " ",
        "address": "Rua B",
        "monthly_revenue": 10,
        "team": "outra",
        "city": "Osasco",
    }
    second = await onboard(api, merchant, again)
    expected = again | {"origin": None}
    assert second["answers"] == first["answers"] | expected
    assert second["user"] == user, "neither the profile nor the first timestamp changes"
    assert (await onboard(api, merchant, {}))["answers"] == second["answers"]
    assert (await onboard(api, merchant, {"team": " "}))["answers"] == second["answers"] | {"team": None}


@pytest.mark.parametrize(
    "bad",
    [
        {"responsible_cpf": "529.982.247-26"},
        {"cnpj": "11.222.333/0001-80"},
        {"responsible_phone": "119888"},
        {"store_name": "x" * 121},
        {"address": "a\nb"},
        {"monthly_revenue": -1},
        {"monthly_revenue": 0.001},
        {"monthly_revenue": True},
        {"extra": ["x"]},
        {"outra": "nulo \x00"},
        {"outra": [{"chave\x07": 1}]},
        {"x" * 65: 1},
        {f"q{number}": 1 for number in range(51)},
        {"redação": "x" * 16 * 1024},
    ],
    ids=lambda bad: str(bad)[:40],
)
async def test_an_invalid_answer_is_refused_and_nothing_is_written(
    api: Api, merchant: Merchant, database: Database, bad: dict[str, Any]
) -> None:
    before = await fingerprint(database)
    answer = await api.post("/auth/onboarding", {"origin": "anúncio"} | bad, token=merchant.token)
    assert answer.status_code == 400, answer.text
    assert await fingerprint(database) == before


async def test_the_size_limit_applies_to_all_calls_together(api: Api, merchant: Merchant) -> None:
    large = "x" * 9000
    await onboard(api, merchant, {"a": large})
    refused = await api.post("/auth/onboarding", {"b": large}, token=merchant.token)
    assert refused.status_code == 400
    assert "16 KiB" in refused.json()["error"]["message"]
    assert [found["campo"] for found in refused.json()["error"]["campos"]] == ["corpo"]
    assert sorted((await onboard(api, merchant, {"a": "", "c": large}))["answers"]) == ["a", "c"]


async def test_graphql_accepts_extra_answers_in_one_field(api: Api, merchant: Merchant) -> None:
    mutation = "mutation { completeOnboarding(input: {monthlyRevenue: 10.5, extra: %s}) { answers user { id } } }"
    answer = await api.graphql(mutation % '{team: {size: 3}, cnpj: "x"}', token=merchant.token)
    # An extra answer never sets a field without validation.
    assert answer["data"]["completeOnboarding"]["answers"] == {"monthly_revenue": 10.5, "team": {"size": 3}}
    refused = await api.graphql(mutation % f"{{team: {10**30}}}", token=merchant.token)
    assert refused["errors"][0]["extensions"]["campos"][0]["campo"] == "extra"


async def test_the_answers_are_read_back(api: Api, merchant: Merchant) -> None:
    path = "/auth/onboarding"
    assert (await api.get(path, token=merchant.token)).json()["data"] == {"completed_at": None, "answers": {}}
    stored = await onboard(api, merchant, ANSWERS | {"team": 3})
    read = (await api.get(path, token=merchant.key)).json()["data"]
    assert read == {"completed_at": stored["user"]["onboarding_completed_at"], "answers": stored["answers"]}
    assert read["answers"]["monthly_revenue"] == 12345.6
    by_graphql = await api.graphql("{ onboarding { completedAt answers } }", token=merchant.token)
    assert by_graphql["data"]["onboarding"] == {"completedAt": read["completed_at"], "answers": read["answers"]}

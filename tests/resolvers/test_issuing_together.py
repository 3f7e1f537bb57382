"""Orders of one store at one moment are written together, and each gets what it would have got alone (ADR 0069)."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from gateway.models.database import Database
from gateway.resolvers.context import Services
from tests import sql
from tests.api import Api, Merchant, charge_order
from tests.overheard import overheard
from tests.resolvers.test_idempotency import count
from tests.watched import watching

MANY = "json_to_recordset"
ODD = 'Ação "especial" \\ d\'água 🐍 {"a": [1]} $1 :x %s \\u0041'
ORDERS: tuple[dict[str, Any], ...] = (
    {},
    {"amount": 5.0, "description": ODD, "customer_name": ODD},
    {"amount": 999_999.99, "metadata": {"pedido": ODD, "a" * 40: "null"}},
    {"success_url": "https://loja.example.com/ok?a=1&b=%22", "cancel_url": "https://loja.example.com/não"},
    {"customer_phone": "+5561999990000", "customer_cpf": "11.222.333/0001-81"},
    {"expires_at": "2099-12-31T23:59:59.123456-03:00"},
    {"metadata": {"nulo": "\\u0000", "texto": "\\x00"}},
)
OF_THE_MOMENT = re.compile(
    r"data:image/png;base64,[0-9A-Za-z+/=]+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-Za-z]*[0-9a-f]{16,}[0-9A-Za-z]*|6304[0-9A-F]{4}|"
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?|\d{16}|together-\d+|alone-\d+"
)
OF_ONE = {"id", "user_id", "txid", "pix_code", "qr_code_url", "checkout_url", "created_at", "updated_at", "expires_at"}
"""The members of an answer that differ from one charge to the next."""
EVERYTHING = (
    "select to_jsonb(c)::text from charges c where user_id = $1",
    "select convert_from(e.body, 'UTF8') from webhook_events e where user_id = $1",
    "select (to_jsonb(e) - 'body')::text from webhook_events e where user_id = $1",
    "select (to_jsonb(a) - 'position')::text from audit_trail a where store_id = $1 and action = 'charge.created'",
    "select (to_jsonb(k) - 'answer')::text || octet_length(answer) from idempotency_keys k where user_id = $1",
    "select (to_jsonb(d) - 'id')::text from webhook_deliveries d, webhook_events e where e.id = event_id and user_id = $1",
)


def ordered(api: Api, merchant: Merchant, key: str | None, changes: dict[str, Any]) -> Any:
    headers = {"idempotency_key": key} if key else {}
    return api.post("/pix", charge_order(**changes), token=merchant.key, **headers)


def key_of(way: str, number: int, *, keyed: bool) -> str | None:
    return f"{way}-{number}" if keyed else None


async def written(database: Database, merchant: Merchant) -> list[list[str]]:
    """All that there is of a merchant's charges, without what differs from one to the next."""
    tables = [[row[0] for row in await sql.rows(database, query, merchant.id)] for query in EVERYTHING]
    return [sorted(OF_THE_MOMENT.sub("…", text).replace(merchant.id, "…") for text in texts) for texts in tables]


async def listening(merchant: Merchant) -> None:
    endpoint = {"name": "loja", "url": "http://127.0.0.1:8080/avisos", "events": ["charge.created"]}
    answer = await merchant.api.post("/webhook-endpoints", endpoint, token=merchant.token)
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize("heard", [False, True], ids=["unheard", "heard"])
@pytest.mark.parametrize("keyed", [False, True], ids=["without keys", "with keys"])
async def test_what_is_written_together_is_what_is_written_alone(
    services: Services, database: Database, keyed: bool, heard: bool
) -> None:
    async with watching(services) as (api, sent):
        alone, together = [await api.register_merchant() for _ in range(2)]
        for merchant in (alone, together) if heard else ():
            await listening(merchant)
        sent.clear()
        singly = [
            await ordered(api, alone, key_of("alone", number, keyed=keyed), changes)
            for number, changes in enumerate(ORDERS)
        ]
        assert not any(MANY in statement for statement in sent)
        sent.clear()
        jointly = await asyncio.gather(
            *(
                ordered(api, together, key_of("together", number, keyed=keyed), changes)
                for number, changes in enumerate(ORDERS)
            )
        )
    assert sum(MANY in statement for statement in sent) >= 2, "none was written together"
    assert [answer.text for answer in singly if answer.status_code != 201] == []
    assert [answer.status_code for answer in (*singly, *jointly)] == [201] * 2 * len(ORDERS)
    assert list(map(told, jointly)) == list(map(told, singly))
    assert await written(database, together) == await written(database, alone)
    assert await count(database, "issuances") == 0
    if heard:
        assert await count(database, "webhook_deliveries", "state = 0") == 2 * len(ORDERS)


def told(answer: httpx.Response) -> dict[str, Any]:
    """An answer without what differs from one to the next."""
    data = answer.json()["data"]
    return {name: value for name, value in data.items() if name not in OF_ONE}


async def test_a_repeat_of_what_was_written_together_is_answered_alike(merchant: Merchant) -> None:
    first = await asyncio.gather(*(ordered(merchant.api, merchant, f"k-{n}", {"amount": 5.0 + n}) for n in range(12)))
    again = await asyncio.gather(*(ordered(merchant.api, merchant, f"k-{n}", {"amount": 5.0 + n}) for n in range(12)))
    assert [answer.content for answer in again] == [answer.content for answer in first]
    assert {answer.headers["idempotent-replayed"] for answer in again} == {"true"}


async def test_one_key_among_others_is_one_charge(merchant: Merchant, database: Database) -> None:
    keys = [f"k-{number % 5}" for number in range(30)]
    answers = await asyncio.gather(*(ordered(merchant.api, merchant, key, {}) for key in keys))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert await count(database, "charges") == 5
    assert await count(database, "simulator_charges") == 5


async def test_stores_share_no_statement(services: Services) -> None:
    async with watching(services) as (api, sent):
        merchants = [await api.register_merchant() for _ in range(6)]
        sent.clear()
        answers = await asyncio.gather(*(ordered(api, merchant, "k", {}) for merchant in merchants))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["data"]["id"] for answer in answers}) == 6
    assert not any("INTO charges" in statement and MANY in statement for statement in sent)


async def test_many_at_once_cost_few_statements(services: Services) -> None:
    async with watching(services) as (api, sent):
        merchant = await api.register_merchant()
        await ordered(api, merchant, "first", {})
        sent.clear()
        answers = await asyncio.gather(*(ordered(api, merchant, f"k-{number}", {}) for number in range(40)))
    assert {answer.status_code for answer in answers} == {201}
    assert len(sent) < 40, "one by one it would be 160"


class Held:
    """At the engine, all orders wait for the last; then something befalls one of them."""

    def __init__(self, database: Database, orders: int, befalls: str) -> None:
        self._database = database
        self._missing = orders
        self._befalls = befalls
        self._open = asyncio.Event()

    async def __call__(self, call: str, *_arguments: Any) -> None:
        if call != "create_charge":
            return
        self._missing -= 1
        if not self._missing:
            await sql.run(self._database, self._befalls)
            self._open.set()
        await self._open.wait()


async def issue_together(merchant: Merchant, held: Held, keys: Sequence[str | None]) -> list[httpx.Response]:
    async with overheard(merchant, held) as api:
        orders = (
            api.api.post(
                "/pix",
                charge_order(amount=10.0 + number),
                token=merchant.key,
                **({"idempotency_key": key} if key else {}),
            )
            for number, key in enumerate(keys)
        )
        return list(await asyncio.gather(*orders))


@pytest.mark.parametrize("keyed", [False, True], ids=["without keys", "with keys"])
async def test_an_issuance_that_was_taken_over_fails_alone(merchant: Merchant, database: Database, keyed: bool) -> None:
    held = Held(database, 6, "update issuances set attempts = 1 where amount = 1300")
    answers = await issue_together(merchant, held, [f"k-{number}" if keyed else None for number in range(6)])
    assert [answer.status_code for answer in answers] == [201, 201, 201, 502, 201, 201]
    assert await count(database, "charges") == 5
    assert await count(database, "charges", "amount = 1300") == 0
    assert await count(database, "webhook_events") == 5
    assert await count(database, "audit_trail", "action = 'charge.created'") == 5
    assert await count(database, "idempotency_keys", "status is not null") == (5 if keyed else 0)


async def test_a_key_that_was_taken_over_fails_alone(merchant: Merchant, database: Database) -> None:
    held = Held(database, 6, "delete from idempotency_keys where key = 'k-2'")
    answers = await issue_together(merchant, held, [f"k-{number}" for number in range(6)])
    assert [answer.status_code for answer in answers] == [201, 201, 409, 201, 201, 201]
    assert await count(database, "charges", "amount = 1200") == 0
    assert await count(database, "charges") == await count(database, "webhook_events") == 5


async def test_what_the_database_refuses_is_refused_alone(merchant: Merchant, database: Database) -> None:
    """As no order can bring about that is let in: a charge that is there already."""
    held = Held(
        database,
        6,
        "insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at) "
        "select uuidv7(), user_id, environment, 'charge.created', '', 'charge.created:' || charge_id, now() "
        "from issuances where amount = 1400",
    )
    answers = await issue_together(merchant, held, [f"k-{number}" for number in range(6)])
    assert [answer.status_code for answer in answers] == [201, 201, 201, 201, 500, 201]
    assert await count(database, "charges") == 5
    assert await count(database, "charges", "amount = 1400") == 0

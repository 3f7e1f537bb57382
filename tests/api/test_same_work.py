"""Objects of other stores are indistinguishable from missing ones: same response and same SQL statements.

Equal statements prevent timing attacks. The tests count them, as measured times would depend on the machine.
"""

import asyncio

from msgspec.structs import replace

from gateway.rate_limits import Unlimited
from gateway.resolvers.core.access import RULES, Permission
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.operation import REGISTRY
from gateway.values.ids import is_id, new_id
from tests.api.table import ROWS, RawInput, Row
from tests.api.transport_calls import Outcome, by_graphql, by_rest
from tests.api_client import Api, Merchant
from tests.sql_log import watching

IDENTIFIED = {"coupons.validate": {"code": "nada"}, "members.accept": {"token": "x" * 43}}
"""Missing objects of operations that name them by other fields than ids."""
GUARDED = [row for row in ROWS if REGISTRY[row.operation].permission is not Permission.public]


async def test_foreign_objects_take_the_same_statements_as_missing_ones(services: Services, api: Api) -> None:
    owner, stranger = await api.register_merchant(company="Loja Secreta"), await api.register_merchant()
    rows = [row for row in GUARDED if row.owned or row.staff]
    named = [
        (row, raw_input) for row in rows if with_missing_ids(row, raw_input := await row.prepare(owner)) != raw_input
    ]
    assert {row.operation for row in rows if row.owned} <= {row.operation for row, _ in named}
    # Without the rate limiter every refusal is audited, not only some of them.
    async with watching(replace(services, limiter=Unlimited())) as (watched, sent):
        for number, (row, raw_input) in enumerate(named):
            calls = [
                by_rest(watched, row.operation, each, stranger.token)
                if number % 2
                else by_graphql(watched, row.field, each, stranger.token)
                for each in (raw_input, raw_input, with_missing_ids(row, raw_input))
            ]
            # The first call also does pending work, such as sealing the audit trail.
            _, foreign, absent = [await run_logged(call, sent) for call in calls]
            assert foreign == absent, row.operation
            assert foreign[0].status in {403, 404}, (row.operation, foreign)
    assert len(named) > 40


async def test_a_foreign_store_takes_the_same_statements_as_a_missing_one(services: Services, api: Api) -> None:
    owner, stranger = await api.register_merchant(company="Loja Secreta"), await api.register_merchant()
    rows = [row for row in GUARDED if not RULES[REGISTRY[row.operation].permission].own_account]
    async with watching(replace(services, limiter=Unlimited())) as (watched, sent):
        for row in rows:
            calls = [
                by_rest(watched, row.operation, IDS, stranger.token, x_store=store) for store in (owner.id, new_id())
            ]
            foreign, absent = [await run_logged(call, sent) for call in calls]
            assert foreign == absent, row.operation
            assert (foreign[0].status, foreign[0].codigo) == (403, "LOJA_NAO_AUTORIZADA"), row.operation


IDS = dict.fromkeys(("id", "delivery_id", "comment_id", "document_id", "event"), "x")
"""Ids of all paths."""


async def test_an_unknown_email_takes_the_same_statements_as_a_wrong_password(
    services: Services, merchant: Merchant
) -> None:
    """tests/resolvers/test_accounts.py checks that both hash a password."""
    raw_inputs = [{"email": email, "password": "outra senha qualquer"} for email in (merchant.email, "x@example.com")]
    async with watching(replace(services, limiter=Unlimited())) as (watched, sent):
        (wrong, known_statements), (unknown, unknown_statements) = [
            await run_logged(by_rest(watched, "accounts.login", raw_input, None), sent) for raw_input in raw_inputs
        ]
    assert wrong == unknown
    assert len(known_statements) == len(unknown_statements)


async def test_a_reset_of_an_unknown_email_takes_the_same_statements(services: Services, merchant: Merchant) -> None:
    raw_inputs = [{"email": email} for email in (merchant.email, "x@example.com")]
    async with watching(replace(services, limiter=Unlimited())) as (watched, sent):
        known, unknown = [
            await run_logged(by_rest(watched, "accounts.request_password_reset", raw_input, None), sent)
            for raw_input in raw_inputs
        ]
    assert known == unknown
    assert known[0].status == 202
    assert any("password_resets" in statement for statement in known[1])


async def run_logged(call: object, sent: list[str]) -> tuple[Outcome, list[str]]:
    """The response, with its length, and the statements that it took."""
    sent.clear()
    outcome: Outcome = await call  # type: ignore[misc]  # a coroutine of one of the transports.
    await asyncio.sleep(0)  # The driver logs a statement in the next iteration of the event loop.
    outcome.extra["length"] = len(outcome.body)
    return outcome, sorted(sent)


def with_missing_ids(row: Row, raw_input: RawInput) -> RawInput:
    """The raw input with ids of missing objects."""
    absent = {name: new_id() if isinstance(value, str) and is_id(value) else value for name, value in raw_input.items()}
    return absent | IDENTIFIED.get(row.operation, {})

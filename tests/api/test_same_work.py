"""What is somebody else's answers like what doesn't exist: the same words, and the same statements to the database, so
that no clock tells them apart either. Counted, not timed: what is counted doesn't depend on the machine.
"""

import asyncio

from msgspec.structs import replace

from gateway.rate_limits import Unlimited
from gateway.resolvers.core.access import RULES, Permission
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.operation import REGISTRY
from gateway.values.ids import is_id, new_id
from tests.api.calling import Outcome, by_graphql, by_rest
from tests.api.table import ROWS, RawInput, Row
from tests.api_client import Api, Merchant
from tests.sql_log import watching

IDENTIFIED = {"coupons.validate": {"code": "nada"}, "members.accept": {"token": "x" * 43}}
"""What isn't named by an id, and how it is named when it doesn't exist."""
GUARDED = [row for row in ROWS if REGISTRY[row.operation].permission is not Permission.public]


async def test_what_is_foreign_is_as_much_work_as_what_does_not_exist(services: Services, api: Api) -> None:
    owner, stranger = await api.register_merchant(company="Loja Secreta"), await api.register_merchant()
    rows = [row for row in GUARDED if row.marks or row.staff]
    named = [(row, draft) for row in rows if nowhere(row, draft := await row.prepare(owner)) != draft]
    assert {row.operation for row in rows if row.marks} <= {row.operation for row, _ in named}
    # Every refusal is written down, not only the first, second, fifth.
    async with watching(replace(services, limiter=Unlimited())) as (watched, sent):
        for number, (row, draft) in enumerate(named):
            calls = [
                by_rest(watched, row.operation, each, stranger.token)
                if number % 2
                else by_graphql(watched, row.field, each, stranger.token)
                for each in (draft, draft, nowhere(row, draft))
            ]
            # The first does what waited for somebody to come by: it seals the trail, for one.
            _, foreign, absent = [await asked(call, sent) for call in calls]
            assert foreign == absent, row.operation
            assert foreign[0].status in {403, 404}, (row.operation, foreign)
    assert len(named) > 40


async def test_a_foreign_store_is_as_much_work_as_one_that_does_not_exist(services: Services, api: Api) -> None:
    owner, stranger = await api.register_merchant(company="Loja Secreta"), await api.register_merchant()
    rows = [row for row in GUARDED if not RULES[REGISTRY[row.operation].permission].own]
    async with watching(replace(services, limiter=Unlimited())) as (watched, sent):
        for row in rows:
            calls = [
                by_rest(watched, row.operation, IDS, stranger.token, x_store=store) for store in (owner.id, new_id())
            ]
            foreign, absent = [await asked(call, sent) for call in calls]
            assert foreign == absent, row.operation
            assert (foreign[0].status, foreign[0].codigo) == (403, "LOJA_NAO_AUTORIZADA"), row.operation


IDS = dict.fromkeys(("id", "delivery_id", "comment_id", "document_id"), "x")
"""Whatever a path asks for."""


async def test_an_unknown_e_mail_is_as_much_work_as_a_wrong_password(services: Services, merchant: Merchant) -> None:
    """Of the database; that a password is hashed for both, tests/resolvers/test_accounts.py counts."""
    drafts = [{"email": email, "password": "outra senha qualquer"} for email in (merchant.email, "x@example.com")]
    async with watching(replace(services, limiter=Unlimited())) as (watched, sent):
        (wrong, told), (unknown, told_alike) = [
            await asked(by_rest(watched, "accounts.login", draft, None), sent) for draft in drafts
        ]
    assert wrong == unknown
    assert len(told) == len(told_alike)


async def test_an_unknown_e_mail_is_as_much_work_as_one_that_is_written_to(
    services: Services, merchant: Merchant
) -> None:
    drafts = [{"email": email} for email in (merchant.email, "x@example.com")]
    async with watching(replace(services, limiter=Unlimited())) as (watched, sent):
        known, unknown = [
            await asked(by_rest(watched, "accounts.request_password_reset", draft, None), sent) for draft in drafts
        ]
    assert known == unknown
    assert known[0].status == 202
    assert any("password_resets" in statement for statement in known[1])


async def asked(call: object, sent: list[str]) -> tuple[Outcome, list[str]]:
    """The answer, word for word, and the statements that it took."""
    sent.clear()
    outcome: Outcome = await call  # type: ignore[misc]  # a coroutine of one of the transports.
    await asyncio.sleep(0)  # The driver tells of a statement a turn of the loop later.
    outcome.extra["length"] = len(outcome.body)
    return outcome, sorted(sent)


def nowhere(row: Row, draft: RawInput) -> RawInput:
    """The draft with ids that nothing has."""
    absent = {name: new_id() if isinstance(value, str) and is_id(value) else value for name, value in draft.items()}
    return absent | IDENTIFIED.get(row.operation, {})

"""Password resets: an emailed token, valid once within an hour. Responses do not reveal accounts."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import httpx
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.models.emails import EmailKind
from gateway.resolvers.accounts.password_changes import purge_password_resets
from gateway.resolvers.core.context import Services, system_context
from gateway.security import Passwords
from gateway.settings import Settings
from gateway.workers.notify import open_queue
from tests.api_client import PASSWORD, Api, Merchant
from tests.fake_clock import MovedClock
from tests.members import join, tokens_of
from tests.sql import rows, run, value
from tests.subscriptions.fixtures import wait_until_blocked
from tests.two_factor import challenge, enrol

NEW = "uma senha nova comprida"
ASK = "mutation($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) { requested message } }"
RESET = "mutation($input: ResetPasswordInput!) { resetPassword(input: $input) { reset email } }"
REQUESTS = """
select store_id::text from audit_pending where action = 'account.password_reset_requested' order by record_id
"""


Wait = Callable[[], Awaitable[None]]


@pytest.fixture
async def waits(services: Services, settings: Settings) -> AsyncIterator[Wait]:
    """Skips the ten minutes between two emails to an address."""
    redis = open_queue(settings.redis_url)

    async def wait() -> None:
        counts = [name async for name in redis.scan_iter("*reset:email:600:*")]
        assert counts, "nothing was counted"
        await redis.delete(*counts)

    yield wait
    await redis.aclose(True)


async def requests(api: Api, email: str) -> httpx.Response:
    answer = await api.post("/auth/password/forgot", {"email": email})
    assert answer.status_code == 202, answer.text
    return answer


async def mailed(merchant: Merchant) -> list[str]:
    return await tokens_of(merchant.api.services, merchant.email, EmailKind.password_reset)


async def token_of(merchant: Merchant) -> str:
    await requests(merchant.api, merchant.email)
    return (await mailed(merchant))[-1]


async def reset(api: Api, token: str, password: str = NEW) -> httpx.Response:
    return await api.post("/auth/password/reset", {"token": token, "new_password": password})


async def logged_in(merchant: Merchant, password: str) -> int:
    answer = await merchant.api.post("/auth/login", {"email": merchant.email, "password": password})
    return answer.status_code


async def test_a_password_is_reset_with_the_emailed_token(api: Api, merchant: Merchant, database: Database) -> None:
    token = await token_of(merchant)
    facts = await value(database, "select template_data from emails where kind = 'password_reset'")
    assert token not in str(facts), "encrypted at rest"
    assert await value(database, "select count(*) from password_resets where token_hash = $1", token.encode()) == 0
    answer = await reset(api, token)
    assert answer.status_code == 200
    found = answer.json()["data"]
    assert (found["reset"], found["email"]) == (True, merchant.email)
    assert (await logged_in(merchant, PASSWORD), await logged_in(merchant, NEW)) == (401, 200)
    assert (await api.get("/auth/me", token=merchant.token)).status_code == 401, "every session has ended"
    again = await reset(api, token, "outra senha qualquer")
    assert (again.status_code, await logged_in(merchant, NEW)) == (404, 200)
    found = await value(database, "select template_data from emails where kind = 'password_changed'")
    assert (found["email"], found["by_mail"], found["ip"]) == (merchant.email, True, "127.0.0.1")


async def test_the_same_over_graphql(api: Api, merchant: Merchant) -> None:
    answer = await api.graphql(ASK, input={"email": merchant.email.upper()})
    assert answer["data"]["requestPasswordReset"]["requested"] is True
    [token] = await mailed(merchant)
    answer = await api.graphql(RESET, input={"token": token, "newPassword": NEW})
    assert answer["data"]["resetPassword"] == {"reset": True, "email": merchant.email}
    answer = await api.graphql(RESET, input={"token": token, "newPassword": NEW})
    assert answer["errors"][0]["extensions"]["status"] == 404
    assert await logged_in(merchant, NEW) == 200


async def test_a_request_does_not_reveal_who_has_an_account(api: Api, merchant: Merchant, database: Database) -> None:
    known, unknown = await requests(api, merchant.email), await requests(api, "ninguem@example.com")
    assert known.json() == unknown.json()
    assert await value(database, "select count(*) from emails") == 1
    assert await value(database, "select count(*) from password_resets") == 1
    found = await rows(database, REQUESTS)
    assert [row["store_id"] for row in found] == [merchant.id, None]
    assert (await api.post("/auth/password/forgot", {"email": "isto não é"})).status_code == 400


async def test_emails_to_an_address_are_limited_per_ten_minutes_and_per_day(
    api: Api, merchant: Merchant, waits: Wait
) -> None:
    for number in range(1, 11):
        await requests(api, merchant.email)
        await requests(api, merchant.email)
        assert len(await mailed(merchant)) == number
        await waits()
    # Requests beyond the limit of a network count for no other network.
    await requests(api, merchant.email)
    assert len(await mailed(merchant)) == 10
    async with Api.of(Gateway(api.services.settings, api.services), address="198.51.100.7") as elsewhere:
        await requests(elsewhere, merchant.email)
    assert len(await mailed(merchant)) == 11


async def test_all_tokens_of_an_account_are_valid_until_one_is_used(api: Api, merchant: Merchant, waits: Wait) -> None:
    first = await token_of(merchant)
    await waits()
    second = await token_of(merchant)
    assert first != second
    assert (await reset(api, first)).status_code == 200
    assert (await reset(api, second)).status_code == 404


async def test_a_token_expires_after_an_hour_and_is_deleted(
    api: Api, merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    job = system_context(services, source="job", request_id="r")
    token = await token_of(merchant)
    clock.advance(timedelta(minutes=59))
    await purge_password_resets(job)
    assert await value(database, "select count(*) from password_resets") == 1
    clock.advance(timedelta(minutes=2))
    assert (await reset(api, token)).status_code == 404
    await purge_password_resets(job)
    assert await value(database, "select count(*) from password_resets") == 0
    assert await logged_in(merchant, PASSWORD) == 200


async def test_a_token_used_twice_concurrently_succeeds_once(api: Api, merchant: Merchant, database: Database) -> None:
    token = await token_of(merchant)
    passwords = [f"{NEW} {number}" for number in range(4)]
    answers = await asyncio.gather(*(reset(api, token, each) for each in passwords))
    assert sorted(answer.status_code for answer in answers) == [200, 404, 404, 404]
    let_in = [await logged_in(merchant, each) for each in passwords]
    assert [answer.status_code == 200 for answer in answers] == [each == 200 for each in let_in]
    assert await value(database, "select count(*) from emails where kind = 'password_changed'") == 1


async def test_a_refused_password_does_not_consume_the_token(api: Api, merchant: Merchant) -> None:
    token = await token_of(merchant)
    for refused in ("curta", "12345678", "abc\x00defghij", merchant.email):
        answer = await reset(api, token, refused)
        assert (answer.status_code, answer.json()["error"]["campos"][0]["campo"]) == (400, "new_password"), refused
    assert (await reset(api, token)).status_code == 200


async def test_a_second_factor_is_still_required(api: Api, merchant: Merchant) -> None:
    await enrol(merchant)
    assert (await reset(api, await token_of(merchant))).status_code == 200
    assert await challenge(merchant, NEW)


async def test_an_account_with_google_only_can_set_a_password(api: Api, merchant: Merchant, database: Database) -> None:
    await run(database, "update users set password_hash = null where id = $1", merchant.id)
    assert await logged_in(merchant, PASSWORD) == 401
    assert (await reset(api, await token_of(merchant))).status_code == 200
    assert await logged_in(merchant, NEW) == 200


async def test_a_reset_clears_the_limit_on_guesses(api: Api, merchant: Merchant) -> None:
    assert [await logged_in(merchant, "errada, e muito") for _ in range(11)][-1] == 429
    assert (await reset(api, await token_of(merchant))).status_code == 200
    assert await logged_in(merchant, NEW) == 200


class SlowPasswords(Passwords):
    """Hashes `NEW` when its event is set."""

    def __init__(self) -> None:
        super().__init__(memory_kib=8, time_cost=1)
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def hash(self, password: str) -> str:
        if password == NEW:
            self.begun.set()
            await self.go_on.wait()
        return await super().hash(password)


async def test_a_change_with_the_old_password_does_not_overwrite_a_reset(
    services: Services, settings: Settings, database: Database
) -> None:
    slow = SlowPasswords()
    async with Api.of(Gateway(settings, replace(services, passwords=slow))) as api:
        merchant = await api.register_merchant()
        token = await token_of(merchant)
        form = {"current_password": PASSWORD, "new_password": NEW}
        change = asyncio.create_task(api.put("/auth/password", form, token=merchant.token))
        await slow.begun.wait()
        assert (await reset(api, token, "a senha do titular")).status_code == 200
        slow.go_on.set()
        assert (await change).status_code == 401
        assert (await logged_in(merchant, NEW), await logged_in(merchant, "a senha do titular")) == (401, 200)
    assert await value(database, "select count(*) from emails where kind = 'password_changed'") == 1


async def test_concurrent_resets_and_changes_do_not_deadlock(api: Api, merchant: Merchant) -> None:
    password, token = PASSWORD, merchant.token
    for number in range(8):
        await api.services.limiter.forget(f"reset:email:600:{_hashed(merchant.email)}")
        code = await token_of(merchant)
        changed, by_mail = f"{NEW} {number}", f"{NEW} por e-mail {number}"
        form = {"current_password": password, "new_password": changed}
        answers = await asyncio.gather(api.put("/auth/password", form, token=token), reset(api, code, by_mail))
        # The reset always wins: the change does not invalidate its token.
        assert (answers[0].status_code in {200, 401}, answers[1].status_code) == (True, 200)
        password = by_mail
        session = await api.post("/auth/login", {"email": merchant.email, "password": password})
        token = session.json()["data"]["accessToken"]


async def test_a_password_change_does_not_invalidate_emailed_tokens(
    api: Api, merchant: Merchant, database: Database
) -> None:
    token = await token_of(merchant)
    form = {"current_password": PASSWORD, "new_password": NEW}
    assert (await api.put("/auth/password", form, token=merchant.token)).status_code == 200
    found = await value(database, "select template_data from emails where kind = 'password_changed'")
    assert (found["email"], found["by_mail"]) == (merchant.email, False)
    # Otherwise someone who knows the password could prevent its reset.
    assert (await reset(api, token, "mais uma senha nova")).status_code == 200


async def test_a_password_is_changed_twenty_times_an_hour(api: Api, merchant: Merchant) -> None:
    form = {"current_password": PASSWORD, "new_password": PASSWORD}
    for _ in range(20):
        answer = await api.put("/auth/password", form, token=merchant.token)
        assert answer.status_code == 200
        merchant.token = answer.json()["data"]["accessToken"]
    assert (await api.put("/auth/password", form, token=merchant.token)).status_code == 429


ACCESS_COUNTS = """
select (select count(*) from api_keys where user_id = $1 and active) as keys,
       (select count(*) from webhook_endpoints where user_id = $1 and active) as endpoints,
       (select count(*) from members where store_id = $1 and status <> 'removed') as people
"""


ENDPOINT = {"name": "meu", "url": "http://127.0.0.1:8200/"}


async def _grant_access(merchant: Merchant, friend: Merchant) -> str:
    """Add a member and an endpoint; returns the id of the endpoint."""
    await join(merchant, friend, "admin")
    answer = await merchant.api.post("/webhook-endpoints", ENDPOINT, token=merchant.token)
    assert answer.status_code == 201, answer.text
    endpoint_id: str = answer.json()["data"]["id"]
    return endpoint_id


async def test_the_first_reset_revokes_the_access_of_an_unverified_registrant(api: Api, database: Database) -> None:
    squatted, friend = await api.register_merchant(), await api.register_merchant()
    await _grant_access(squatted, friend)
    answer = await reset(api, await token_of(squatted))
    message = answer.json()["data"]["message"]
    assert "desativamos 1 chave de API e 1 webhook, e retiramos o acesso ou o convite de 1 pessoa." in message
    assert dict((await rows(database, ACCESS_COUNTS, squatted.id))[0]) == {"keys": 0, "endpoints": 0, "people": 0}
    assert await value(database, "select bool_and(disabled_at is not null) from webhook_endpoints")
    assert (await api.get("/pix", token=squatted.key)).status_code == 401
    assert (await api.get("/pix", token=friend.token, x_store=squatted.id)).status_code == 403
    found = await value(database, "select template_data from emails where kind = 'password_changed'")
    assert (found["keys"], found["endpoints"], found["people"]) == (1, 1, 1)
    changes = await value(database, "select changes from audit_pending where action = 'account.password_reset'")
    assert changes["active_api_keys"] == {"from": 1, "to": 0}
    # The address is verified from now on, so later access is not revoked.
    await api.services.limiter.forget(f"reset:email:600:{_hashed(squatted.email)}")
    await run(database, "update api_keys set active = true where user_id = $1", squatted.id)
    answer = await reset(api, await token_of(squatted), "outra senha comprida")
    assert "continuam como estavam" in answer.json()["data"]["message"]
    assert (await api.get("/pix", token=squatted.key)).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/api-keys/{key}", {"active": True}),
        ("PUT", "/webhook-endpoints/{endpoint}", {"active": True}),
        ("POST", "/api-keys", {"name": "outra", "environment": "test"}),
        ("POST", "/webhook-endpoints", ENDPOINT),
        ("POST", "/members", {"name": "Bia", "email": "bia@example.com", "role": "admin"}),
    ],
)
async def test_access_granted_during_the_first_reset_is_revoked_too(
    api: Api, database: Database, method: str, path: str, body: dict[str, object]
) -> None:
    squatted, friend = await api.register_merchant(), await api.register_merchant()
    path = path.format(endpoint=await _grant_access(squatted, friend), key=squatted.key_id)
    token = await token_of(squatted)
    async with database.transaction() as transaction:
        await transaction.connection.execute("select from sessions where user_id = $1 for update", squatted.id)
        owner = asyncio.create_task(reset(api, token))
        await wait_until_blocked(database, owner)
        impostor = asyncio.create_task(api.request(method, path, body, token=squatted.token))
        await wait_until_blocked(database, impostor, 2)
    assert ((await owner).status_code, (await impostor).status_code) == (200, 401)
    assert dict((await rows(database, ACCESS_COUNTS, squatted.id))[0]) == {"keys": 0, "endpoints": 0, "people": 0}


async def test_a_reset_of_an_approved_store_revokes_nothing(api: Api, database: Database) -> None:
    merchant, friend = await api.register_merchant(), await api.register_merchant()
    await _grant_access(merchant, friend)
    await run(database, "update users set production_status = 'approved' where id = $1", merchant.id)
    assert (await reset(api, await token_of(merchant))).status_code == 200
    assert dict((await rows(database, ACCESS_COUNTS, merchant.id))[0]) == {"keys": 1, "endpoints": 1, "people": 1}
    assert (await api.get("/auth/me", token=merchant.key)).status_code == 200


def _hashed(email: str) -> str:
    return hashlib.sha256(email.lower().encode()).hexdigest()[:32]


async def test_the_audit_trail_has_the_request_and_the_reset(api: Api, merchant: Merchant) -> None:
    assert (await reset(api, await token_of(merchant))).status_code == 200
    session = await api.post("/auth/login", {"email": merchant.email, "password": NEW})
    listed = await api.get("/audit?sort=created_at", token=session.json()["data"]["accessToken"])
    acts = {row["action"]: row for row in listed.json()["data"]}
    requested, done = acts["account.password_reset_requested"], acts["account.password_reset"]
    assert (requested["actor_type"], done["actor_type"]) == ("public", "user")
    assert requested["changes"]["email"]["to"] == f"a***@{merchant.email.partition('@')[2]}"
    assert done["changes"]["password"] == {"from": "***", "to": "***"}

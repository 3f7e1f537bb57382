"""Sessions and logout. An ended session is refused on the next request, everywhere."""

import asyncio
from datetime import timedelta

import httpx
import pytest
from msgspec.structs import replace

from gateway.models.database import Database
from gateway.resolvers.core.authentication import RequestAuthenticator
from gateway.resolvers.core.context import Context, RequestMetadata, Services, system_context
from gateway.resolvers.core.credentials import Credentials
from gateway.resolvers.sessions.store import purge_sessions
from gateway.resolvers.sessions.tokens import refresh_session
from gateway.security import SessionClaims
from tests.api.actors import Scene, live_session, set_status
from tests.api_client import PASSWORD, Api, Merchant
from tests.fake_clock import MovedClock
from tests.members import join
from tests.sql import rows, value
from tests.two_factor import Factor, begun, log_in, sessions_of

ENDED = (401, {"error": "Token inválido ou expirado"})


async def works(api: Api, token: str) -> bool:
    """Whether a token is valid, over REST and GraphQL alike, and renewal."""
    by_rest = await api.get("/auth/me", token=token)
    by_graphql = await api.graphql("{ me { environment } }", token=token)
    if by_rest.status_code == 200:
        assert by_graphql["data"]["me"]["environment"] == "test"
        return True
    assert (by_rest.status_code, by_rest.json()) == ENDED
    assert by_graphql["errors"][0]["extensions"] == {"status": 401}
    renewed = await api.post("/auth/refresh", token=token)
    assert (renewed.status_code, renewed.json()) == ENDED
    return False


def token_of(answer: httpx.Response) -> str:
    """The token of an answer."""
    assert answer.status_code == 200, answer.text
    token: str = answer.json()["data"]["accessToken"]
    return token


async def test_sessions_are_listed_and_one_is_ended(
    api: Api, database: Database, merchant: Merchant, clock: MovedClock
) -> None:
    stranger, begun_at = await api.register_merchant(), clock.now()
    clock.advance(timedelta(minutes=2))
    phone = await log_in(merchant, user_agent="Celular/1.0")
    listed = await sessions_of(api, phone)
    assert (listed[0]["user_agent"], listed[0]["current"]) == ("Celular/1.0", True)
    assert listed[0].keys() == {"id", "current", "ip", "user_agent", "begun_at", "last_used_at"}
    assert (listed[0]["ip"], listed[0]["begun_at"]) == ("127.0.0.1", clock.now().isoformat())
    assert (listed[1]["begun_at"], listed[1]["last_used_at"], listed[1]["current"]) == (
        *[begun_at.isoformat()] * 2,
        False,
    )
    # Use is recorded once a minute per session. A renewal creates no other session.
    renewed = token_of(await api.post("/auth/refresh", token=merchant.token))
    chosen = token_of(await api.post("/auth/environment", {"environment": "test"}, token=renewed))
    clock.advance(timedelta(seconds=59))
    computer = next(each for each in await sessions_of(api, chosen) if each["current"])
    assert computer["id"] == listed[1]["id"]
    assert computer["last_used_at"] == (clock.now() - timedelta(seconds=59)).isoformat()
    assert len(await sessions_of(api, chosen)) == 2

    path = f"/auth/sessions/{computer['id']}"
    assert (await api.delete(path, token=stranger.token)).status_code == 404
    assert (await api.delete(path, token=merchant.key)).json()["error"]["codigo"] == "SOMENTE_PAINEL"
    assert (await api.delete(path, token=phone)).json()["data"]["deleted"] is True
    assert [await works(api, token) for token in (merchant.token, renewed, chosen, phone)] == [
        False,
        False,
        False,
        True,
    ]
    assert (await api.delete(path, token=phone)).status_code == 404
    assert await works(api, stranger.token)
    (record,) = await rows(database, "select changes from audit_trail where action = 'account.session_ended'")
    assert record["changes"]["session_id"]["from"] == computer["id"]
    # Ending one's own session is a logout.
    mine = (await sessions_of(api, phone))[0]["id"]
    assert (await api.delete(f"/auth/sessions/{mine.upper()}", token=phone)).status_code == 200
    assert not await works(api, phone)


async def test_ending_other_sessions_also_revokes_copies_of_this_token(
    api: Api, database: Database, services: Services, merchant: Merchant
) -> None:
    holder = await api.register_merchant()
    await join(holder, merchant, "admin")
    phone = await log_in(merchant)
    stolen = token_of(await api.post("/auth/refresh", token=merchant.token))
    remaining = token_of(await api.post("/auth/sessions/end-others", token=merchant.token))
    for token in (merchant.token, stolen, phone):
        assert not await works(api, token)
        in_a_store = await api.get("/pix", token=token, x_store=holder.id)
        assert (in_a_store.status_code, in_a_store.json()) == ENDED
    assert await works(api, remaining)
    assert (await api.get("/pix", token=remaining, x_store=holder.id)).status_code == 200
    assert [each["current"] for each in await sessions_of(api, remaining)] == [True]
    assert (await api.get("/pix", token=merchant.key)).status_code == 200  # API keys are not sessions.
    (record,) = await rows(database, "select changes from audit_trail where action = 'account.sessions_ended'")
    assert record["changes"] == {"sessions": {"from": 1, "to": None}}

    # A new password ends the others likewise.
    phone = await log_in(merchant)
    form = {"current_password": PASSWORD, "new_password": "outra senha comprida"}
    changed = token_of(await api.put("/auth/password", form, token=remaining))
    assert [await works(api, token) for token in (phone, remaining, changed)] == [False, False, True]
    assert len(await sessions_of(api, changed)) == 1


@pytest.mark.parametrize(
    ("status", "environment"),
    [("sandbox", "test"), ("pending", "test"), ("rejected", "test"), ("approved", "live"), ("suspended", "live")],
)
async def test_every_new_token_of_a_live_session_checks_its_environment_again(
    api: Api, services: Services, merchant: Merchant, status: str, environment: str
) -> None:
    await set_status(services.database, merchant, status)
    scene = Scene(api, services, merchant, merchant)
    merchant.token = await live_session(scene)
    app = Factor(api, (await begun(merchant))["secret"], [])
    confirmed = await api.post("/auth/two-factor/confirm", {"code": app.code(0)}, token=merchant.token)
    assert confirmed.json()["data"]["session"]["environment"] == environment
    for method, path, body in (
        ("POST", "/auth/refresh", None),
        ("POST", "/auth/sessions/end-others", None),
        ("PUT", "/auth/password", {"current_password": PASSWORD, "new_password": "outra senha comprida"}),
    ):
        session = await api.request(method, path, body, token=await live_session(scene))
        me = await api.get("/auth/me", token=token_of(session))
        assert session.json()["data"]["environment"] == me.json()["data"]["environment"] == environment, path


async def test_a_renewal_concurrent_with_a_logout_renews_nothing(
    api: Api, services: Services, merchant: Merchant
) -> None:
    authenticator = RequestAuthenticator(services, f"Bearer {merchant.token}")
    slow = Context(services, RequestMetadata("r", "rest"), authenticator, await authenticator.actor())
    answers = await asyncio.gather(*(api.post("/auth/sessions/end-others", token=merchant.token) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401]
    assert not await works(api, (await refresh_session(slow, {})).accessToken)


async def test_concurrent_look_ups_distinguish_sessions(api: Api, services: Services, merchant: Merchant) -> None:
    holder, stranger = await api.register_merchant(), await api.register_merchant()
    await join(holder, merchant, "viewer")
    await log_in(merchant)
    ids = {
        row["user_id"]: row["ids"]
        for row in await rows(
            services.database, "select user_id, array_agg(id order by begun_at, id) as ids from sessions group by 1"
        )
    }
    (one, two), (foreign,), gone = ids[merchant.id], ids[stranger.id], merchant.id
    credentials = Credentials(services.database)
    requested = [one, gone, two, foreign, one]
    found = await asyncio.gather(*(credentials.user(merchant.id, each) for each in requested))
    assert [row and row["session_id"] for row in found] == [one, None, two, None, one]
    found = await asyncio.gather(*(credentials.member(merchant.id, holder.id, each) for each in requested))
    assert [row and row["session_id"] for row in found] == [one, None, two, None, one]
    assert {row["member_id"] for row in found if row} != {None}


async def test_sessions_without_a_valid_token_are_purged(
    api: Api, services: Services, database: Database, merchant: Merchant, clock: MovedClock
) -> None:
    job = system_context(services, source="job", request_id="r")
    clock.advance(timedelta(minutes=30))
    renewed = token_of(await api.post("/auth/refresh", token=merchant.token))
    await log_in(merchant)
    idle = await api.register_merchant()
    clock.advance(timedelta(minutes=59))
    await purge_sessions(job)
    assert await works(api, renewed)
    assert await value(database, "select count(*) from sessions") == 3
    clock.advance(timedelta(minutes=3))
    assert len(await sessions_of(api, token_of(await api.post("/auth/refresh", token=await log_in(merchant))))) == 2
    await purge_sessions(job)
    assert await value(database, "select count(*) from sessions where user_id = $1", idle.id) == 0
    assert await value(database, "select count(*) from sessions") == 2


async def test_a_token_with_a_session_of_another_account_is_invalid(
    api: Api, services: Services, merchant: Merchant
) -> None:
    stranger = await api.register_merchant()
    theirs = (await sessions_of(api, stranger.token))[0]["id"]
    good = SessionClaims(merchant.id, "test", 1, (await sessions_of(api, merchant.token))[0]["id"])
    assert await works(api, services.tokens.issue(good))
    for session_id in (theirs, merchant.id, "", "x", "' or true --"):
        assert not await works(api, services.tokens.issue(replace(good, session_id=session_id)))

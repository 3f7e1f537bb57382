"""Logging in with Google: contract section 3, engine reference part D, ADR 0032."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.identity import NoIdentities
from gateway.integrations.identity.appwrite import MAX_RESPONSE_BYTES, Appwrite, open_http, open_identities
from gateway.models.database import Database
from gateway.resolvers.accounts.login import LOGINS_PER_ADDRESS
from gateway.resolvers.core.context import Services
from gateway.settings import Settings, SettingsError, load_settings
from tests.api.actors import set_status
from tests.api.rows import everything, fingerprint
from tests.api_client import PASSWORD, VALID_CNPJ, Api, Merchant
from tests.appwrite import PROJECT, FakeAppwrite, Person, arrive, unsigned
from tests.fake_clock import MovedClock


async def log_in(api: Api, person: Person, **more: Any) -> httpx.Response:
    return await api.post("/auth/google", {"appwriteJwt": person.token(), **more})


async def entered(api: Api, person: Person, **more: Any) -> dict[str, Any]:
    """The account of a successful login."""
    answer = await log_in(api, person, **more)
    assert answer.status_code == 200, answer.text
    data = answer.json()["data"]
    me = await api.get("/auth/me", token=data["accessToken"])
    assert (me.json()["data"]["user"], me.json()["data"]["environment"]) == (data["user"], data["environment"])
    user: dict[str, Any] = data["user"]
    return user


async def refused(answer: httpx.Response, status: int, codigo: str | None = None) -> None:
    error = answer.json()["error"]
    assert (answer.status_code, error.get("codigo")) == (status, codigo), answer.text
    assert error["message"]


async def test_an_account_is_created_once_and_follows_googles_id(
    api: Api, database: Database, merchant: Merchant
) -> None:
    person = arrive("Gui.Lima@Gmail.com")
    person.account["name"] = " Gui\x00 Lima\u2028" + "x" * 200
    first = await log_in(api, person)
    data = first.json()["data"]
    assert (first.status_code, data["environment"], data["accessToken"][:3]) == (200, "test", "eyJ")
    user = data["user"]
    assert (user["email"], user["cnpj"], user["is_admin"]) == ("gui.lima@gmail.com", None, False)
    assert (user["name"][:8], len(user["name"])) == ("Gui  Lim", 120)
    assert person.requested == ["/account", f"/account/sessions/{person.session['$id']}", "/account/identities"]
    for secret in (person.token(), "google-access", "google-refresh"):
        assert secret not in repr(await everything(database))

    # The address at Google changes to that of another merchant, without any effect.
    for address in ("gui.souza@gmail.com", merchant.email):
        person.account["email"] = person.identities[0]["providerEmail"] = address
        assert await entered(api, person) == user
    # Another Google account has the address now. It is another identity and is refused.
    await refused(await log_in(api, arrive("gui.lima@gmail.com")), 409, "EMAIL_JA_CADASTRADO")
    await refused(await log_in(api, arrive("gui.lima@gmail.com"), password="x"), 409, "EMAIL_JA_CADASTRADO")
    # An account without a password cannot be guessed or registered again.
    for path, form in (
        ("/auth/login", {"email": "gui.lima@gmail.com", "password": ""}),
        ("/auth/register", {"email": "gui.lima@gmail.com", "name": "X", "password": PASSWORD, "cnpj": VALID_CNPJ}),
    ):
        assert (await api.post(path, form)).status_code in {401, 409}


async def test_where_a_session_starts(api: Api, database: Database, clock: MovedClock) -> None:
    person = arrive()
    user = await entered(api, person)
    seen = {}
    for status in ("pending", "approved", "suspended"):
        await set_status(database, Merchant(api, user["id"], "", "", "", ""), status)
        seen[status] = (await log_in(api, person)).json()["data"]
    assert {status: data["environment"] for status, data in seen.items()} == {
        "pending": "test",
        "approved": "live",
        "suspended": "test",
    }
    clock.advance(timedelta(hours=2))
    assert (await api.get("/auth/me", token=seen["approved"]["accessToken"])).status_code == 401


async def test_an_account_with_a_password_is_linked_by_its_password(
    api: Api, database: Database, merchant: Merchant
) -> None:
    person = arrive(merchant.email.upper())
    before = await fingerprint(database)
    requested = await log_in(api, person)
    await refused(requested, 409, "EMAIL_JA_CADASTRADO")
    assert "senha" in requested.json()["error"]["message"]
    await refused(await log_in(api, person, password="não é esta"), 401, "CREDENCIAIS_INVALIDAS")
    assert await fingerprint(database) == before, "nothing is linked, and no other account is created"

    user = await entered(api, person, password=PASSWORD)
    assert user["id"] == merchant.id
    assert (await entered(api, person))["id"] == merchant.id
    for credential in (merchant.token, merchant.key):
        assert (await api.get("/auth/me", token=credential)).status_code == 200
    assert (await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})).status_code == 200
    # The next owner of the address is refused, even with the password.
    await refused(await log_in(api, arrive(merchant.email), password=PASSWORD), 409, "EMAIL_JA_CADASTRADO")
    async with database.pool.acquire() as connection:
        found = await connection.fetch("select action, store_id from audit_trail where actor_type = 'public'")
    assert sorted((row["action"], row["store_id"]) for row in found) == [
        ("account.identity_linked", merchant.id),
        ("account.login_failed", merchant.id),
        ("account.login_failed", merchant.id),
        ("account.registered", merchant.id),
    ]


async def test_the_records_of_failed_logins_are_sampled_and_in_the_stores_environment(
    api: Api, database: Database, merchant: Merchant
) -> None:
    await set_status(database, merchant, "approved")
    person = arrive(merchant.email)
    for _ in range(6):
        await refused(await log_in(api, person, password="x"), 401, "CREDENCIAIS_INVALIDAS")
    await entered(api, person, password=PASSWORD)
    failed, linked = "account.login_failed", "account.identity_linked"
    async with database.pool.acquire() as connection:
        found = await connection.fetch(
            "select action, environment, changes from audit_trail where action in ($1, $2) order by created_at, id",
            failed,
            linked,
        )
    assert [(row["action"], row["environment"]) for row in found] == [*[(failed, "live")] * 3, (linked, "live")]
    assert [row["changes"]["attempts"]["to"] for row in found[:3]] == [1, 2, 5]


async def test_guesses_when_linking_count_as_password_guesses(api: Api, merchant: Merchant) -> None:
    person = arrive(merchant.email)
    for _ in range(10):
        await refused(await log_in(api, person, password="x"), 401, "CREDENCIAIS_INVALIDAS")
    await refused(await log_in(api, person, password=PASSWORD), 429)
    await refused(await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD}), 429)


async def test_older_versions_have_oauth2_as_the_session_provider(api: Api) -> None:
    person = arrive()
    person.session |= {"provider": "oauth2", "providerUid": ""}
    person.account["emailVerification"] = False  # Its address is Google's.
    user = await entered(api, person)
    person.identities.insert(0, person.identities[0] | {"provider": "github", "providerUid": "7"})
    assert (await entered(api, person))["id"] == user["id"]


Change = Callable[[Person], object]
NOT_GOOD_ENOUGH: dict[str, Change] = {
    **{
        f"a session by {provider}": lambda person, provider=provider: person.session.update(provider=provider)
        for provider in ("email", "anonymous", "magic-url", "phone", "token", "server", "github", None, "")
    },
    "no identity at Google": lambda person: person.identities.clear(),
    "oauth2 with another provider": lambda person: (
        person.session.update(provider="oauth2"),
        person.identities[0].update(provider="github"),
    ),
    "an address typed by the person, and Google's another": lambda person: person.account.update(
        email="vitima@example.com", emailVerification=False
    ),
    "an unverified address, and none of Google's": lambda person: (
        person.account.update(emailVerification=False),
        person.identities[0].pop("providerEmail"),
    ),
    "letters that become others": lambda person: person.identities[0].update(providerEmail="vi\u212aa@example.com"),
    "no address": lambda person: person.identities[0].update(providerEmail="sem arroba"),
    "blocked": lambda person: person.account.update(status=False),
    "a status that is no truth": lambda person: person.account.update(status="true"),
    "another account": lambda person: person.account.update({"$id": "another"}),
    "another session": lambda person: person.session.update({"$id": "elsewhere"}),
    "a session of another account": lambda person: person.session.update(userId="another"),
    "an identity of another account": lambda person: person.identities[0].update(userId="another"),
    "a session of another identity": lambda person: person.session.update(providerUid="999"),
    "two identities, and none is the session's": lambda person: (
        person.session.update(provider="oauth2", providerUid=""),
        person.identities.append(person.identities[0] | {"providerUid": "999"}),
    ),
    "no id at Google": lambda person: person.identities[0].update(providerUid=7),
    "no list": lambda person: person.identities.__setitem__(0, "google"),  # type: ignore[call-overload]  # what a server may say.
}


async def test_an_invalid_google_session_is_refused(
    api: Api, services: Services, database: Database, merchant: Merchant, appwrite: FakeAppwrite
) -> None:
    before = await fingerprint(database)
    for name, change in NOT_GOOD_ENOUGH.items():
        person = arrive(merchant.email)
        token = person.token()
        change(person)
        answer = await api.post("/auth/google", {"appwriteJwt": token, "password": PASSWORD})
        assert (answer.status_code, sorted(answer.json()["error"])) == (401, ["message"]), name
        await services.limiter.forget("login:ip:127.0.0.1")
    good = arrive(merchant.email)
    for forged in (
        good.token(exp=1),
        good.token(userId="another"),
        good.token(sessionId="../../account"),
        good.token(sessionId=".."),
        good.token(sessionId=7),
        good.token(sessionId="gone"),
        unsigned({"userId": good.account["$id"], "sessionId": good.session["$id"]}),
        good.token()[:-4] + "AAAA",
    ):
        await refused(await api.post("/auth/google", {"appwriteJwt": forged, "password": PASSWORD}), 401)
    assert not [path for path in good.requested if ".." in path]
    calls = appwrite.calls
    for malformed in ("x", "a.b", "a.b.c.d", "a.b!.c", "a.b.c\nd", "é.b.c", "..", "a.b.c d"):
        await refused(await api.post("/auth/google", {"appwriteJwt": malformed}), 401)
    for no_token in ({}, {"appwriteJwt": None}, {"appwriteJwt": ""}, {"appwriteJwt": "a.b." + "c" * 4096}):
        await refused(await api.post("/auth/google", no_token), 400)
    assert appwrite.calls == calls, "an invalid token is not sent to Google"
    assert await fingerprint(database) == before


@pytest.mark.parametrize("path", ["/account", "/identities"])
async def test_a_failing_provider_is_a_502(
    api: Api, services: Services, database: Database, appwrite: FakeAppwrite, path: str
) -> None:
    person = arrive()
    before = await fingerprint(database)
    for status, body in (
        (404, b'{"type": "project_not_found"}'),
        (429, b'{"type": "general_rate_limit_exceeded"}'),
        (500, b"{}"),
        (503, b"<html>"),
        (403, b"<html>"),
        (401, b""),
        (403, b'{"message": "Blocked."}'),
        (302, b"{}"),
        (200, b"<html>"),
        (200, b"[]"),
        (200, b'"' + b"x" * MAX_RESPONSE_BYTES + b'"'),
        (None, b""),
    ):
        appwrite.answers[path] = (status, body)
        await refused(await log_in(api, person), 502)
    appwrite.answers[path] = (-1, b"")
    async with open_http() as http:
        hasty = replace(services, identities=Appwrite(http, appwrite.endpoint, PROJECT, deadline=0.05))
        async with Api.of(Gateway(services.settings, hasty)) as impatient:
            await refused(await log_in(impatient, person), 502)
    appwrite.answers[path] = (403, b'{"type": "user_blocked"}')
    await refused(await log_in(api, person), 401)
    assert await fingerprint(database) == before
    appwrite.answers.clear()
    await entered(api, person)


async def test_a_wrong_or_missing_project_is_reported(
    services: Services, settings: Settings, appwrite: FakeAppwrite
) -> None:
    person = arrive()
    set_up = {"appwrite_endpoint": appwrite.endpoint + "/", "appwrite_project": PROJECT}
    for changes, status, calls in (
        (set_up | {"appwrite_project": "outra"}, 502, 1),
        (set_up | {"appwrite_endpoint": "http://127.0.0.1:1/v1"}, 502, 0),
        ({}, 501, 0),
    ):
        before = appwrite.calls
        async with open_identities(settings.model_copy(update=load_settings_of(settings, changes))) as identities:
            assert isinstance(identities, NoIdentities) == (status == 501)
            async with Api.of(Gateway(settings, replace(services, identities=identities))) as api:
                await refused(await log_in(api, person), status)
        assert appwrite.calls == before + calls
    for half in ({"appwrite_endpoint": "https://id.example/v1"}, {"appwrite_project": "x"}):
        with pytest.raises(SettingsError, match="belong together"):
            load_settings_of(settings, half)


def load_settings_of(settings: Settings, changes: dict[str, str]) -> dict[str, Any]:
    """Load settings from these environment variables."""
    required = {name: getattr(settings, name) for name in ("database_url", "redis_url", "secret_key")}
    read = load_settings(_env_file=None, **required, **changes)
    return {"appwrite_endpoint": read.appwrite_endpoint, "appwrite_project": read.appwrite_project}


async def test_it_counts_as_a_login(api: Api, services: Services, merchant: Merchant) -> None:
    limit, window = LOGINS_PER_ADDRESS
    for _ in range(limit - 1):
        await services.limiter.hit("login:ip:127.0.0.1", limit, window)
    person = arrive()
    await entered(api, person)
    answer = await log_in(api, person)
    await refused(answer, 429)
    assert answer.headers["ratelimit-limit"] == "60"
    await refused(await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD}), 429)


async def test_concurrent_logins_of_one_person_create_one_account(api: Api, database: Database) -> None:
    person = arrive()
    answers = await asyncio.gather(*(log_in(api, person) for _ in range(6)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["data"]["user"]["id"] for answer in answers}) == 1
    async with database.pool.acquire() as connection:
        counted = await connection.fetchrow(
            "select (select count(*) from users) as accounts, (select count(*) from external_identities) as links"
        )
    assert tuple(counted) == (1, 1)

"""The cookie that resumes a session of the panel: how it is set, what it opens, and when it ends."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from http.cookies import Morsel, SimpleCookie
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.core.listing.exports import Export
from gateway.resolvers.core.operation import REGISTRY
from gateway.resolvers.sessions.store import purge_sessions
from gateway.resolvers.staff.access import set_staff
from gateway.rest_compat.routes import ENDPOINTS
from gateway.schema.root_fields import operations_by_field
from gateway.schema.schema import SCHEMA
from gateway.security import Passwords, SessionTokens
from gateway.values.ids import FIRST_ID
from tests.api.actors import MISSING, set_status
from tests.api.rows import fingerprint
from tests.api.table import ROWS, own_reset
from tests.api.transport_calls import document_of
from tests.api_client import PASSWORD, VALID_CNPJ, Api, Merchant
from tests.appwrite import arrive
from tests.fake_clock import MovedClock
from tests.sql import rows, value
from tests.two_factor import Factor, begun, challenge, enrol

NAME = "painel_sessao"
SESSION = "accessToken environment user { id }"
LOGIN = (
    "mutation($input: LoginInput!, $remember: Boolean!) { login(input: $input, remember: $remember) { "
    + SESSION
    + " } }"
)
RESUME = "mutation($environment: Environment) { resumeSession(environment: $environment) { " + SESSION + " } }"
MOMENT, TOO_LATE = timedelta(seconds=29), timedelta(seconds=31)
ONLY_BY_GRAPHQL: dict[str, Any] = {
    **{field: {"id": FIRST_ID} for field, each in operations_by_field(SCHEMA).items() if each.result_type is Export},
    "viewer": {},
    "billSubscriptions": {"dry_run": True},
    "beginDocumentUpload": {"type": "proof_of_address", "file_name": "a.pdf", "size": 9},
    "documentDownload": {"merchant_id": FIRST_ID, "document_id": FIRST_ID},
}


async def send(
    api: Api, query: str, *, cookie: str | None = None, name: str = NAME, token: str | None = None, **headers: Any
) -> httpx.Response:
    """A GraphQL request of the panel. A header with the value None is left out."""
    variables = headers.pop("variables", {})
    sent = {"x_panel": "1", "sec_fetch_site": "same-origin"} | headers
    if cookie is not None:
        sent["cookie"] = f"{name}={cookie}"
    api.client.cookies.clear()
    return await api.request(
        "POST",
        "/graphql",
        {"query": query, "variables": variables},
        token=token,
        **{key: header for key, header in sent.items() if header is not None},
    )


async def log_in(api: Api, merchant: Merchant, *, remember: bool = False, **headers: Any) -> httpx.Response:
    variables = {"input": {"email": merchant.email, "password": PASSWORD}, "remember": remember}
    return await send(api, LOGIN, variables=variables, **headers)


async def resume(api: Api, cookie: str | None, environment: str | None = None, **headers: Any) -> httpx.Response:
    return await send(api, RESUME, cookie=cookie, variables={"environment": environment}, **headers)


def cookie_of(answer: httpx.Response) -> Morsel[str]:
    """The only cookie that the response sets."""
    assert "errors" not in answer.json(), answer.text
    (header,) = answer.headers.get_list("set-cookie")
    (morsel,) = SimpleCookie(header).values()
    return morsel


def status_of(answer: httpx.Response) -> tuple[int, str | None]:
    if "errors" not in answer.json():
        return 200, None
    extensions = answer.json()["errors"][0]["extensions"]
    return extensions["status"], extensions.get("codigo")


def token_of(answer: httpx.Response) -> str:
    session = next(iter(answer.json()["data"].values()))
    token: str = session["accessToken"]
    return token


async def works(api: Api, token: str) -> bool:
    return (await api.get("/auth/me", token=token)).status_code == 200


@pytest.fixture
async def https_api(services: Services) -> AsyncIterator[Api]:
    settings = services.settings.model_copy(update={"base_url": "https://pix.example"})
    async with Api.of(Gateway(settings, replace(services, settings=settings))) as opened:
        yield opened


async def test_a_login_of_the_panel_sets_a_cookie_that_scripts_cannot_read(api: Api, merchant: Merchant) -> None:
    cookie = cookie_of(await log_in(api, merchant))
    assert cookie.key == NAME
    assert len(cookie.value) == 43
    set_attributes = {name: value for name, value in cookie.items() if value}
    assert set_attributes == {"path": "/graphql", "httponly": True, "samesite": "Strict"}


async def test_over_https_the_cookie_is_secure(https_api: Api) -> None:
    merchant = await https_api.register_merchant()
    cookie = cookie_of(await log_in(https_api, merchant))
    assert (cookie.key, cookie["secure"]) == (f"__Secure-{NAME}", True)
    assert status_of(await resume(https_api, cookie.value)) == (401, None)
    resumed = await resume(https_api, cookie.value, name=cookie.key)
    assert cookie_of(resumed).value != cookie.value


@pytest.mark.parametrize(
    "headers",
    [
        *({"x_panel": None}, {"x_panel": "0"}, {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"}),
        *({"sec_fetch_site": None, "origin": origin} for origin in ("https://other.example", "null")),
    ],
)
async def test_only_the_panel_gets_a_cookie(api: Api, merchant: Merchant, headers: dict[str, Any]) -> None:
    answer = await log_in(api, merchant, **headers)
    assert await works(api, token_of(answer))
    assert "set-cookie" not in answer.headers


async def test_rest_neither_sets_nor_takes_the_cookie(api: Api, merchant: Merchant) -> None:
    cookie = cookie_of(await log_in(api, merchant)).value
    form = {"email": merchant.email, "password": PASSWORD}
    answer = await api.post("/auth/login", form, x_panel="1", cookie=f"{NAME}={cookie}")
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers


async def test_the_cookie_resumes_the_session_and_is_replaced(api: Api, merchant: Merchant, database: Database) -> None:
    first = await log_in(api, merchant)
    cookie = cookie_of(first).value
    resumed = await resume(api, cookie)
    assert await works(api, token_of(resumed))
    assert resumed.json()["data"]["resumeSession"]["user"]["id"] == merchant.id
    following = cookie_of(resumed).value
    assert following != cookie
    # The sessions of a token and of those resumed from it are the same.
    assert await value(database, "select count(*) from sessions where cookie_hash is not null") == 1
    assert await works(api, token_of(first))
    stored = (await rows(database, "select * from sessions where cookie_hash is not null"))[0]
    assert following.encode() not in b"".join(each for each in stored.values() if isinstance(each, bytes))
    (record,) = await rows(database, "select changes from audit_trail where action = 'account.session_resumed'")
    assert record["changes"] == {"environment": {"from": None, "to": "test"}}


async def test_sec_fetch_site_may_be_absent(api: Api, merchant: Merchant) -> None:
    cookie = cookie_of(await log_in(api, merchant)).value
    assert status_of(await resume(api, cookie, sec_fetch_site=None)) == (200, None)


async def test_every_way_to_begin_a_session_sets_the_cookie(api: Api) -> None:
    form = {"name": "Bia", "email": "bia.painel@example.com", "password": PASSWORD, "cnpj": VALID_CNPJ}
    query = "mutation($input: RegisterInput!) { register(input: $input) { " + SESSION + " } }"
    registered = await send(api, query, variables={"input": form})
    assert status_of(await resume(api, cookie_of(registered).value)) == (200, None)

    query = "mutation($input: ExternalLoginInput!) { externalLogin(input: $input) { " + SESSION + " } }"
    entered = await send(api, query, variables={"input": {"appwriteJwt": arrive().token()}})
    assert status_of(await resume(api, cookie_of(entered).value)) == (200, None)

    merchant = await api.register_merchant()
    factor = await enrol(merchant)
    query = "mutation($input: LoginWithCodeInput!) { loginWithCode(input: $input) { " + SESSION + " } }"
    proof = {"challenge": await challenge(merchant), "code": factor.code()}
    entered = await send(api, query, variables={"input": proof})
    assert status_of(await resume(api, cookie_of(entered).value)) == (200, None)


END_OTHERS = "mutation { endOtherSessions { accessToken } }"
CHANGE_PASSWORD = f"""mutation {{
  changePassword(input: {{currentPassword: "{PASSWORD}", newPassword: "outra senha comprida"}}) {{ accessToken }}
}}"""
CONFIRM = "mutation($code: String!) { confirmTwoFactor(input: {code: $code}) { session { accessToken } } }"


@pytest.mark.parametrize("query", [END_OTHERS, CHANGE_PASSWORD, CONFIRM])
@pytest.mark.parametrize("panel", [True, False])
async def test_revoking_other_sessions_replaces_the_own_cookie(
    api: Api, merchant: Merchant, query: str, *, panel: bool
) -> None:
    first, elsewhere = await log_in(api, merchant, remember=True), await log_in(api, merchant)
    cookie = cookie_of(first).value
    variables = {}
    if query == CONFIRM:
        variables["code"] = Factor(api, (await begun(merchant))["secret"], []).code(0)
    answer = await send(api, query, token=token_of(first), variables=variables, x_panel="1" if panel else None)
    assert status_of(answer) == (200, None)
    for ended in (elsewhere, first):
        assert status_of(await resume(api, cookie_of(ended).value)) == (401, None)
    if panel:
        assert cookie_of(answer)["max-age"] == "2592000"
        assert cookie_of(answer).value != cookie
    else:
        assert "set-cookie" not in answer.headers


async def test_a_replaced_cookie_of_another_family_still_resumes(api: Api, merchant: Merchant) -> None:
    token = token_of(await log_in(api, merchant))
    answer = await send(api, END_OTHERS, token=token)
    assert status_of(await resume(api, cookie_of(answer).value)) == (200, None)


async def test_two_tabs_resume_at_once(api: Api, merchant: Merchant) -> None:
    cookie = cookie_of(await log_in(api, merchant)).value
    tabs = await asyncio.gather(*(resume(api, cookie) for _ in range(5)))
    assert len({cookie_of(tab).value for tab in tabs}) == 1
    assert all([await works(api, token_of(tab)) for tab in tabs])
    assert status_of(await resume(api, cookie_of(tabs[0]).value)) == (200, None)


async def test_a_value_replaced_before_is_valid_for_30_seconds_and_then_ends_the_session(
    api: Api, merchant: Merchant, clock: MovedClock, database: Database
) -> None:
    first = await log_in(api, merchant)
    cookie = cookie_of(first).value
    following = cookie_of(await resume(api, cookie)).value
    clock.advance(MOMENT)
    late = await resume(api, cookie)
    assert cookie_of(late).value == following
    clock.advance(TOO_LATE - MOMENT)
    stolen = await resume(api, cookie)
    assert status_of(stolen) == (401, None)
    assert "set-cookie" not in stolen.headers
    assert status_of(await resume(api, following)) == (401, None)
    assert not await works(api, token_of(first))
    assert not await works(api, token_of(late))
    assert await works(api, merchant.token), "another session of the account"
    (record,) = await rows(database, "select changes from audit_trail where action = 'account.session_cookie_reused'")
    assert record["changes"].keys() == {"session_id", "user_agent"}


async def test_a_value_replaced_twice_ends_the_session(api: Api, merchant: Merchant) -> None:
    """Otherwise a thief who resumes twice would be safe from detection."""
    cookie = cookie_of(await log_in(api, merchant)).value
    second = cookie_of(await resume(api, cookie)).value
    third = cookie_of(await resume(api, second)).value
    assert status_of(await resume(api, cookie)) == (401, None)
    assert status_of(await resume(api, third)) == (401, None)


async def test_ending_the_own_session_clears_the_cookie(api: Api, merchant: Merchant) -> None:
    await log_in(api, merchant)
    answer = await log_in(api, merchant)
    cookie, token = cookie_of(answer).value, token_of(answer)
    listed = await send(api, "{ sessions { id current } }", token=token)
    own = next(each["id"] for each in listed.json()["data"]["sessions"] if each["current"])
    others = [each["id"] for each in listed.json()["data"]["sessions"] if not each["current"]]
    query = "mutation($id: ID!) { endSession(id: $id) { deleted } }"
    assert "set-cookie" not in (await send(api, query, token=token, variables={"id": others[0]})).headers
    ended = cookie_of(await send(api, query, token=token, variables={"id": own.upper()}))
    assert (ended.value, ended["max-age"], ended["path"]) == ("", "0", "/graphql")
    assert status_of(await resume(api, cookie)) == (401, None)


@pytest.mark.parametrize(("remember", "limit"), [(False, timedelta(hours=12)), (True, timedelta(days=30))])
async def test_an_unused_session_ends(
    api: Api, services: Services, clock: MovedClock, remember: bool, limit: timedelta
) -> None:
    merchant = await api.register_merchant()
    cookie = cookie_of(await log_in(api, merchant, remember=remember))
    assert cookie["max-age"] == ("2592000" if remember else "")
    clock.advance(limit - timedelta(minutes=2))
    await purge_sessions(system_context(services, source="job", request_id="req"))
    resumed = await resume(api, cookie.value)
    assert cookie_of(resumed)["max-age"] == ("2592000" if remember else "")
    # Its use counts, and the session is listed for as long.
    clock.advance(limit - timedelta(minutes=2))
    following = await resume(api, cookie_of(resumed).value)
    listed = await send(api, "{ sessions { id } }", token=token_of(following))
    assert len(listed.json()["data"]["sessions"]) == 1
    clock.advance(limit + timedelta(minutes=2))
    assert status_of(await resume(api, cookie_of(following).value)) == (401, None)
    await purge_sessions(system_context(services, source="job", request_id="req"))
    assert await value(services.database, "select count(*) from sessions where user_id = $1", merchant.id) == 0


async def test_an_unused_session_of_staff_ends_after_an_hour(api: Api, services: Services, clock: MovedClock) -> None:
    staff = await api.register_merchant()
    await set_staff(system_context(services, source="job", request_id="req"), staff.email, staff=True)
    cookie = cookie_of(await log_in(api, staff, remember=True))
    assert cookie["max-age"] == "", "never remembered"
    clock.advance(timedelta(minutes=59))
    cookie = cookie_of(await resume(api, cookie.value))
    clock.advance(timedelta(minutes=61))
    assert status_of(await resume(api, cookie.value)) == (401, None)


@pytest.mark.parametrize(
    "headers", [{"x_panel": None}, {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"}]
)
async def test_a_request_of_another_site_is_refused(
    api: Api, merchant: Merchant, database: Database, headers: dict[str, Any]
) -> None:
    cookie = cookie_of(await log_in(api, merchant)).value
    before = await rows(database, "select * from sessions")
    assert status_of(await resume(api, cookie, **headers)) == (403, "SOMENTE_PAINEL")
    assert await rows(database, "select * from sessions") == before


async def test_a_form_of_another_site_is_refused(api: Api, merchant: Merchant) -> None:
    headers = {"cookie": f"{NAME}={cookie_of(await log_in(api, merchant)).value}", "x-panel": "1"}
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        body = b'{"query": "mutation { resumeSession { accessToken } }"}'
        answer = await api.client.post("/graphql", content=body, headers=headers | {"content-type": content_type})
        assert answer.status_code == 415, content_type
    query = {"query": "mutation { resumeSession { accessToken } }"}
    assert (await api.client.get("/graphql", params=query, headers=headers)).status_code == 405


async def test_the_cookie_alone_opens_no_other_operation(api: Api, merchant: Merchant, database: Database) -> None:
    guarded = [row for row in ROWS if REGISTRY[row.operation].permission is not Permission.public]
    raw_inputs = {row.field: await row.prepare(merchant) for row in guarded}
    person = await api.register_merchant()
    cookie = cookie_of(await log_in(api, person)).value
    before = await fingerprint(database)
    for field, raw_input in (raw_inputs | ONLY_BY_GRAPHQL).items():
        document, variables = document_of(field, raw_input)
        answer = await send(api, document, cookie=cookie, variables=variables)
        assert answer.json()["errors"][0]["message"] == MISSING, field
        assert status_of(answer) == (401, None), field
        assert "set-cookie" not in answer.headers
    for endpoint in ENDPOINTS:
        if endpoint.operation.permission is not Permission.public:
            path = re.sub(r"\{\w+\}", person.id, endpoint.path)
            response = await api.request(endpoint.method, path, cookie=f"{NAME}={cookie}", x_panel="1")
            assert (response.status_code, response.json()) == (401, {"error": MISSING}), path
    assert await fingerprint(database) == before
    assert status_of(await resume(api, cookie)) == (200, None)


def test_every_guarded_field_is_tried_with_the_cookie_alone() -> None:
    guarded = {
        field
        for field, operation in operations_by_field(SCHEMA).items()
        if operation.permission is not Permission.public
    }
    # `changes` is a stream.
    assert guarded - {row.field for row in ROWS} <= {*ONLY_BY_GRAPHQL, "changes"}


@pytest.mark.parametrize("cookie", [None, "", "x", "A" * 43, "A" * 44, "%C3%A9" * 7])
async def test_an_unknown_cookie_is_refused(api: Api, cookie: str | None) -> None:
    assert status_of(await resume(api, cookie)) == (401, None)


async def test_a_session_is_resumed_in_the_environment_of_the_tab(
    api: Api, merchant: Merchant, services: Services
) -> None:
    cookie = cookie_of(await log_in(api, merchant)).value
    environments = []
    for status in ("sandbox", "approved", "suspended"):
        await set_status(services.database, merchant, status)
        for wanted in ("live", "test", None):
            answer = await resume(api, cookie, wanted)
            cookie = cookie_of(answer).value
            environments.append(answer.json()["data"]["resumeSession"]["environment"])
    assert environments == ["test"] * 3 + ["live", "test", "live"] + ["live", "test", "test"]


async def test_a_new_password_by_email_ends_the_cookie(api: Api, merchant: Merchant, database: Database) -> None:
    cookie = cookie_of(await log_in(api, merchant)).value
    assert (await api.post("/auth/password/reset", await own_reset(merchant))).status_code == 200
    assert status_of(await resume(api, cookie)) == (401, None)


class SlowToVerify(Passwords):
    """Verifies a password when its event is set."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def verify(self, password: str, stored: str | None) -> bool:
        self.begun.set()
        await self.go_on.wait()
        return await super().verify(password, stored)


@pytest.mark.parametrize("query", [END_OTHERS, CHANGE_PASSWORD, CONFIRM, None], ids=["end", "change", "2fa", "reset"])
async def test_a_login_during_which_the_sessions_are_revoked_opens_none(
    api: Api, merchant: Merchant, services: Services, query: str | None
) -> None:
    variables = {"code": Factor(api, (await begun(merchant))["secret"], []).code(0)} if query == CONFIRM else {}
    slow = SlowToVerify()
    async with Api.of(Gateway(services.settings, replace(services, passwords=slow))) as elsewhere:
        login = asyncio.create_task(log_in(elsewhere, merchant))
        await slow.begun.wait()
        if query is None:
            assert (await api.post("/auth/password/reset", await own_reset(merchant))).status_code == 200
        else:
            assert status_of(await send(api, query, token=merchant.token, variables=variables)) == (200, None)
        slow.go_on.set()
        answer = await login
    assert status_of(answer) == (401, "CREDENCIAIS_INVALIDAS")
    assert "set-cookie" not in answer.headers


async def test_a_new_secret_key_ends_the_cookies(api: Api, merchant: Merchant, services: Services) -> None:
    cookie = cookie_of(await log_in(api, merchant)).value
    tokens = SessionTokens("y" * 40, services.clock, services.tokens.lifetime)
    async with Api.of(Gateway(services.settings, replace(services, tokens=tokens))) as rotated:
        assert status_of(await resume(rotated, cookie)) == (401, None)
    assert status_of(await resume(api, cookie)) == (200, None)


async def test_an_answer_with_an_error_sets_no_cookie(api: Api, merchant: Merchant) -> None:
    variables = {"input": {"email": merchant.email, "password": "errada"}, "remember": False}
    answer = await send(api, LOGIN, variables=variables)
    assert "set-cookie" not in answer.headers

"""The second factor. The password alone opens no session, through any transport and after any number of attempts."""

import asyncio
import base64
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.errors import NotFound, SecondFactorOff
from gateway.models.database import Database
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.two_factor.codes import ATTEMPTS, FAILURES_A_DAY, FAILURES_A_DAY_IN_ALL, current_step
from gateway.resolvers.two_factor.enrollment import purge_unconfirmed_factors, reset_two_factor
from gateway.security import ChallengeClaims, SessionClaims, new_recovery_code, totp
from tests.api.rows import everything
from tests.api_client import PASSWORD, Api, Merchant, session_id_of
from tests.applicants import staff_member
from tests.appwrite import FakeAppwrite, arrive
from tests.fake_clock import MovedClock
from tests.sql import rows, value
from tests.subscriptions.fixtures import wait_until_blocked
from tests.two_factor import Factor, begun, challenge, enrol, log_in, sessions_of

WRONG = "000000"
LOGIN = "mutation($input: LoginWithCodeInput!) { loginWithCode(input: $input) { accessToken } }"


def codigo(answer: httpx.Response) -> tuple[int, str | None]:
    error = answer.json()["error"]
    return answer.status_code, error.get("codigo") if isinstance(error, dict) else error


async def answered(api: Api, challenge: str, code: str) -> httpx.Response:
    return await api.post("/auth/login/code", {"challenge": challenge, "code": code})


async def records(database: Database, merchant: Merchant, like: str) -> list[tuple[str, str, dict[str, Any]]]:
    """The audit records of an account, in order."""
    found = await rows(
        database,
        "select action, actor_type, changes from audit_trail where store_id = $1 and action like $2 order by id",
        merchant.id,
        like,
    )
    return [(row["action"], row["actor_type"], row["changes"]) for row in found]


@pytest.mark.parametrize(
    ("timestamp", "code"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_codes_are_those_of_rfc_6238(timestamp: int, code: str) -> None:
    assert totp(base64.b32encode(b"12345678901234567890").decode(), timestamp // 30) == code[2:]


async def test_a_factor_is_set_up_in_two_steps_and_shown_once(
    api: Api, services: Services, merchant: Merchant, clock: MovedClock
) -> None:
    plain = (await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})).json()["data"]
    first, enrolment = await begun(merchant), await begun(merchant)
    address = urlsplit(enrolment["otpauth_url"])
    assert (address.scheme, address.netloc) == ("otpauth", "totp")
    assert unquote(address.path) == f"/Gateway Pix:{merchant.email}"
    result = {
        "issuer": "Gateway Pix",
        "algorithm": "SHA1",
        "digits": "6",
        "period": "30",
        "secret": enrolment["secret"],
    }
    assert {name: values[0] for name, values in parse_qs(address.query).items()} == result
    assert enrolment["qr_code_url"].startswith("data:image/png;base64,iVBOR")
    # No login requires it before it is confirmed. A code of the earlier secret doesn't confirm it.
    await log_in(merchant)
    step = current_step(clock.now())
    for code in (totp(first["secret"], step), totp(enrolment["secret"], step + 2), totp(enrolment["secret"], step - 2)):
        answer = await api.post("/auth/two-factor/confirm", {"code": code}, token=merchant.token)
        assert codigo(answer) == (401, "CODIGO_INVALIDO")
    clock.advance(timedelta(minutes=30))
    late = await api.post("/auth/two-factor/confirm", {"code": WRONG}, token=merchant.token)
    assert codigo(late) == (409, "SEGUNDO_FATOR_INATIVO")

    factor = await enrol(merchant)
    assert len(set(factor.recovery)) == 10
    stored = repr(await everything(services.database))
    for secret in (factor.secret, *factor.recovery, *(code.replace("-", "") for code in factor.recovery)):
        assert secret not in stored
    standing = (await api.get("/auth/two-factor", token=merchant.token)).json()["data"]
    assert standing == {
        "enabled": True,
        "enabled_at": clock.now().isoformat(),
        "recovery_codes_left": 10,
        "required": False,
    }
    # Sessions without the factor are ended.
    assert (await api.get("/auth/me", token=plain["accessToken"])).status_code == 401
    assert [each["current"] for each in await sessions_of(api, merchant.token)] == [True]

    session = (await answered(api, await challenge(merchant), factor.code())).json()["data"]
    assert session.keys() == plain.keys()
    assert session["user"].keys() == plain["user"].keys()
    assert (await api.get("/auth/me", token=session["accessToken"])).status_code == 200


async def test_a_login_during_which_the_sessions_are_revoked_uses_no_code(
    api: Api, database: Database, merchant: Merchant
) -> None:
    factor = await enrol(merchant)
    begun_login = await challenge(merchant)
    async with database.transaction() as transaction:
        revoke = "update users set session_version = session_version + 1 where id = $1"
        await transaction.connection.execute(revoke, merchant.id)
        login = asyncio.create_task(answered(api, begun_login, factor.code()))
        await wait_until_blocked(database, login)
    assert codigo(await login) == (401, "DESAFIO_INVALIDO")
    assert (await answered(api, await challenge(merchant), factor.code())).status_code == 200


async def test_a_code_is_valid_once_within_one_time_step(
    api: Api, database: Database, merchant: Merchant, clock: MovedClock
) -> None:
    factor = await enrol(merchant)
    for ahead, status in ((0, 401), (2, 401), (1, 200), (1, 401)):  # The current code has confirmed the factor.
        answer = await answered(api, await challenge(merchant), factor.code(ahead))
        assert answer.status_code == status, (ahead, answer.text)
    clock.advance(timedelta(seconds=90))
    assert (await answered(api, await challenge(merchant), factor.code(-2))).status_code == 401
    spaced = f" {factor.code(-1)[:3]} - {factor.code(-1)[3:]} "
    assert (await answered(api, await challenge(merchant), spaced)).status_code == 200

    first, second = factor.recovery[:2]
    for code, status in (
        (first, 200),
        (first, 401),
        (second.lower().replace("-", " "), 200),
        (new_recovery_code(), 401),
    ):
        answer = await answered(api, await challenge(merchant), code)
        assert answer.status_code == status, answer.text
    logins = await records(database, merchant, "account.logged_in")
    assert [changes["second_factor"]["to"] for *_, changes in logins] == ["app", "app", "recovery", "recovery"]
    assert logins[-1][2]["recovery_codes_left"]["to"] == 8
    refused = await records(database, merchant, "account.code_refused")
    assert [(kind, changes["attempts"]["to"]) for _, kind, changes in refused] == [
        ("public", 1),
        ("public", 2),
        ("public", 5),
    ]
    requested = await records(database, merchant, "account.second_factor_asked")
    assert [kind for _, kind, _ in requested] == ["public"] * 10


async def test_of_concurrent_logins_with_one_code_one_succeeds(
    api: Api, database: Database, merchant: Merchant
) -> None:
    factor = await enrol(merchant)
    before = await value(database, "select count(*) from sessions where user_id = $1", merchant.id)
    for code in (factor.code(), factor.recovery[0]):
        challenges = [await challenge(merchant) for _ in range(6)]
        answers = await asyncio.gather(*(answered(api, each, code) for each in challenges))
        assert sorted(answer.status_code for answer in answers) == [200] + [401] * 5
    assert await value(database, "select count(*) from sessions where user_id = $1", merchant.id) == before + 2
    assert await value(database, "select cardinality(recovery_hashes) from two_factors") == 9


async def _guess_from(services: Services, address: str, merchant: Merchant) -> int:
    async with Api.of(Gateway(services.settings, services), address=address) as elsewhere:
        return (await answered(elsewhere, await challenge(merchant), new_recovery_code())).status_code


async def test_guesses_are_limited_across_transports_and_challenges(
    api: Api, services: Services, database: Database, merchant: Merchant
) -> None:
    factor = await enrol(merchant)
    most = ATTEMPTS[0]
    guess = 'g{}: loginWithCode(input: {{challenge: "{}", code: "000000"}}) {{ accessToken }}'
    document = " ".join([guess.format(number, await challenge(merchant)) for number in range(most - 1)])
    answer = await api.graphql(f"mutation {{ {document} }}")
    assert {error["extensions"]["codigo"] for error in answer["errors"]} == {"CODIGO_INVALIDO"}
    # All concurrently, with the right one among them: only the first counted guess is checked.
    issued = [await challenge(merchant) for _ in range(4)]
    answers = await asyncio.gather(*(answered(api, each, WRONG) for each in issued))
    assert sorted(answer.status_code for answer in answers) == [401, 429, 429, 429]
    assert (await answered(api, await challenge(merchant), factor.code())).status_code == 429
    disabled = await api.post(
        "/auth/two-factor/disable", {"password": PASSWORD, "code": factor.code()}, token=merchant.token
    )
    assert disabled.status_code == 429
    limited = await records(database, merchant, "account.code_limited")
    assert [kind for _, kind, _ in limited] == ["public", "public", "user"]
    # Someone who knows the password can block app codes. Recovery codes still work from other networks.
    async with Api.of(Gateway(services.settings, services), address="203.0.113.66") as elsewhere:
        guesses = [await answered(elsewhere, await challenge(merchant), new_recovery_code()) for _ in range(most + 1)]
    assert [one.status_code for one in guesses] == [401] * most + [429]
    # One subscriber has all addresses of a /64.
    most_of_six = [await _guess_from(services, f"2001:db8:7::{number:x}", merchant) for number in range(1, most + 2)]
    assert most_of_six == [401] * most + [429]
    assert await _guess_from(services, "2001:db8:8::1", merchant) == 401
    assert (await answered(api, await challenge(merchant), factor.recovery[0])).status_code == 200

    network = "127.0.0.0/24"
    await services.limiter.forget(f"code:app:{merchant.id}:{network}")
    for _ in range(FAILURES_A_DAY[0]):
        await services.limiter.count(f"code:day:{merchant.id}:{network}", FAILURES_A_DAY[1])
    assert (await answered(api, await challenge(merchant), factor.code())).status_code == 429


async def test_guesses_by_others_do_not_use_up_the_owners_attempts(
    api: Api, services: Services, merchant: Merchant
) -> None:
    factor = await enrol(merchant)
    guesses = []
    for address in ("203.0.113.66", "203.0.113.67"):
        async with Api.of(Gateway(services.settings, services), address=address) as stranger:
            guesses += [await answered(stranger, await challenge(merchant), "000000") for _ in range(6)]
    assert [guess.status_code for guess in guesses] == [401] * 10 + [429] * 2
    assert (await answered(api, await challenge(merchant), factor.code())).status_code == 200

    for _ in range(FAILURES_A_DAY_IN_ALL[0]):
        await services.limiter.count(f"code:day:{merchant.id}", FAILURES_A_DAY_IN_ALL[1])
    assert (await answered(api, await challenge(merchant), factor.code())).status_code == 429
    assert (await answered(api, await challenge(merchant), factor.recovery[0])).status_code == 200


async def test_a_challenge_is_no_session_and_expires(
    api: Api, services: Services, merchant: Merchant, clock: MovedClock
) -> None:
    factor, other = await enrol(merchant), await api.register_merchant()
    others, issued = await enrol(other), await challenge(merchant)
    # A challenge is no session, and neither a session token nor a challenge
    # of another account is accepted in its place.
    assert codigo(await api.get("/auth/me", token=issued)) == (401, "Token inválido ou expirado")
    unknown = services.tokens.challenge(ChallengeClaims("x' or true", 1, 1))
    for fake in (
        merchant.token,
        services.tokens.issue(SessionClaims(merchant.id, "test", 2, session_id_of(merchant.token))),
        unknown,
        issued[:-3],
    ):
        assert codigo(await answered(api, fake, factor.code())) == (401, "DESAFIO_INVALIDO")
    # A challenge of another account needs that account's code.
    assert codigo(await answered(api, await challenge(other), factor.code())) == (401, "CODIGO_INVALIDO")
    # The first successful login ends the others.
    assert (await answered(api, await challenge(merchant), factor.code())).status_code == 200
    assert codigo(await answered(api, issued, factor.recovery[0])) == (401, "DESAFIO_INVALIDO")

    ended = await challenge(merchant)
    form = {"current_password": PASSWORD, "new_password": "outra senha comprida"}
    assert (await api.put("/auth/password", form, token=merchant.token)).status_code == 200
    assert codigo(await answered(api, ended, factor.recovery[0])) == (401, "DESAFIO_INVALIDO")
    late = await challenge(other)
    clock.advance(timedelta(minutes=5))
    assert codigo(await answered(api, late, others.recovery[0])) == (401, "DESAFIO_INVALIDO")
    # Only the right password reveals that there is a factor.
    wrong = await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})
    stranger = await api.post("/auth/login", {"email": "ninguem@example.com", "password": PASSWORD})
    assert (wrong.status_code, wrong.json()) == (stranger.status_code, stranger.json())


async def test_google_does_not_bypass_it_or_link_early(
    api: Api, database: Database, merchant: Merchant, appwrite: FakeAppwrite
) -> None:
    assert appwrite is not None
    factor, person = await enrol(merchant), arrive(merchant.email)
    come = {"appwriteJwt": person.token(), "password": PASSWORD}
    links = "select count(*) from external_identities"
    requested = [await api.post("/auth/google", come) for _ in range(2)]
    assert [codigo(answer) for answer in requested] == [(401, "SEGUNDO_FATOR_EXIGIDO")] * 2
    issued = [answer.json()["error"]["desafio"] for answer in requested]
    assert codigo(await answered(api, issued[0], WRONG)) == (401, "CODIGO_INVALIDO")
    assert await value(database, links) == 0
    assert (await answered(api, issued[0], factor.code())).status_code == 200
    assert await value(database, links) == 1
    assert codigo(await answered(api, issued[1], factor.recovery[0])) == (401, "DESAFIO_INVALIDO")
    # From now on the identity needs no password, but a code.
    again = await api.post("/auth/google", {"appwriteJwt": person.token()})
    assert codigo(again) == (401, "SEGUNDO_FATOR_EXIGIDO")
    answer = await api.graphql(LOGIN, input={"challenge": again.json()["error"]["desafio"], "code": factor.recovery[0]})
    assert answer["data"]["loginWithCode"]["accessToken"]
    assert len(await records(database, merchant, "account.identity_linked")) == 1


async def test_an_account_with_google_only_needs_no_password(api: Api, appwrite: FakeAppwrite) -> None:
    assert appwrite is not None
    session = (await api.post("/auth/google", {"appwriteJwt": arrive().token()})).json()["data"]
    token = session["accessToken"]
    secret = (await api.post("/auth/two-factor", {}, token=token)).json()["data"]["secret"]
    factor = Factor(api, secret, [])
    enabled = await api.post("/auth/two-factor/confirm", {"code": factor.code(0)}, token=token)
    token = enabled.json()["data"]["session"]["accessToken"]
    off = await api.post("/auth/two-factor/disable", {"code": factor.code()}, token=token)
    assert (off.status_code, off.json()["data"]["enabled"]) == (200, False)


async def test_changing_it_requires_the_password_and_a_code(api: Api, database: Database, merchant: Merchant) -> None:
    factor = await enrol(merchant)
    path = "/auth/two-factor/recovery-codes"
    for form, refusal in (
        ({"code": factor.code()}, (400, None)),
        ({"password": "errada", "code": factor.code()}, (401, "CREDENCIAIS_INVALIDAS")),
        ({"password": PASSWORD, "code": factor.code(0)}, (401, "CODIGO_INVALIDO")),
    ):
        assert codigo(await api.post(path, form, token=merchant.token)) == refusal
        assert codigo(await api.post("/auth/two-factor/disable", form, token=merchant.token)) == refusal
    renewed = await api.post(path, {"password": PASSWORD, "code": factor.recovery[0]}, token=merchant.token)
    fresh = renewed.json()["data"]["recovery_codes"]
    assert not set(fresh) & set(factor.recovery)
    assert codigo(await answered(api, await challenge(merchant), factor.recovery[1])) == (401, "CODIGO_INVALIDO")
    assert (await answered(api, await challenge(merchant), fresh[0])).status_code == 200
    gone = await api.post(
        "/auth/two-factor/disable", {"password": PASSWORD, "code": factor.code()}, token=merchant.token
    )
    assert gone.json()["data"] == {"enabled": False, "enabled_at": None, "recovery_codes_left": 0, "required": False}
    await log_in(merchant)
    assert await value(database, "select count(*) from two_factors") == 0
    acts = [action for action, *_ in await records(database, merchant, "account.%")]
    for act in ("two_factor_begun", "two_factor_enabled", "recovery_codes_renewed", "two_factor_disabled"):
        assert acts.count(f"account.{act}") == 1


async def test_the_owner_gets_an_email_about_every_change(
    api: Api, services: Services, database: Database, merchant: Merchant
) -> None:
    factor = await enrol(merchant)
    proof = {"password": PASSWORD, "code": WRONG}
    for path in ("recovery-codes", "disable"):
        refused = await api.post(f"/auth/two-factor/{path}", proof, token=merchant.token)
        assert codigo(refused) == (401, "CODIGO_INVALIDO")
    proof["code"] = factor.code()
    assert (await api.post("/auth/two-factor/recovery-codes", proof, token=merchant.token)).status_code == 200
    await reset_two_factor(system_context(services, source="job", request_id="r"), merchant.email)
    result = await rows(
        database, "select template_data, recipient from emails where kind = 'two_factor_changed' order by id"
    )
    assert [(row["template_data"]["change"], row["template_data"]["ip"]) for row in result] == [
        ("enabled", "127.0.0.1"),
        ("renewed", "127.0.0.1"),
        ("reset", None),
    ]
    assert {row["recipient"] for row in result} == {merchant.email}


async def test_staff_without_a_required_factor_has_no_staff_permission(api: Api, services: Services) -> None:
    staff, merchant = await staff_member(api, services), await api.register_merchant()
    strict = services.settings.model_copy(update={"staff_requires_2fa": True})
    assert (await api.get("/admin/lojistas", token=staff.token)).status_code == 200
    async with Api.of(Gateway(strict, replace(services, settings=strict))) as required:

        async def merchants(token: str) -> httpx.Response:
            return await required.get("/admin/lojistas", token=token)

        assert codigo(await merchants(staff.token)) == (403, "SEGUNDO_FATOR_OBRIGATORIO")
        assert codigo(await merchants(merchant.token)) == (403, "SOMENTE_ADMIN")
        item = {"title": "X", "description": "Y", "category": "z"}
        answer = await required.post("/roadmap", item, token=staff.token)
        assert codigo(answer) == (403, "SEGUNDO_FATOR_OBRIGATORIO")
        result = await required.graphql(
            "{ merchants(first: 1) { totalCount } twoFactor { required } }", token=staff.token
        )
        assert result["errors"][0]["extensions"]["codigo"] == "SEGUNDO_FATOR_OBRIGATORIO"
        standing = await required.get("/auth/two-factor", token=staff.token)
        assert standing.json()["data"]["required"] is True
        # Meanwhile it has the permissions of a merchant, and can enable the factor.
        assert (await required.get("/pix", token=staff.token)).status_code == 200
        await enrol(replace_api(staff, required))
        assert codigo(await merchants(staff.token))[0] == 401  # The earlier session.
        code = (await enrol(staff)).code()
        session = await answered(required, await challenge(staff), code)
        assert (await merchants(session.json()["data"]["accessToken"])).status_code == 200


def replace_api(merchant: Merchant, api: Api) -> Merchant:
    """The same user at another gateway."""
    return replace(merchant, api=api)


async def test_the_operator_resets_a_lost_factor(
    api: Api, services: Services, database: Database, merchant: Merchant, clock: MovedClock
) -> None:
    job = system_context(services, source="job", request_id="r")
    for email, error in (("unknown@example.com", NotFound), (merchant.email, SecondFactorOff)):
        with pytest.raises(error):
            await reset_two_factor(job, email)
    assert (await api.get("/auth/me", token=merchant.token)).status_code == 200  # A refused reset ends no session.
    await enrol(merchant)
    issued = await challenge(merchant)
    await reset_two_factor(job, f" {merchant.email.upper()}")
    assert (await api.get("/auth/me", token=merchant.token)).status_code == 401
    assert codigo(await answered(api, issued, WRONG)) == (401, "DESAFIO_INVALIDO")
    await log_in(merchant)
    ((action, kind, changes),) = await records(database, merchant, "account.two_factor_reset")
    assert (kind, changes["two_factor"]) == ("system", {"from": True, "to": False})
    # An unconfirmed factor does not count.
    assert action == "account.two_factor_reset"
    merchant.token = await log_in(merchant)
    await begun(merchant)
    with pytest.raises(SecondFactorOff):
        await reset_two_factor(job, merchant.email)
    await purge_unconfirmed_factors(job)
    assert await value(database, "select count(*) from two_factors") == 1
    clock.advance(timedelta(minutes=31))
    await purge_unconfirmed_factors(job)
    assert await value(database, "select count(*) from two_factors") == 0

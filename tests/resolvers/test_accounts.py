"""Accounts: specification sections 2 to 5, contract section 3."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from passlib.context import CryptContext

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.security import Passwords
from tests.api.actors import set_status
from tests.api_client import PASSWORD, VALID_CNPJ, Api, Merchant
from tests.fake_clock import MovedClock
from tests.members import join
from tests.sql import run

CONTROL = {"mensagem": "não pode conter caracteres de controle"}
FORM = {"name": "Ana", "email": "ana@example.com", "password": PASSWORD, "cnpj": VALID_CNPJ}


async def _fields(api: Api, form: dict[str, Any]) -> list[str]:
    response = await api.post("/auth/register", form)
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert "codigo" not in error
    return [field["campo"] for field in error["campos"]]


async def test_registration_starts_a_test_session(api: Api) -> None:
    response = await api.post("/auth/register", FORM | {"user_id": "x", "is_admin": True, "company": " "})
    assert response.status_code == 201
    data = response.json()["data"]
    assert data["environment"] == "test"
    assert data["accessToken"].startswith("eyJ")
    user = data["user"]
    assert (user["cnpj"], user["company"], user["is_admin"]) == ("11222333000181", None, False)
    assert user["production_status"] == "sandbox"
    assert "password" not in response.text


@pytest.mark.parametrize("email", ["ANA@EXAMPLE.COM", " Ana@example.com ", "ana@Example.com"])
async def test_an_email_is_unique_without_regard_to_case(api: Api, email: str) -> None:
    assert (await api.post("/auth/register", FORM)).status_code == 201
    response = await api.post("/auth/register", FORM | {"email": email})
    assert response.status_code == 409
    assert response.json()["error"]["codigo"] == "EMAIL_JA_CADASTRADO"


COMMON_PASSWORDS = [
    "12345678",
    "password",
    "aaaaaaaa",
    "1234qwer",
    "passw0rd1",
    "qweasdzxc",
    "123qweasd",
    "11112222",
    "123456789a",
]
GUESSED_IN_BRAZIL = ["senha@123", "Mudar@123", "admin@123", "corinthians1", "brasil#2026"]


@pytest.mark.parametrize(
    "password",
    ["1234567", "x" * 129, "ANA@example.com", 12345678, None, ["x"], *COMMON_PASSWORDS, *GUESSED_IN_BRAZIL],
)
async def test_bad_passwords_are_refused(api: Api, password: object) -> None:
    assert await _fields(api, FORM | {"password": password}) == ["password"]


CONTROLLED = [
    "abc\x00defghij",
    "senha\tcom tabulação",
    "senha em\nduas linhas",
    "senha\x7fapagada",
    "senha\u202eao contrário",
]


@pytest.mark.parametrize("password", CONTROLLED)
async def test_control_characters_in_a_new_password_are_refused(api: Api, merchant: Merchant, password: str) -> None:
    refused = await api.post("/auth/register", FORM | {"password": password})
    assert (refused.status_code, refused.json()["error"]["campos"]) == (400, [{"campo": "password", **CONTROL}])
    assert (await api.post("/auth/register", FORM)).status_code == 201, "nothing was written"
    form = {"current_password": PASSWORD, "new_password": password}
    refused = await api.put("/auth/password", form, token=merchant.token)
    assert (refused.status_code, refused.json()["error"]["campos"]) == (400, [{"campo": "new_password", **CONTROL}])
    assert (await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})).status_code == 200


@pytest.mark.parametrize("password", CONTROLLED)
async def test_an_older_password_with_control_characters_still_works_and_can_be_changed(
    api: Api, services: Services, merchant: Merchant, password: str
) -> None:
    stored = await services.passwords.hash(password)
    await run(services.database, "update users set password_hash = $1 where id = $2", stored, merchant.id)
    session = await api.post("/auth/login", {"email": merchant.email, "password": password})
    assert session.status_code == 200
    token = session.json()["data"]["accessToken"]
    assert (await api.post("/auth/two-factor", {"password": password}, token=token)).status_code == 200
    form = {"current_password": password, "new_password": PASSWORD}
    assert (await api.put("/auth/password", form, token=token)).status_code == 200


@pytest.mark.parametrize("password", ["  espaços contam  ", "🔑éa" * 42, "x1y2z3w4"])
async def test_a_password_is_not_trimmed_or_normalized(api: Api, password: str) -> None:
    assert (await api.post("/auth/register", FORM | {"password": password})).status_code == 201
    login = {"email": FORM["email"], "password": password}
    assert (await api.post("/auth/login", login)).status_code == 200
    login["password"] = password.strip() + "x"
    assert (await api.post("/auth/login", login)).status_code == 401


@pytest.mark.parametrize("cnpj", ["11.222.333/0001-80", "11111111111111", "529.982.247-25", "", None, 11222333000181])
async def test_the_cnpj_is_verified(api: Api, cnpj: object) -> None:
    assert await _fields(api, FORM | {"cnpj": cnpj}) == ["cnpj"]


async def test_an_alphanumeric_cnpj_is_stored_without_formatting(api: Api) -> None:
    response = await api.post("/auth/register", FORM | {"cnpj": "12.abc.345/01de-35"})
    assert response.json()["data"]["user"]["cnpj"] == "12ABC34501DE35"


async def test_every_bad_field_is_named(api: Api) -> None:
    assert sorted(await _fields(api, {})) == ["cnpj", "email", "name", "password"]
    for password in ("1", "senha123"):
        assert sorted(await _fields(api, {"name": "a\x07", "email": "x@", "password": password, "cnpj": {}})) == [
            "cnpj",
            "email",
            "name",
            "password",
        ]


async def test_every_wrong_login_has_the_same_response(api: Api, merchant: Merchant) -> None:
    wrong = await api.post("/auth/login", {"email": merchant.email, "password": "não é esta"})
    unknown = await api.post("/auth/login", {"email": "ninguem@example.com", "password": "não é esta"})
    assert (wrong.status_code, wrong.content) == (unknown.status_code, unknown.content)
    assert wrong.status_code == 401
    assert wrong.json()["error"]["codigo"] == "CREDENCIAIS_INVALIDAS"


async def test_an_unknown_email_costs_a_password_hash_too(services: Services, merchant: Merchant) -> None:
    verified: list[str] = []

    class SpyContext(CryptContext):
        def verify(self, secret: str, stored: str) -> bool:
            verified.append(stored)
            return bool(super().verify(secret, stored))

    class SpyPasswords(Passwords):
        def __init__(self) -> None:
            super().__init__(memory_kib=8, time_cost=1)
            self._context = SpyContext(**self._context.to_dict())

    own = replace(services, passwords=SpyPasswords())
    async with Api.of(Gateway(services.settings, own)) as api:
        for email in (merchant.email, "ninguem@example.com"):
            await api.post("/auth/login", {"email": email, "password": "não é esta"})
    assert len(verified) == 2
    assert all(stored.startswith("$argon2id$") for stored in verified)
    assert len({(len(stored), *stored.split("$")[:4]) for stored in verified}) == 1, (
        "the decoy costs what a password does"
    )


async def test_a_failed_login_is_audited(api: Api, merchant: Merchant, database: Database) -> None:
    await api.post("/auth/login", {"email": merchant.email, "password": "não é esta"})
    async with database.pool.acquire() as connection:
        rows = await connection.fetch("select * from audit_trail where action = 'account.login_failed'")
    assert [(row["store_id"], row["source"], row["actor_type"]) for row in rows] == [(merchant.id, "rest", "public")]


async def test_a_session_starts_live_only_for_the_approved(api: Api, merchant: Merchant, database: Database) -> None:
    login = {"email": merchant.email.upper(), "password": PASSWORD}
    for status, environment in (
        ("sandbox", "test"),
        ("pending", "test"),
        ("rejected", "test"),
        ("approved", "live"),
        ("suspended", "test"),
    ):
        await set_status(database, merchant, status)
        data = (await api.post("/auth/login", login)).json()["data"]
        assert data["environment"] == environment, status


async def test_choosing_an_environment(api: Api, merchant: Merchant, database: Database) -> None:
    refused = await api.post("/auth/environment", {"environment": "live"}, token=merchant.token)
    assert refused.status_code == 409
    error = refused.json()["error"]
    assert error["codigo"] == "PRODUCAO_NAO_LIBERADA"
    assert error["producao"]["liberada"] is False
    assert error["producao"]["status"] == "sandbox"
    assert "company_registration" in error["producao"]["pendencias"]

    await set_status(database, merchant, "approved")
    chosen = (await api.post("/auth/environment", {"environment": "live"}, token=merchant.token)).json()["data"]
    assert (await api.get("/auth/me", token=chosen["accessToken"])).json()["data"]["environment"] == "live"
    renewed = (await api.post("/auth/refresh", token=chosen["accessToken"])).json()["data"]
    assert renewed["environment"] == "live"
    back = await api.post("/auth/environment", {"environment": "test"}, token=chosen["accessToken"])
    assert back.json()["data"]["environment"] == "test"


@pytest.mark.parametrize("body", [{}, {"environment": "produção"}, {"environment": None}, {"environment": 1}])
async def test_an_unknown_environment_is_refused(api: Api, merchant: Merchant, body: dict[str, object]) -> None:
    assert (await api.post("/auth/environment", body, token=merchant.token)).status_code == 400


async def test_a_session_lasts_an_hour_and_is_renewed(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    clock.advance(timedelta(minutes=59, seconds=59))
    renewed = (await api.post("/auth/refresh", token=merchant.token)).json()["data"]
    assert sorted(renewed) == ["accessToken", "environment", "user"]
    clock.advance(timedelta(seconds=2))
    assert (await api.get("/auth/me", token=merchant.token)).json() == {"error": "Token inválido ou expirado"}
    assert (await api.get("/auth/me", token=renewed["accessToken"])).status_code == 200


async def test_an_api_key_is_never_staff(api: Api, merchant: Merchant, database: Database) -> None:
    async with database.pool.acquire() as connection:
        await connection.execute("update users set is_admin = true where id = $1", merchant.id)
    by_session = (await api.get("/auth/me", token=merchant.token)).json()["data"]
    by_key = (await api.get("/auth/me", token=merchant.key)).json()["data"]
    assert (by_session["user"]["is_admin"], by_key["user"]["is_admin"]) == (True, False)


async def zone_in(api: Api, person: Merchant, store: str) -> str:
    """The time zone of a store, as its member sees it."""
    stores = (await api.get("/stores", token=person.token)).json()["data"]
    zone: str = next(each["time_zone"] for each in stores if each["id"] == store)
    return zone


class TestProfile:
    async def test_only_sent_fields_change(self, api: Api, merchant: Merchant) -> None:
        first = {"company": "Outra", "phone": "(11) 98888-7777", "address": "Rua A", "cpf": "529.982.247-25"}
        await api.put("/auth/profile", first, token=merchant.token)
        second = await api.put("/auth/profile", {"phone": None, "cpf": " "}, token=merchant.token)
        user = second.json()["data"]["user"]
        assert (user["company"], user["phone"], user["cpf"], user["address"]) == ("Outra", None, None, "Rua A")
        assert user["name"] == "Ana Lojista"

    async def test_the_owner_chooses_the_time_zone_of_the_store(self, api: Api, merchant: Merchant) -> None:
        member = await api.register_merchant()
        await join(merchant, member, "viewer")
        assert await zone_in(api, member, merchant.id) == "America/Sao_Paulo"
        changed = await api.put("/auth/profile", {"time_zone": "America/Manaus"}, token=merchant.token)
        assert changed.json()["data"]["user"]["time_zone"] == "America/Manaus"
        assert await zone_in(api, member, merchant.id) == "America/Manaus"
        assert await zone_in(api, member, member.id) == "America/Sao_Paulo"
        mutation = 'mutation { updateProfile(input: {timeZone: "America/Belem"}) { user { timeZone } } }'
        answer = await api.graphql(mutation, token=merchant.token)
        assert answer["data"]["updateProfile"]["user"] == {"timeZone": "America/Belem"}
        viewer = await api.graphql("{ viewer { store { timeZone } } }", token=merchant.key)
        assert viewer["data"]["viewer"]["store"] == {"timeZone": "America/Belem"}

    async def test_an_empty_update_changes_nothing(self, api: Api, merchant: Merchant) -> None:
        before = (await api.get("/auth/me", token=merchant.token)).json()
        assert (await api.put("/auth/profile", {}, token=merchant.token)).json() == before

    async def test_accepted_terms_cannot_be_withdrawn(self, api: Api, merchant: Merchant, clock: MovedClock) -> None:
        async def accept(value: object) -> Any:
            answer = await api.put("/auth/profile", {"accept_production_terms": value}, token=merchant.token)
            return answer.json()["data"]["user"]["production_terms_accepted_at"]

        assert await accept(False) is None
        accepted = await accept(True)
        clock.advance(timedelta(minutes=5))
        assert accepted is not None
        assert [await accept(value) for value in (True, False, None)] == [accepted] * 3

    @pytest.mark.parametrize(
        "change",
        [
            {"name": None},
            {"name": "  "},
            {"receipt_email": None},
            {"notify_payment_email": "sim"},
            {"notify_payment_email": 1},
            {"phone": "119888"},
            {"phone": "119888877771"},
            {"phone": "0800 123 4567"},
            {"phone": "+1 202 555 0100"},
            {"cpf": "11.222.333/0001-81"},
            {"cnpj": "529.982.247-25"},
            {"company": "x" * 121},
            {"address": "a\nb"},
            {"address": "x" * 256},
            {"accept_production_terms": "true"},
            {"time_zone": None},
            {"time_zone": ""},
            {"time_zone": "Sao_Paulo"},
            {"time_zone": "../../etc/passwd"},
            {"time_zone": -3},
        ],
    )
    async def test_bad_changes_are_refused(self, api: Api, merchant: Merchant, change: dict[str, object]) -> None:
        before = (await api.get("/auth/me", token=merchant.token)).json()
        response = await api.put("/auth/profile", {"company": "Outra"} | change, token=merchant.token)
        assert response.status_code == 400
        assert [field["campo"] for field in response.json()["error"]["campos"]] == list(change)
        assert (await api.get("/auth/me", token=merchant.token)).json() == before


class TestPasswordChange:
    FORM = {"current_password": PASSWORD, "new_password": "outra senha comprida"}  # noqa: RUF012  # never changed.

    async def test_a_password_change_ends_older_sessions_but_no_api_key(self, api: Api, merchant: Merchant) -> None:
        login = {"email": merchant.email, "password": PASSWORD}
        other = (await api.post("/auth/login", login)).json()["data"]["accessToken"]
        changed = await api.put("/auth/password", self.FORM, token=merchant.token)
        fresh = changed.json()["data"]["accessToken"]
        for token, status in ((merchant.token, 401), (other, 401), (fresh, 200), (merchant.key, 200)):
            assert (await api.get("/auth/me", token=token)).status_code == status
        assert (await api.post("/auth/login", login)).status_code == 401
        login["password"] = self.FORM["new_password"]
        assert (await api.post("/auth/login", login)).status_code == 200

    async def test_guesses_of_the_current_password_are_limited(self, api: Api, merchant: Merchant) -> None:
        for _ in range(10):
            answer = await api.put("/auth/password", self.FORM | {"current_password": "x"}, token=merchant.token)
            assert answer.status_code == 401
        assert (await api.put("/auth/password", self.FORM, token=merchant.token)).status_code == 429

    async def test_an_api_key_cannot_change_the_password(self, api: Api, merchant: Merchant) -> None:
        answer = await api.put("/auth/password", self.FORM, token=merchant.key)
        assert answer.json()["error"]["codigo"] == "SOMENTE_PAINEL"


@pytest.mark.parametrize("status", ["pending", "approved", "suspended", "sandbox", "rejected"])
async def test_fields_required_for_approval_can_be_changed_but_not_cleared(
    merchant: Merchant, database: Database, status: str
) -> None:
    await set_status(database, merchant, status)
    named = await merchant.api.put("/auth/profile", {"company": "Loja Ltda", "cnpj": VALID_CNPJ}, token=merchant.token)
    assert named.status_code == 200
    emptied = await merchant.api.put("/auth/profile", {"company": " ", "cnpj": None}, token=merchant.token)
    if status in {"sandbox", "rejected"}:
        assert (emptied.status_code, emptied.json()["data"]["user"]["cnpj"]) == (200, None)
    else:
        assert [found["campo"] for found in emptied.json()["error"]["campos"]] == ["company", "cnpj"]
    renamed = await merchant.api.put("/auth/profile", {"company": "Outra Ltda"}, token=merchant.token)
    assert (renamed.status_code, renamed.json()["data"]["user"]["company"]) == (200, "Outra Ltda")

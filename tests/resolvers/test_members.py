"""Members of a store: invitations, roles and removal."""

import asyncio
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.core.credentials import Credentials
from gateway.resolvers.email.preview import preview_emails
from gateway.security import SessionClaims
from tests.api.actors import set_status
from tests.api.rows import everything, fingerprint
from tests.api_client import Api, Merchant, charge_order, session_id_of
from tests.fake_clock import MovedClock
from tests.members import invite, join, remove, some_address, tokens_of
from tests.sql import rows, run

UNKNOWN = "01890000-0000-7000-8000-000000000000"
RENEW = "mutation { refreshSession { accessToken environment } }"


def codigo(answer: Any) -> tuple[int, str | None]:
    return answer.status_code, answer.json()["error"].get("codigo")


def session_of(services: Services, person: Merchant, environment: str = "test") -> str:
    """A session as of the clock's now."""
    return services.tokens.issue(SessionClaims(person.id, environment, 1, session_id_of(person.token)))


async def accept(person: Merchant, token: str, **headers: str) -> Any:
    return await person.api.post("/members/accept", {"token": token}, token=person.token, **headers)


async def test_an_invitation_is_only_in_the_email_and_is_accepted_once(
    api: Api, services: Services, clock: MovedClock, merchant: Merchant
) -> None:
    person = await api.register_merchant(name="Bia Caixa")
    invited = await invite(merchant, person.email.upper(), "finance", name="Bia")
    assert {name: invited[name] for name in ("store_id", "user_id", "name", "email", "role", "status")} == {
        "store_id": merchant.id,
        "user_id": None,
        "name": "Bia",
        "email": person.email,
        "role": "finance",
        "status": "invited",
    }
    assert (invited["invited_by"], invited["invited_by_name"]) == (merchant.id, "Ana Lojista")
    assert invited["expires_at"] == (clock.now() + timedelta(days=7)).isoformat()
    (token,) = await tokens_of(services, person.email)
    (message,) = await preview_emails(system_context(services, source="job", request_id="x"))
    assert (message.recipient, message.subject) == (person.email, "Ana Lojista convidou você para Loja da Ana")
    assert token in message.text
    assert token not in repr(await everything(services.database))
    assert (await api.get("/stores", token=person.token)).json()["data"] == [own_store(person)]

    accepted = await accept(person, token)
    assert accepted.status_code == 200
    member = accepted.json()["data"]
    changed = {"status": "active", "user_id": person.id, "name": "Bia Caixa", "accepted_at": clock.now().isoformat()}
    assert member == invited | changed
    assert (await accept(person, token)).status_code == 404

    shared = {**own_store(merchant), "role": "finance", "accepted_at": member["accepted_at"]}
    assert (await api.get("/stores", token=person.token)).json()["data"] == [own_store(person), shared]
    records = [row for row in (await everything(services.database))["audit_trail"] if row["store_id"] == merchant.id]
    values = {"email": person.email, "role": "finance"}
    result = {
        row["action"]: (row["actor_id"], row["changes"]) for row in records if row["action"].startswith("member.")
    }
    assert result == {
        "member.invited": (merchant.id, {name: {"from": None, "to": to} for name, to in values.items()}),
        "member.accepted": (person.id, {"status": {"from": "invited", "to": "active"}}),
    }


def own_store(person: Merchant) -> dict[str, Any]:
    return {
        "id": person.id,
        "name": "Loja da Ana",
        "role": "owner",
        "production_status": "sandbox",
        "accepted_at": None,
        "time_zone": "America/Sao_Paulo",
    }


async def test_a_token_is_valid_only_for_the_invited_account_and_once(
    api: Api, services: Services, clock: MovedClock, merchant: Merchant
) -> None:
    person, thief = await api.register_merchant(), await api.register_merchant()
    invited = await invite(merchant, person.email)
    (stolen,) = await tokens_of(services, person.email)
    await api.get("/auth/me", token=person.key)  # The first use of a key in a minute is recorded.
    before = await fingerprint(services.database)
    refusals = [
        await accept(thief, stolen),
        await accept(thief, stolen, x_store=person.id),
        await accept(merchant, stolen),
        await accept(person, stolen[:-1]),
        await accept(person, stolen.swapcase()),
        await accept(person, ""),
    ]
    assert {answer.status_code for answer in refusals} == {404}
    assert len({answer.text for answer in refusals}) == 1, "the error does not reveal whether the token exists"
    assert codigo(await api.post("/members/accept", {"token": stolen}, token=person.key)) == (403, "SOMENTE_PAINEL")
    assert (await api.post("/members/accept", {"token": stolen})).status_code == 401
    assert await fingerprint(services.database) == before

    # After resending, only the new token is valid, for a week.
    clock.advance(timedelta(days=6))
    owner_session = session_of(services, merchant)
    resent = await api.post(f"/members/{invited['id']}/resend", token=owner_session)
    assert resent.json()["data"]["expires_at"] == (clock.now() + timedelta(days=7)).isoformat()
    old, new = await tokens_of(services, person.email)
    assert old == stolen != new
    person = replace(person, token=session_of(services, person))
    assert (await accept(person, old)).status_code == 404

    clock.advance(timedelta(days=7))
    person = replace(person, token=session_of(services, person))
    late = await accept(person, new)
    assert codigo(late) == (409, None)
    assert "venceu" in late.json()["error"]["message"]
    thief = replace(thief, token=session_of(services, thief))
    assert (await accept(thief, new)).status_code == 404, "only the invited account learns that it has expired"

    merchant = replace(merchant, token=session_of(services, merchant))
    await api.post(f"/members/{invited['id']}/resend", token=merchant.token)
    await remove(merchant, invited)
    assert (await accept(person, (await tokens_of(services, person.email))[-1])).status_code == 404
    again = await join(merchant, person, "viewer")
    assert again["id"] != invited["id"], "a second invitation creates another membership; the first stays listed"


async def test_two_concurrent_acceptances_count_once(api: Api, services: Services, merchant: Merchant) -> None:
    person = await api.register_merchant()
    await invite(merchant, person.email)
    (token,) = await tokens_of(services, person.email)
    answers = await asyncio.gather(*(accept(person, token) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 404, 404, 404, 404]
    members = (await everything(services.database))["members"]
    assert [(row["status"], row["token_hash"]) for row in members] == [("active", None)]


async def test_only_the_store_owner_manages_administrators(api: Api, services: Services, merchant: Merchant) -> None:
    admin, other = await api.register_merchant(), await api.register_merchant()
    membership = await join(merchant, admin, "admin")
    peer = await join(merchant, other, "admin")
    pending = await invite(merchant, some_address(), "admin")
    below = await invite(merchant, some_address(), "operator")

    async def ask(method: str, path: str, body: Any = None) -> Any:
        return await api.request(method, path, body, token=admin.token, x_store=merchant.id)

    assert (await ask("GET", "/members")).status_code == 200
    before = await fingerprint(services.database)
    for method, path, body in (
        ("POST", "/members", {"email": some_address(), "role": "admin"}),
        ("PUT", f"/members/{below['id']}", {"role": "admin"}),
        ("PUT", f"/members/{peer['id']}", {"role": "viewer"}),
        ("PUT", f"/members/{membership['id']}", {"role": "operator"}),
        ("DELETE", f"/members/{peer['id']}", None),
        ("DELETE", f"/members/{membership['id']}", None),
        ("POST", f"/members/{pending['id']}/resend", None),
    ):
        assert codigo(await ask(method, path, body)) == (403, "SOMENTE_TITULAR"), (method, path)
    # The store owner is not a member and cannot be changed or removed.
    assert codigo(await ask("DELETE", f"/members/{merchant.id}")) == (404, None)
    assert codigo(await ask("PUT", f"/members/{merchant.id}", {"role": "viewer"})) == (404, None)
    assert await fingerprint(services.database) == before

    # Administrators manage all other memberships, too.
    made = await ask("POST", "/members", {"email": some_address(), "role": "finance"})
    assert (made.status_code, made.json()["data"]["invited_by"]) == (201, admin.id)
    assert (await ask("PUT", f"/members/{below['id']}", {"role": "viewer"})).json()["data"]["role"] == "viewer"
    assert (await ask("POST", f"/members/{below['id']}/resend")).status_code == 200
    assert (await ask("DELETE", f"/members/{below['id']}")).json()["data"]["status"] == "removed"
    # The store owner may do everything, an API key nothing.
    demoted = await api.put(f"/members/{peer['id']}", {"role": "operator"}, token=merchant.token)
    assert demoted.json()["data"]["role"] == "operator"
    assert codigo(await api.post("/members", {"email": "x@example.com", "role": "viewer"}, token=merchant.key)) == (
        403,
        "SOMENTE_PAINEL",
    )
    assert (await api.get("/members", token=merchant.key)).status_code == 200


async def test_a_role_and_a_removal_take_effect_on_the_next_request_of_every_process(
    api: Api, services: Services, merchant: Merchant
) -> None:
    person = await api.register_merchant()
    member = await join(merchant, person, "viewer")
    elsewhere = replace(services, credentials=Credentials(services.database))
    async with Api.of(Gateway(services.settings, elsewhere)) as other:

        async def issue() -> Any:
            return await other.post("/pix", charge_order(), token=person.token, x_store=merchant.id)

        assert codigo(await issue()) == (403, "PERMISSAO_NEGADA")
        await api.put(f"/members/{member['id']}", {"role": "operator"}, token=merchant.token)
        issued = await issue()
        assert (issued.status_code, issued.json()["data"]["user_id"]) == (201, merchant.id)
        await remove(merchant, member)
        assert codigo(await issue()) == (403, "LOJA_NAO_AUTORIZADA")
        assert codigo(await other.get("/pix", token=person.token, x_store=merchant.id)) == (403, "LOJA_NAO_AUTORIZADA")
        assert (await other.get("/pix", token=person.token)).json()["data"] == []
    records = (await everything(services.database))["audit_trail"]
    (creation,) = [row for row in records if row["action"] == "charge.created"]
    assert (creation["store_id"], creation["actor_id"], creation["actor_type"]) == (merchant.id, person.id, "user")


async def test_valid_x_store_headers(api: Api, services: Services, merchant: Merchant) -> None:
    person, stranger = await api.register_merchant(), await api.register_merchant()
    await join(merchant, person)
    charge = await merchant.issue()

    async def ask(store: str, token: str | None = person.token, path: str = "/pix") -> Any:
        return await api.get(path, token=token, x_store=store)

    for store in (merchant.id, merchant.id.upper(), f" {merchant.id} "):
        assert [each["id"] for each in (await ask(store)).json()["data"]] == [charge["id"]]
    malformed = ("", "loja", merchant.id.replace("-", ""), f"{{{merchant.id}}}", f"{merchant.id},{person.id}", "%00")
    for store in malformed:
        answer = await ask(store)
        assert answer.status_code == 400, store
        assert answer.json()["error"]["campos"][0]["campo"] == "x-store"
    for store in (UNKNOWN, stranger.id):
        assert codigo(await ask(store)) == (403, "LOJA_NAO_AUTORIZADA")
    assert (await ask(person.id)).json()["data"] == [], "the own id equals no id"
    # An API key has a fixed store; operations on the own account have none; a missing credential comes first.
    for store in (*malformed, UNKNOWN, stranger.id, merchant.id):
        assert (await ask(store, person.key)).json()["data"] == []
        for path in ("/auth/me", "/AUTH/me/", "/stores"):
            assert (await ask(store, path=path)).status_code == 200
        assert (await ask(store, path="/auth/me")).json()["data"]["user"]["id"] == person.id
        assert (await ask(store, None)).status_code == 401
        ended = services.tokens.issue(SessionClaims(person.id, "test", 7, session_id_of(person.token)))
        assert (await ask(store, ended)).json() == {"error": "Token inválido ou expirado"}


async def test_a_graphql_request_acts_in_one_store_and_returns_its_user(
    api: Api, services: Services, merchant: Merchant
) -> None:
    person = await api.register_merchant(name="Bia Caixa")
    await join(merchant, person, "viewer")
    charge = await merchant.issue()
    query = "{ me { user { id } } stores { id role } charges(first: 5) { edges { node { id customer { id } } } } }"
    answer = await api.graphql(query, token=person.token, headers={"x-store": merchant.id})
    assert answer["data"]["me"]["user"]["id"] == person.id
    assert [(each["id"], each["role"]) for each in answer["data"]["stores"]] == [
        (person.id, "owner"),
        (merchant.id, "viewer"),
    ]
    assert [edge["node"]["id"] for edge in answer["data"]["charges"]["edges"]] == [charge["id"]]
    for store, extensions in (
        (UNKNOWN, {"codigo": "LOJA_NAO_AUTORIZADA", "status": 403}),
        ("loja", {"status": 400}),
    ):
        refused = await api.graphql("{ charges { totalCount } }", token=person.token, headers={"x-store": store})
        assert extensions.items() <= refused["errors"][0]["extensions"].items()
        assert refused["data"] == {"charges": None}


async def test_the_store_s_production_status_counts_and_not_the_member_s(
    api: Api, services: Services, database: Database, merchant: Merchant
) -> None:
    person = await api.register_merchant()
    choice = {"environment": "live"}
    assert codigo(await api.post("/auth/environment", choice, token=person.token)) == (409, "PRODUCAO_NAO_LIBERADA")
    member = await join(merchant, person)
    assert codigo(await api.post("/auth/environment", choice, token=person.token)) == (409, "PRODUCAO_NAO_LIBERADA")

    await set_status(database, merchant, "approved")
    live = (await api.post("/auth/environment", choice, token=person.token)).json()["data"]
    assert (live["environment"], live["user"]["production_status"]) == ("live", "sandbox")
    token = live["accessToken"]
    issued = await api.post("/pix", charge_order(), token=token, x_store=merchant.id)
    assert (issued.status_code, issued.json()["data"]["environment"]) == (201, "live")
    own = await api.post("/pix", charge_order(), token=token)
    assert codigo(own) == (409, "PRODUCAO_NAO_LIBERADA")
    assert own.json()["error"]["producao"]["status"] == "sandbox"

    await set_status(database, merchant, "suspended")
    refused = await api.post("/pix", charge_order(), token=token, x_store=merchant.id)
    assert codigo(refused) == (409, "PRODUCAO_NAO_LIBERADA")
    assert refused.json()["error"]["producao"]["status"] == "suspended"
    listed = (await api.get("/pix", token=token, x_store=merchant.id)).json()["data"]
    assert [each["id"] for each in listed] == [issued.json()["data"]["id"]]
    # The approval of a member does not apply to other stores.
    await set_status(database, person, "approved")
    assert codigo(await api.post("/pix", charge_order(), token=token, x_store=merchant.id)) == (
        409,
        "PRODUCAO_NAO_LIBERADA",
    )
    await set_status(database, person, "sandbox")
    await set_status(database, merchant, "approved")
    await remove(merchant, member)
    assert codigo(await api.post("/auth/environment", choice, token=person.token)) == (409, "PRODUCAO_NAO_LIBERADA")


async def test_a_live_session_is_renewed_while_its_member_has_an_approved_store(
    api: Api, database: Database, merchant: Merchant
) -> None:
    person = await api.register_merchant()
    member = await join(merchant, person)
    await set_status(database, merchant, "approved")
    chosen = await api.post("/auth/environment", {"environment": "live"}, token=person.token)
    live = chosen.json()["data"]["accessToken"]

    async def renewed() -> list[str]:
        by_rest = (await api.post("/auth/refresh", token=live)).json()["data"]
        by_graphql = (await api.graphql(RENEW, token=live))["data"]["refreshSession"]
        for session in (by_rest, by_graphql):
            me = await api.get("/auth/me", token=session["accessToken"])
            assert me.json()["data"]["environment"] == session["environment"]
        return [by_rest["environment"], by_graphql["environment"]]

    # What a suspended store has can still be read, also after the hour of a token.
    for status, environment in (
        ("approved", "live"),
        ("suspended", "live"),
        ("rejected", "test"),
        ("approved", "live"),
    ):
        await set_status(database, merchant, status)
        assert await renewed() == [environment] * 2, status
    await remove(merchant, member)
    assert await renewed() == ["test", "test"]
    result = await rows(
        database, "select changes from audit_trail where action = 'account.session_renewed' order by id"
    )
    assert [each["changes"] for each in result[-3:]] == [{}, *[{"environment": {"from": "live", "to": "test"}}] * 2]


async def test_the_last_access_is_written_once_a_minute(
    api: Api, services: Services, clock: MovedClock, merchant: Merchant
) -> None:
    person = await api.register_merchant()
    member = await join(merchant, person)

    async def last_access() -> str | None:
        answer = await api.get(f"/members/{member['id']}", token=merchant.token)
        seen: str | None = answer.json()["data"]["last_access_at"]
        return seen

    assert await last_access() is None
    first = clock.now().isoformat()
    for seconds, expected in ((0, first), (59, first), (2, None)):
        clock.advance(timedelta(seconds=seconds))
        assert (await api.get("/pix", token=person.token, x_store=merchant.id)).status_code == 200
        assert await last_access() == (expected or clock.now().isoformat())
    clock.advance(timedelta(minutes=5))
    assert (await api.get("/pix", token=person.token)).status_code == 200
    assert await last_access() != clock.now().isoformat(), "only the shared store's accesses count"


async def test_the_list_of_members(api: Api, clock: MovedClock, merchant: Merchant) -> None:
    person = await api.register_merchant(name="Bia Caixa")
    made = []
    for email, role in ((person.email, "finance"), (some_address(), "viewer"), (some_address(), "viewer")):
        made.append(await invite(merchant, email, role, name="Nome do convite"))
        clock.advance(timedelta(seconds=1))
    await accept(person, (await tokens_of(api.services, person.email))[0])
    await remove(merchant, made[2])
    await invite(await api.register_merchant(), some_address())

    async def found(query: str) -> list[str]:
        answer = await api.get(f"/members?{query}", token=merchant.token)
        assert answer.status_code == 200, answer.text
        return [each["id"] for each in answer.json()["data"]]

    ids = [each["id"] for each in made]
    assert await found("") == ids[::-1]
    assert await found("sort=created_at&limit=2") == ids[:2]
    assert await found("status=active") == ids[:1]
    assert await found("status=removed&role=viewer") == ids[2:]
    assert await found("role=viewer&sort=created_at") == ids[1:]
    assert await found("q=bia+CAIXA") == ids[:1], "the account's name replaces the invitation's"
    assert await found(f"q={made[1]['email'].upper()}") == ids[1:2]
    assert (await api.get("/members?status=gone", token=merchant.token)).status_code == 400
    page = (await api.get("/members?limit=2&page=2", token=merchant.token)).json()
    assert page["pagination"] == {"page": 2, "limit": 2, "total": 3, "total_pages": 2, "has_more": False}


async def test_an_invitation_requested_twice_with_one_key_is_one(
    api: Api, services: Services, merchant: Merchant
) -> None:
    form = {"email": some_address(), "role": "viewer"}
    first, second = [
        await api.post("/members", form, token=merchant.token, idempotency_key="convite-1") for _ in range(2)
    ]
    assert (second.status_code, second.json()) == (201, first.json())
    assert second.headers["idempotent-replayed"] == "true"
    assert len(await tokens_of(services, form["email"])) == 1


async def test_an_invitation_is_sent_again_five_times_a_day(
    api: Api, services: Services, clock: MovedClock, merchant: Merchant
) -> None:
    victim = some_address()
    invited = await invite(merchant, victim)
    answers = []
    for wait in (1, *[600] * 5):
        clock.advance(timedelta(seconds=wait))
        answers.append(await api.post(f"/members/{invited['id']}/resend", token=merchant.token))
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert int(answers[-1].headers["retry-after"]) > 0
    assert len(await tokens_of(services, victim)) == 6


async def test_invitations_to_one_email_are_limited(
    api: Api, services: Services, clock: MovedClock, merchant: Merchant
) -> None:
    victim = some_address()
    invited = await invite(merchant, victim)
    clock.advance(timedelta(seconds=1))
    resends = [await api.post(f"/members/{invited['id']}/resend", token=merchant.token) for _ in range(3)]
    assert [answer.status_code for answer in resends] == [200, 409, 409]
    assert "reenviado" in resends[1].json()["error"]["message"]
    assert len(await tokens_of(services, victim)) == 2
    clock.advance(timedelta(minutes=10))
    assert (await api.post(f"/members/{invited['id']}/resend", token=merchant.token)).status_code == 200
    for _ in range(2):
        await remove(merchant, invited)
        invited = await invite(merchant, victim)
    await remove(merchant, invited)
    fourth = await api.post("/members", {"email": victim.upper(), "role": "viewer"}, token=merchant.token)
    assert codigo(fourth) == (409, None)
    assert len(await tokens_of(services, victim)) == 5

    # Withdrawn invitations count towards the hundred a day.
    more = """
        insert into members (id, store_id, email, role, status, invited_by, invited_at, expires_at, created_at)
        select gen_random_uuid(), store_id, n || email, role, status, invited_by, invited_at, expires_at, created_at
        from (select * from members limit 1) withdrawn, generate_series(1, 96) n
    """
    await run(services.database, more)
    await remove(merchant, await invite(merchant, some_address()))
    form = {"email": some_address(), "role": "viewer"}
    assert codigo(await api.post("/members", form, token=merchant.token)) == (409, None)
    clock.advance(timedelta(days=1))
    await invite(replace(merchant, token=session_of(services, merchant)), victim)


async def test_fifty_invitations_are_open_at_most(
    api: Api, services: Services, clock: MovedClock, merchant: Merchant
) -> None:
    first = await invite(merchant, some_address())
    more = """
        insert into members (id, store_id, email, role, status, token_hash, invited_by, invited_at, expires_at, created_at)
        select gen_random_uuid(), store_id, n || email, role, status, token_hash || decode(lpad(n::text, 4, '0'), 'hex'),
               invited_by, invited_at, expires_at, created_at
        from members, generate_series(1, 48) n
    """
    await run(services.database, more)
    forms = [{"email": some_address(), "role": "viewer"} for _ in range(2)]
    answers = await asyncio.gather(*(api.post("/members", form, token=merchant.token) for form in forms))
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    (refused,) = [answer.json() for answer in answers if answer.status_code == 409]
    assert refused == {
        "error": {"message": "O limite é de 50 convites em aberto; retire algum ou espere que sejam aceitos."}
    }
    assert (await api.get("/members?limit=1", token=merchant.token)).json()["pagination"]["total"] == 50
    await remove(merchant, first)
    await invite(merchant, some_address())
    assert codigo(await api.post("/members", forms[0] | {"email": some_address()}, token=merchant.token)) == (409, None)
    clock.advance(timedelta(days=7))
    await invite(replace(merchant, token=session_of(services, merchant)), some_address())

"""The audit trail through the API: records, visibility, filters and verifiable exports."""

import csv
import io
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from gateway.models.database import Database
from gateway.resolvers.audit.access_denied import WITHOUT_STORE_PER_MINUTE, should_record
from gateway.resolvers.core.context import Services
from tests import sql
from tests.api.actors import add_live_key, set_status
from tests.api.audit_actions import ACTIONS
from tests.api_client import PASSWORD, Api, Merchant, charge_order
from tests.applicants import apply, send, staff_member
from tests.fake_clock import MovedClock
from tests.subscriptions.fixtures import subscribed

ROOT = Path(__file__).parents[3]
VERIFIER = ROOT / "scripts" / "verify_audit.py"
NOTIFICATION_TOKEN = "test-notifications-token-0123456789abcdef"
BILL = "mutation { billSubscriptions { cobradas } }"


async def trail(merchant: Merchant, query: str = "", *, token: str | None = None) -> list[dict[str, Any]]:
    """The newest first."""
    answer = await merchant.api.get(f"/audit?{query}", token=token or merchant.token)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def actions(database: Database, like: str = "%") -> list[str]:
    found = await sql.rows(database, "select action from audit_trail where action like $1 order by id", like)
    return [row["action"] for row in found]


def new_values(record: dict[str, Any]) -> dict[str, Any]:
    return {name: change["to"] for name, change in record["changes"].items()}


async def test_actions_of_a_single_transport_are_recorded(
    api: Api, merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    staff = await staff_member(api, services)
    charge = await merchant.issue()
    await subscribed(merchant)
    clock.advance(timedelta(days=40))
    payment = {"externalReference": charge["id"], "value": charge["amount"], "status": "RECEIVED"}
    notification = {
        "id": "evt_1",
        "event": "PAYMENT_RECEIVED",
        "dateCreated": "2026-11-21 12:00:00",
        "payment": payment,
    }
    headers = {"asaas-access-token": NOTIFICATION_TOKEN}
    assert (
        await api.client.post("/engine/notifications/simulator", json=notification, headers=headers)
    ).status_code == 200
    merchant.token = (await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})).json()["data"][
        "accessToken"
    ]
    staff.token = (await api.post("/auth/login", {"email": staff.email, "password": PASSWORD})).json()["data"][
        "accessToken"
    ]
    documents = await apply(merchant)
    document = documents["company_registration"]["id"]
    file = await api.get(f"/admin/lojistas/{merchant.id}/documentos/{document}", token=staff.token)
    assert file.status_code == 200
    assert (await api.graphql(BILL, token=staff.token))["data"]["billSubscriptions"]["cobradas"] == 1
    for path in ("/pix", "/customers", "/audit", "/withdrawals"):
        assert (await api.get(path, token=merchant.key, accept="text/csv")).status_code == 200
    written = set(await actions(database))
    assert written >= {
        *("charge.paid", "production.document_uploaded", "production.document_downloaded", "subscriptions.billed"),
        *("subscription.charged", "charge.exported", "customer.exported", "audit.exported"),
        *("withdrawal.exported", "account.promoted"),
    }


RESOURCES = (
    *("account", "api_key", "charge", "customer", "product", "coupon", "payment_link", "subscription", "permission"),
    *("webhook_endpoint", "webhook_delivery", "secrets", "member", "receiving_account", "withdrawal", "repayment"),
    *("difference", "test_clock", "roadmap_item", "roadmap_comment"),
)


def test_the_documentation_names_every_action() -> None:
    page = (ROOT / "docs" / "audit.md").read_text()
    named = set(re.findall(r"`([a-z_]+\.[a-z_]+)`", page))
    written = re.compile(rf'"((?:{"|".join(RESOURCES)})\.[a-z_]+)"')
    acts = {action for path in (ROOT / "gateway").rglob("*.py") for action in written.findall(path.read_text())}
    assert acts - named == set()
    assert set().union(*ACTIONS.values()) - named == set()


async def test_changes_say_from_and_to_and_mask_documents_and_secrets(merchant: Merchant, database: Database) -> None:
    api = merchant.api
    form = {"name": "Nova", "cnpj": "11.444.777/0001-61", "cpf": "529.982.247-25", "accept_production_terms": True}
    assert (await api.put("/auth/profile", form, token=merchant.token)).status_code == 200
    assert (await api.put("/auth/profile", form, token=merchant.token)).status_code == 200
    [profile] = await trail(merchant, "action=account.updated")
    accepted = profile["changes"].pop("production_terms_accepted_at")
    assert (accepted["from"], bool(accepted["to"])) == (None, True)
    assert profile["changes"] == {
        "name": {"from": "Ana Lojista", "to": "Nova"},
        "cnpj": {"from": "11.***.***/0001-**", "to": "11.***.***/0001-**"},
        "cpf": {"from": None, "to": "***.982.247-**"},
    }
    hook = {"name": "loja", "url": "http://127.0.0.1:8080/a", "events": ["charge.paid"]}
    made = (await api.post("/webhook-endpoints", hook, token=merchant.token)).json()["data"]
    path = f"/webhook-endpoints/{made['id']}"
    for _ in range(2):
        changed = await api.put(
            path, {"active": False, "url": "http://127.0.0.1:8080/b", "name": "loja"}, token=merchant.token
        )
        assert changed.status_code == 200
    [endpoint] = await trail(merchant, "action=webhook_endpoint.updated")
    assert endpoint["changes"] == {
        "active": {"from": True, "to": False},
        "url": {"from": "http://127.0.0.1:8080/a", "to": "http://127.0.0.1:8080/b"},
    }
    for _ in range(2):
        await api.put(f"/api-keys/{merchant.key_id}", {"name": "caixa", "active": True}, token=merchant.token)
    [key] = await trail(merchant, "action=api_key.updated")
    assert key["changes"] == {"name": {"from": "loja", "to": "caixa"}}
    await api.post(f"{path}/rotate-secret", {"grace_hours": 0}, token=merchant.token)
    new = {"current_password": PASSWORD, "new_password": "outra senha comprida"}
    token = (await api.put("/auth/password", new, token=merchant.token)).json()["data"]["accessToken"]
    [password] = await trail(merchant, "action=account.password_changed", token=token)
    assert password["changes"] == {"password": {"from": "***", "to": "***"}}
    whole = await sql.value(database, "select string_agg(r::text, ' ') from audit_trail r")
    for secret in ("11444777000161", "52998224725", merchant.key, made["secret"], PASSWORD, "outra senha", "argon2"):
        assert secret not in whole


async def test_failed_logins_are_recorded_and_answered_alike(
    api: Api, merchant: Merchant, services: Services, database: Database
) -> None:
    wrong = [
        await api.post("/auth/login", {"email": email, "password": "não é esta"})
        for email in (merchant.email.upper(), "ninguem@example.com")
    ]
    assert len({(answer.status_code, answer.text) for answer in wrong}) == 1
    [known] = await trail(merchant, "action=account.login_failed")
    assert (known["resource_id"], known["actor_type"], known["ip"]) == (merchant.id, "public", "127.0.0.1")
    assert new_values(known)["attempts"] == 1
    stranger = await sql.row(
        database, "select * from audit_trail where action = 'account.login_failed' and store_id is null"
    )
    assert stranger is not None
    assert (stranger["environment"], new_values(stranger)) == (None, {"email": "n***@example.com", "attempts": 1})
    assert "ninguem" not in str(dict(stranger))

    for _ in range(25):
        await api.post("/auth/login", {"email": merchant.email, "password": "não é esta"})
    records = await sql.rows(
        database, "select * from audit_trail where action like 'account.login%' and store_id is not null order by id"
    )
    assert [(row["action"].rpartition("_")[2], new_values(row)["attempts"]) for row in records] == [
        *[("failed", n) for n in (1, 2, 5, 10)],
        *[("limited", n) for n in (1, 2, 5, 10)],
    ]
    await set_status(database, merchant, "approved")
    await services.limiter.forget("login:ip:127.0.0.1")
    await services.limiter.forget(f"login:email:{merchant.email}:127.0.0.0/24")
    assert (await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})).status_code == 200
    entered = await sql.row(database, "select * from audit_trail where action = 'account.logged_in'")
    assert entered is not None
    assert (entered["actor_type"], entered["actor_id"], entered["environment"]) == ("user", merchant.id, "live")
    wrong_now = {"current_password": "x", "new_password": "outra senha comprida"}
    assert (await api.put("/auth/password", wrong_now, token=merchant.token)).status_code == 401
    assert len(await trail(merchant, "action=account.password_refused")) == 1


async def test_refused_permissions_are_recorded_with_limits(
    api: Api, merchant: Merchant, services: Services, database: Database
) -> None:
    for _ in range(30):
        assert (await api.post("/api-keys", {"name": "x"}, token=merchant.key)).status_code == 403
    fields = " ".join(f"a{number}: revokeApiKey(id: $id) {{ id }}" for number in range(10))
    await api.graphql(f"mutation($id: ID!) {{ {fields} }}", token=merchant.key, id=merchant.key_id)
    assert (await api.get("/admin/lojistas", token=merchant.token)).status_code == 403
    assert (await api.post("/auth/environment", {"environment": "live"}, token=merchant.token)).status_code == 409
    staff = await staff_member(api, services)
    own = await api.post(f"/admin/lojistas/{staff.id}/aprovar", token=staff.token)
    assert own.status_code == 403
    await set_status(database, merchant, "suspended")
    live = await add_live_key(services, merchant)
    assert (await api.get("/pix", token=live)).status_code == 403
    assert (await api.post("/pix", charge_order(), token=live)).status_code == 403
    refused = await sql.rows(database, "select * from audit_trail where action = 'permission.refused' order by id")
    counts: dict[tuple[Any, ...], list[int]] = {}
    for row in refused:
        changes = new_values(row)
        key = (
            changes["operation"],
            changes["codigo"],
            row["store_id"] == merchant.id,
            row["actor_type"],
            row["environment"],
        )
        counts.setdefault(key, []).append(changes["attempts"])
    assert counts == {
        ("api_keys.create", "SOMENTE_PAINEL", True, "api_key", "test"): [1, 2, 5, 10, 20],
        ("api_keys.revoke", "SOMENTE_PAINEL", True, "api_key", "test"): [1, 2, 5, 10],
        ("staff.list_merchants", "SOMENTE_ADMIN", True, "user", "test"): [1],
        ("accounts.choose_environment", "PRODUCAO_NAO_LIBERADA", True, "user", "test"): [1],
        ("staff.approve_merchant", None, False, "staff", "test"): [1],
        ("charges.list", "PRODUCAO_NAO_LIBERADA", True, "api_key", "live"): [1],
        ("charges.issue", "PRODUCAO_NAO_LIBERADA", True, "api_key", "live"): [1],
    }


async def test_strangers_can_t_fill_the_disk(api: Api, services: Services, database: Database) -> None:
    name = "audit:no store"
    for _ in range(WITHOUT_STORE_PER_MINUTE - 1):
        await services.limiter.count(name, 60)
    for number in range(3):
        await api.post("/auth/login", {"email": f"ninguem{number}@example.com", "password": "x"})
    assert await actions(database) == ["account.login_failed"]
    assert [n for n in range(1, 2001) if should_record(n)] == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]


async def test_the_trail_has_filters_and_is_limited_to_store_and_environment(
    api: Api, merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    other = await api.register_merchant()
    clock.advance(timedelta(minutes=1))
    charge = await merchant.issue()
    clock.advance(timedelta(minutes=1))
    paid = await merchant.pay(charge["id"])
    await set_status(database, merchant, "approved")
    live = await add_live_key(services, merchant)
    assert (await api.post("/pix", charge_order(), token=live)).status_code == 201

    whole = await trail(merchant)
    assert [record["action"] for record in whole] == [
        "charge.paid",
        "charge.created",
        "api_key.created",
        "account.registered",
    ]
    assert {record["store_id"] for record in whole} == {merchant.id}
    assert [record["action"] for record in await trail(merchant, token=live)] == ["charge.created"]
    assert all(record["hash"] and record["position"] for record in whole)
    by_position = {record["position"]: record for record in whole}
    assert by_position[2]["prev_hash"] == by_position[1]["hash"]

    async def found(query: str) -> list[str]:
        return [record["action"] for record in await trail(merchant, query)]

    assert await found("action=charge.paid") == ["charge.paid"]
    assert await found("action=paid") == []
    assert await found("resource_type=charge&sort=created_at") == ["charge.created", "charge.paid"]
    assert await found(f"resource_id={charge['id']}") == ["charge.paid", "charge.created"]
    assert await found(f"actor_id={merchant.key_id}") == ["charge.paid", "charge.created"]
    assert await found("actor_type=user") == ["api_key.created"]
    assert await found("actor_type=public") == ["account.registered"]
    assert await found("source=graphql") == []
    assert await found("q=ACCOUNT.reg") == ["account.registered"]
    then = charge["created_at"].replace("+", "%2B")
    assert await found(f"created_to={then}&created_from={then}") == ["charge.created"]
    assert paid["id"] == charge["id"]
    refused = await api.get("/audit?actor_type=robot&source=fax&created_from=ontem", token=merchant.token)
    assert {field["campo"] for field in refused.json()["error"]["campos"]} == {"actor_type", "source", "created_from"}
    page = (await api.get("/audit?page=1&limit=2", token=merchant.key)).json()
    assert (page["pagination"]["total"], len(page["data"])) == (4, 2)
    connected = await api.graphql(
        "query($f: AuditFilter) { auditRecords(first: 1, filter: $f) { totalCount edges { node { id action changes } } } }",
        token=merchant.token,
        f={"resourceType": "charge", "actorType": "api_key"},
    )
    assert connected["data"]["auditRecords"]["totalCount"] == 2
    [edge] = connected["data"]["auditRecords"]["edges"]
    assert (edge["node"]["id"], edge["node"]["changes"]) == (whole[0]["id"], whole[0]["changes"])
    read = await api.get(f"/audit/{whole[0]['id']}", token=merchant.key)
    assert read.json()["data"] == whole[0]
    for token in (other.token, live):
        assert (await api.get(f"/audit/{whole[0]['id']}", token=token)).status_code == 404


async def exported(api: Api, token: str, query: str = "sort=created_at") -> bytes:
    answer = await api.get(f"/audit?{query}", token=token, accept="text/csv")
    assert answer.status_code == 200, answer.text
    return answer.content


def verified(*files: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, VERIFIER, *files], capture_output=True, text=True, timeout=60, check=False)


async def test_an_export_verifies_by_itself(api: Api, services: Services, database: Database, tmp_path: Path) -> None:
    merchant = await api.register_merchant(name='=SOMA(A1) é "Ana", e mais')
    form = {"name": "Caneca", "price": 30, "metadata": {"zeta": "ç", "ah": "'-1", "b": "x" * 400}}
    product = (await api.post("/products", form, token=merchant.token, user_agent="'=veio assim")).json()["data"]
    change = {"price": 19.9, "metadata": {"é": "1", "a": "😀"}}
    assert (await api.put(f"/products/{product['id']}", change, token=merchant.token)).status_code == 200
    await set_status(database, merchant, "approved")
    live = await add_live_key(services, merchant)
    assert (await api.post("/pix", charge_order(), token=live)).status_code == 201
    in_test, in_live = tmp_path / "test.csv", tmp_path / "live.csv"
    in_test.write_bytes(await exported(api, merchant.token))
    in_live.write_bytes(await exported(api, live))
    rows = list(csv.DictReader(io.StringIO(in_test.read_text("utf-8"), newline="")))
    assert [row["action"] for row in rows][-1] == "audit.exported"
    together = verified(in_test, in_live)
    assert together.returncode == 0, together.stderr
    newest = await sql.row(
        database,
        "select position, encode(hash, 'hex') from audit_chain where chain_id = $1 order by position desc",
        merchant.id,
    )
    assert newest is not None
    assert together.stdout == f"7 records hold, 0 gaps, 0 not chained yet; newest 7 {newest[1]}\n"
    assert verified(in_live).stdout.startswith("2 records hold, 2 gaps, ")
    original = in_test.read_text("utf-8")
    for was, is_now in (("product.created", "product.crested"), (",1,,", ",9,,")):
        assert was in original
        in_test.write_text(original.replace(was, is_now, 1), "utf-8")
        changed = verified(in_test, in_live)
        assert (changed.returncode, changed.stdout) == (1, "")
        assert re.fullmatch(r"record [0-9a-f-]{36} was changed\n", changed.stderr)


async def test_uploads_that_are_refused_leave_no_act(merchant: Merchant, database: Database) -> None:
    before = await actions(database)
    assert (await send(merchant.api, merchant.token, "proof_of_address", b"no document")).status_code == 400
    assert await actions(database) == before

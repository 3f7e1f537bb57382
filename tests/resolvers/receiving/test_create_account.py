"""A store's account is created once despite engine failures, and its key is stored first."""

import asyncio
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.doctor.check import Severity
from gateway.doctor.payments import check_receiving
from gateway.errors import InvalidInput, NotFound
from gateway.integrations.engines.errors import AccountExists
from gateway.integrations.engines.interface import (
    Engines,
    NewAccount,
    OpenedAccount,
)
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.engine_notifications.registration import RETRY_REGISTRATION_AFTER
from gateway.resolvers.receiving.maintenance import FIRST_WAIT, adopt_account, maintain_accounts
from gateway.resolvers.receiving.reservation import CREATION_LEASE, RESOLVE_AFTER
from gateway.security import hash_api_key
from gateway.settings import ReceivingMode
from tests import sql
from tests.api.rows import difference, everything
from tests.api.transport_calls import Outcome, by_graphql, by_rest
from tests.api_client import Api, Merchant, charge_order
from tests.fake_clock import MovedClock
from tests.resolvers.receiving.fixtures import (
    COMPANY,
    account,
    approved,
    at_engine,
    create_unapproved_account,
    in_mode,
    job,
    open_account,
    send_notification,
    state,
    status_notice,
    with_settings,
)
from tests.simulators import with_engine
from tests.spy_engine import overheard

OTHER_CNPJ = "45.723.174/0001-10"
ABSENT = {
    "aprovada": False,
    "conferida": False,
    **dict.fromkeys(("geral", "dados_comerciais", "conta_bancaria", "documentos", "conferida_em")),
    **dict.fromkeys(("link_documentos", "link_documentos_qr", "motivos_recusa")),
}


async def test_an_account_is_created_approved_and_charged(merchant: Merchant, database: Database) -> None:
    absent = await account(merchant)
    assert (absent["modo"], absent["criada"], absent["status"]) == ("subconta", False, "absent")
    assert absent["aprovacao"] == ABSENT

    answer = await open_account(merchant)
    assert answer.status_code == 201, answer.text
    made = answer.json()["data"]
    assert set(made) == {
        *("criada", "account_id", "wallet_id", "status", "environment", "webhook_registered", "aprovacao")
    }
    assert (made["criada"], made["status"], made["environment"]) == (True, "pending", "test")
    assert made["webhook_registered"] is True
    block = made["aprovacao"]
    assert (block["aprovada"], block["conferida"], block["geral"]) == (False, True, "PENDING")
    assert block["link_documentos"].startswith("https://")
    assert block["link_documentos_qr"] is None, "only a read has the QR image"

    details = await account(merchant)
    assert (details["company_name"], details["cnpj"]) == ("Loja da Ana Ltda.", "11222333000181")
    assert details["aprovacao"]["link_documentos_qr"].startswith("data:image/png;base64,")
    again = await open_account(merchant, company_name="Outra", cnpj=OTHER_CNPJ)
    assert (again.status_code, again.json()["data"]) == (200, made | {"criada": False})
    assert await at_engine(database) == 1

    assert await send_notification(merchant.api, status_notice(made["account_id"])) == "applied"
    block = (await account(merchant))["aprovacao"]
    assert (block["aprovada"], block["documentos"], block["link_documentos"]) == (True, "APPROVED", None)
    assert block["link_documentos_qr"] is None
    charge = await merchant.issue(amount=129.9)
    # 1.5 % of 129.90 is 1.9485, and 0.305 is half a centavo above 0.30.
    assert (charge["fee_amount"], charge["net_amount"]) == (1.95 + 0.31, 129.9 - 2.26)
    [blocked] = await sql.rows(database, "select account_id, fee from simulator_charges")
    assert tuple(blocked) == (made["account_id"], 226)
    assert (await merchant.pay(charge["id"]))["status"] == "paid"


async def test_both_transports_create_read_and_check_alike(api: Api, database: Database) -> None:
    wrote, outcomes = [], []
    for transport in ("rest", "graphql"):
        merchant = await api.register_merchant()
        cnpj = {"rest": COMPANY["cnpj"], "graphql": OTHER_CNPJ}[transport]
        before = await everything(database)
        steps = [
            ("receiving.open", "openReceivingAccount", COMPANY | {"cnpj": cnpj, "complement": None}),
            ("receiving.open", "openReceivingAccount", COMPANY | {"cnpj": cnpj, "complement": None}),
            ("receiving.read", "receivingAccount", {}),
            ("receiving.check", "checkReceivingAccount", {}),
            ("charges.issue", "issueCharge", charge_order()),
        ]
        results: list[Outcome] = []
        for operation, name, draft in steps:
            headers = (
                {"idempotency_key": f"{len(results)}"} if operation != "receiving.open" else {"idempotency_key": "k"}
            )
            call = by_rest(api, operation, draft, merchant.token, **headers) if transport == "rest" else None
            results.append(await (call or by_graphql(api, name, draft, merchant.token, **headers)))
        outcomes.append([_alike(outcome) for outcome in results])
        wrote.append(_without_cnpj(difference(before, await everything(database))))
        assert results[1].replayed
        assert results[4].codigo == "SUBCONTA_NAO_APROVADA"
    assert outcomes[0] == outcomes[1]
    assert wrote[0] == wrote[1]


def _alike(outcome: Any) -> Any:
    """The result without fields that differ between two accounts."""
    data = outcome.data and {name: value for name, value in outcome.data.items() if name not in _OWN}
    if data and data.get("aviso", "") is None:
        del data["aviso"]  # GraphQL returns every selected field; REST omits this one when it is empty.
    data = data and data | {"aprovacao": _unlinked(data["aprovacao"])}
    return data, outcome.message, outcome.codigo, _unlinked(outcome.extra.get("aprovacao", {})), outcome.replayed


_OWN = {"account_id", "wallet_id", "cnpj"}


def _unlinked(block: dict[str, Any]) -> dict[str, Any]:
    return {name: value is not None if name.startswith("link_") else value for name, value in block.items()}


def _without_cnpj(written: dict[str, list[dict[str, Any]]]) -> Any:
    """Written rows without encrypted responses and company numbers, which differ."""
    own = {"cnpj", "document", "documents_link", "secret_hash", "fingerprint", "answer", "operation", "changes"}
    return {
        name: [{key: value for key, value in row.items() if key not in own} for row in rows]
        for name, rows in written.items()
    }


async def test_the_key_is_encrypted_and_never_returned(
    merchant: Merchant, services: Services, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [(await open_account(merchant)).text]
    account_id = await sql.value(database, "select account_id from receiving_accounts")
    answers += [(await merchant.api.post("/pix", charge_order(), token=merchant.key)).text]
    await send_notification(merchant.api, status_notice(account_id))
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    for path in ("/receiving-account", "/auth/me", "/production", "/charges"):
        answers.append((await merchant.api.get(path, token=merchant.token)).text)
    query = "{ receivingAccount { accountId walletId status aprovacao { geral } } me { user { id } } }"
    answers.append(str(await merchant.api.graphql(query, token=merchant.token)))

    sealed = await sql.value(database, "select secret from receiving_accounts")
    key = services.vault.decrypt(sealed)
    assert sealed.startswith(services.vault.key_id)
    assert hash_api_key(key) == await sql.value(database, "select secret_hash from simulator_accounts")
    assert len(key) > 20
    assert key.encode() not in sealed
    assert not [answer for answer in answers if key in answer]
    assert key not in str(await everything(database))
    results = capsys.readouterr()
    assert key not in results.out + results.err
    assert not {"secret", "apiKey", "api_key"} & _names(answers)


def _names(answers: list[str]) -> set[str]:
    return {name for name in ("secret", "apiKey", "api_key") for answer in answers if f'"{name}"' in answer}


BAD = {
    "company_name": "",
    "email": "ninguém",
    "cnpj": "11.222.333/0001-82",
    "phone": "(11) 3333-4444",
    "monthly_revenue": "muito",
    "address": " ",
    "address_number": None,
    "postal_code": "0131",
    "company_type": "SA",
    "site": "javascript:alert(1)",
}


async def test_all_errors_are_listed(merchant: Merchant, database: Database) -> None:
    wanted = {*BAD, "province"}
    without = {name: value for name, value in COMPANY.items() if name != "province"}
    rest = await by_rest(merchant.api, "receiving.open", without | BAD, merchant.token)
    assert (rest.status, rest.codigo) == (400, None)
    assert {bad["campo"] for bad in rest.extra["campos"]} == wanted
    assert all(name in (rest.message or "") for name in wanted)
    assert {"campo": "address", "mensagem": "não pode ficar vazio"} in rest.extra["campos"]
    one = await by_graphql(merchant.api, "openReceivingAccount", COMPANY | {"cnpj": BAD["cnpj"]}, merchant.token)
    assert (one.status, [bad["campo"] for bad in one.extra["campos"]]) == (400, ["cnpj"])
    assert await state(database) is None


async def test_only_the_store_owner_in_the_dashboard_creates_one(merchant: Merchant, database: Database) -> None:
    refused = await open_account(merchant, token=merchant.key)
    assert (refused.status_code, refused.json()["error"]["codigo"]) == (403, "SOMENTE_PAINEL")
    assert (await merchant.api.post("/receiving-account", COMPANY)).status_code == 401
    assert await at_engine(database) == 0


async def test_a_company_has_one_account_across_stores(api: Api, merchant: Merchant, database: Database) -> None:
    await create_unapproved_account(merchant)
    other = await api.register_merchant()
    refused = await open_account(other)
    assert refused.status_code == 409
    assert set(refused.json()["error"]) == {"message"}
    assert (await account(other))["status"] == "absent"
    assert await create_unapproved_account(other, cnpj=OTHER_CNPJ) != await sql.value(
        database, "select account_id from receiving_accounts where user_id = $1", merchant.id
    )


@pytest.mark.parametrize("behaviour", [Behaviour.refuse, Behaviour.unavailable])
async def test_a_refused_creation_writes_nothing(
    merchant: Merchant, engines: Engines, database: Database, behaviour: Behaviour
) -> None:
    engines.test.scenario.plan("open_account", behaviour)  # type: ignore[attr-defined]  # the tests' engines are simulators.
    answer = await open_account(merchant)
    assert answer.status_code == 502
    assert set(answer.json()["error"]) == {"message"}
    assert "scripted" not in answer.text
    assert await state(database) is None
    await create_unapproved_account(merchant)


async def test_a_refused_creation_can_be_requested_again(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    script = engines.test.scenario  # type: ignore[attr-defined]  # as above.
    script.plan("open_account", Behaviour.timeout_before)
    assert (await open_account(merchant)).status_code == 502
    assert (await account(merchant))["status"] == "opening"
    again = await open_account(merchant)
    assert again.status_code == 502, "the outcome is unknown, so it is not sent again"
    assert await maintain_accounts(job(services)) == 0
    clock.advance(RESOLVE_AFTER)
    script.plan("find_account", Behaviour.unavailable)
    assert await maintain_accounts(job(services)) == 1
    assert await state(database) == "opening"
    clock.advance(FIRST_WAIT)
    assert await maintain_accounts(job(services)) == 1
    assert await state(database) is None
    await create_unapproved_account(merchant)
    assert await at_engine(database) == 1


async def test_a_repeated_request_resolves_an_unknown_outcome(
    merchant: Merchant, engines: Engines, clock: MovedClock, database: Database
) -> None:
    script = engines.test.scenario  # type: ignore[attr-defined]  # as above.
    script.plan("open_account", Behaviour.timeout_before)
    assert (await open_account(merchant)).status_code == 502
    clock.advance(RESOLVE_AFTER)
    script.plan("find_account", Behaviour.refuse)
    assert (await open_account(merchant)).status_code == 502
    checked = await merchant.api.post("/receiving-account/check", token=merchant.key)
    assert checked.json()["data"]["status"] == "absent"
    await create_unapproved_account(merchant, cnpj=OTHER_CNPJ)
    assert await at_engine(database) == 1


async def test_an_account_with_a_lost_key_is_never_created_twice(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    engines.test.scenario.plan("open_account", Behaviour.timeout_after)  # type: ignore[attr-defined]  # as above.
    assert (await open_account(merchant)).status_code == 502
    clock.advance(RESOLVE_AFTER)
    assert await maintain_accounts(job(services)) == 1
    lost = await account(merchant)
    assert (lost["status"], lost["criada"], lost["aprovacao"]) == ("lost", False, ABSENT)
    for cnpj in (COMPANY["cnpj"], OTHER_CNPJ):
        refused = await open_account(merchant, cnpj=cnpj)
        assert refused.status_code == 409
        assert set(refused.json()["error"]) == {"message"}
    assert await at_engine(database) == 1
    clock.advance(timedelta(days=30))
    assert await maintain_accounts(job(services)) == 0, "staff must act"
    unplaced = await merchant.api.post("/pix", charge_order(), token=merchant.key)
    assert unplaced.json()["error"]["codigo"] == "SUBCONTA_INEXISTENTE"
    outcomes = await sql.value(database, "select changes from audit_trail where action = 'receiving_account.lost'")
    assert outcomes["account_id"]["to"] == lost["account_id"]


async def test_an_account_of_another_store_is_not_marked_as_lost(
    api: Api, merchant: Merchant, engines: Engines, services: Services, clock: MovedClock
) -> None:
    engines.test.scenario.plan("open_account", Behaviour.timeout_before)  # type: ignore[attr-defined]  # as above.
    assert (await open_account(merchant)).status_code == 502
    await create_unapproved_account(await api.register_merchant())
    clock.advance(RESOLVE_AFTER)
    assert await maintain_accounts(job(services)) >= 1
    assert (await account(merchant))["status"] == "absent"


async def test_ten_concurrent_requests_create_one(merchant: Merchant, database: Database) -> None:
    answers = await asyncio.gather(*(open_account(merchant) for _ in range(10)))
    counts = Counter(answer.status_code for answer in answers)
    assert counts[201] == 1
    assert set(counts) <= {200, 201, 409}, "requests during creation are conflicts"
    assert await at_engine(database) == 1
    assert await sql.value(database, "select count(*) from audit_trail where action = 'receiving_account.opened'") == 1


async def test_a_request_during_creation_is_a_conflict(
    merchant: Merchant, clock: MovedClock, database: Database
) -> None:
    reached, let_go = asyncio.Event(), asyncio.Event()

    async def on_call(call: str, *_: object) -> None:
        if call == "open_account":
            reached.set()
            await let_go.wait()

    async def again() -> Any:
        return await merchant.api.post("/receiving-account", COMPANY, token=merchant.token, idempotency_key="conta-2")

    async with overheard(merchant, on_call) as blocked:
        first = asyncio.create_task(open_account(blocked))
        await asyncio.wait_for(reached.wait(), 60)
        clock.advance(CREATION_LEASE - timedelta(seconds=1))
        during = await again()
        let_go.set()
        assert (await first).status_code == 201
    assert (during.status_code, set(during.json()["error"])) == (409, {"message"})
    assert "já está sendo aberta" in during.json()["error"]["message"]
    details = await again()
    assert (details.status_code, details.json()["data"]["criada"]) == (200, False), "the conflict was temporary"
    assert await at_engine(database) == 1


class _Slow(Simulator):
    """A bank that exceeds every timeout."""

    meanwhile: Any = None

    async def open_account(self, wanted: NewAccount) -> OpenedAccount:
        await self.meanwhile()
        return await super().open_account(wanted)


class _Losing(Simulator):
    """A bank that reports the account as created and cannot return the key again."""

    async def open_account(self, wanted: NewAccount) -> OpenedAccount:
        made = await super().open_account(wanted)
        raise AccountExists(made.account.id, just_created=True)


async def test_a_late_key_is_stored(
    merchant: Merchant, services: Services, clock: MovedClock, database: Database
) -> None:
    slow = with_engine(services, _Slow)

    async def given_up() -> None:
        clock.advance(CREATION_LEASE)
        assert await maintain_accounts(job(services)) == 1
        assert await state(database) is None

    slow.engines.test.meanwhile = given_up  # type: ignore[attr-defined]  # its own.
    async with Api.of(Gateway(slow.settings, slow)) as api:
        answer = await open_account(replace(merchant, api=api))
    assert answer.status_code == 201, answer.text
    assert await state(database) == "open"
    assert await at_engine(database) == 1


async def test_a_lost_key_is_reported_as_lost(merchant: Merchant, services: Services, database: Database) -> None:
    losing = with_engine(services, _Losing)
    async with Api.of(Gateway(losing.settings, losing)) as api:
        assert (await open_account(replace(merchant, api=api))).status_code == 409
    assert await state(database) == "lost"


async def test_a_failed_webhook_registration_is_retried_later(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock
) -> None:
    script = engines.test.scenario  # type: ignore[attr-defined]  # as above.
    script.plan("open_account", Behaviour.webhook_not_registered)
    script.plan("register_webhook", Behaviour.refuse, Behaviour.unavailable)
    answer = await open_account(merchant)
    assert answer.status_code == 201
    assert answer.json()["data"]["webhook_registered"] is False
    assert "avisos" in answer.json()["data"]["aviso"]
    clock.advance(RETRY_REGISTRATION_AFTER)
    assert await maintain_accounts(job(services)) == 1
    assert (await account(merchant))["webhook_registered"] is False
    clock.advance(RETRY_REGISTRATION_AFTER)
    assert await maintain_accounts(job(services)) == 1
    assert (await account(merchant))["webhook_registered"] is True


async def test_a_failed_read_of_the_approval_is_retried_later(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock
) -> None:
    script = engines.test.scenario  # type: ignore[attr-defined]  # as above.
    script.plan("account_status", Behaviour.timeout_before, Behaviour.unavailable)
    made = (await open_account(merchant)).json()["data"]
    assert (made["status"], made["aprovacao"]) == ("pending", ABSENT)
    refused = await merchant.api.post("/receiving-account/check", token=merchant.key)
    assert refused.status_code == 502
    assert (await merchant.api.post("/pix", charge_order(), token=merchant.key)).status_code == 409
    clock.advance(RETRY_REGISTRATION_AFTER)
    assert await maintain_accounts(job(services)) == 1
    assert (await account(merchant))["aprovacao"]["conferida"] is True


async def test_a_key_replays_the_response_and_an_existing_account_is_a_200(merchant: Merchant) -> None:
    first = await merchant.api.post("/receiving-account", COMPANY, token=merchant.token, idempotency_key="a")
    replay = await merchant.api.post("/receiving-account", COMPANY, token=merchant.token, idempotency_key="a")
    assert (replay.status_code, replay.json()) == (201, first.json())
    found = [
        await merchant.api.post("/receiving-account", COMPANY, token=merchant.token, idempotency_key="b")
        for _ in range(2)
    ]
    assert [answer.status_code for answer in found] == [200, 200]
    assert found[1].headers["idempotent-replayed"] == "true"


async def test_test_and_live_have_separate_accounts(merchant: Merchant, database: Database) -> None:
    await approved(merchant)
    await sql.run(database, "update users set production_status = 'approved' where id = $1", merchant.id)
    live = await merchant.api.post("/auth/environment", {"environment": "live"}, token=merchant.token)
    token = live.json()["data"]["accessToken"]
    assert (await account(merchant, token))["status"] == "absent"
    refused = await merchant.api.post("/pix", charge_order(), token=token)
    assert refused.json()["error"]["codigo"] == "SUBCONTA_INEXISTENTE"
    assert await create_unapproved_account(merchant, token)
    assert (await account(merchant, token))["environment"] == "live"

    await sql.run(database, "update users set production_status = 'suspended' where id = $1", merchant.id)
    for path, body in (("/pix", charge_order()), ("/receiving-account", COMPANY)):
        first = await merchant.api.post(path, body, token=token)
        assert (first.status_code, first.json()["error"]["codigo"]) == (409, "PRODUCAO_NAO_LIBERADA")


@pytest.mark.parametrize(
    ("mode", "codigo"), [(ReceivingMode.conta_unica, None), (ReceivingMode.subconta, "PRODUCAO_NAO_LIBERADA")]
)
async def test_the_mode_is_checked_before_the_stores_approval(
    services: Services, database: Database, mode: ReceivingMode, codigo: str | None
) -> None:
    settings = in_mode(services.settings, mode)
    async with Api.of(Gateway(settings, with_settings(services, settings))) as api:
        merchant = await api.register_merchant()
        await sql.run(database, "update users set production_status = 'approved' where id = $1", merchant.id)
        entered = await api.post("/auth/environment", {"environment": "live"}, token=merchant.token)
        live = entered.json()["data"]["accessToken"]
        await sql.run(database, "update users set production_status = 'suspended' where id = $1", merchant.id)
        for result in (
            await by_rest(api, "receiving.open", COMPANY, live),
            await by_graphql(api, "openReceivingAccount", COMPANY, live),
        ):
            assert (result.status, result.codigo, "producao" in result.extra) == (409, codigo, codigo is not None)
    assert await state(database) is None


async def test_staff_recovers_the_key_of_a_lost_account(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    engines.test.scenario.plan("open_account", Behaviour.timeout_after)  # type: ignore[attr-defined]  # as above.
    assert (await open_account(merchant)).status_code == 502
    clock.advance(RESOLVE_AFTER)
    assert await maintain_accounts(job(services)) == 1
    account_id = (await account(merchant))["account_id"]
    found = [(finding.severity, account_id in finding.text) async for finding in check_receiving(services.settings)]
    assert found == [(Severity.ok, False), (Severity.error, True)]
    await sql.run(database, "update simulator_accounts set secret_hash = $1", hash_api_key("sim_a new one"))
    with pytest.raises(InvalidInput):
        await adopt_account(job(services), account_id, "sim_a wrong one")
    with pytest.raises(NotFound):
        await adopt_account(job(services), "unknown", "sim_a new one")
    assert await state(database) == "lost"
    await adopt_account(job(services), account_id, "sim_a new one")
    assert await maintain_accounts(job(services)) == 1
    assert (await account(merchant))["webhook_registered"] is True
    assert await send_notification(merchant.api, status_notice(account_id)) == "applied"
    await merchant.issue()
    assert "sim_a new one" not in str(await everything(database))
    with pytest.raises(NotFound):
        await adopt_account(job(services), account_id, "sim_a new one")
    dear = services.settings.model_copy(update={"service_fee_fixed": Decimal(4)})
    assert [finding.severity async for finding in check_receiving(dear)] == [Severity.ok, Severity.warning]
    single = services.settings.model_copy(update={"receiving_mode": ReceivingMode.conta_unica})
    assert [finding.severity async for finding in check_receiving(single)] == [Severity.ok, Severity.warning]

"""Issuing and reading charges: specification sections 2, 4, 7 and 8, contract section 4."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.engines.br_code import check
from gateway.integrations.engines.interface import (
    EngineCharge,
    NewCharge,
)
from gateway.integrations.engines.simulator import Simulator
from gateway.models.database import Database
from gateway.resolvers.charges.expire import expire_charges
from gateway.resolvers.charges.mark_paid import BY_ID, Payment, mark_paid
from gateway.resolvers.core.context import Services, system_context
from gateway.settings import Settings
from tests.api.actors import Scene, live_session, set_status
from tests.api_client import Api, Merchant, charge_order
from tests.fake_clock import MovedClock
from tests.resolvers.test_idempotency import count
from tests.simulators import simulator
from tests.subscriptions.fixtures import wait_until_blocked

UNKNOWN_ID = "01890000-0000-7000-8000-000000000000"


async def post(merchant: Merchant, path: str = "/pix", **changes: Any) -> Any:
    order = {name: value for name, value in charge_order(**changes).items() if value is not ...}
    return await merchant.api.post(path, order, token=merchant.key)


async def refused(merchant: Merchant, path: str = "/pix", **changes: Any) -> list[str]:
    """The bad fields of a 400 without a code."""
    response = await post(merchant, path, **changes)
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert "codigo" not in error
    fields = [field["campo"] for field in error["campos"]]
    assert all(field in error["message"] for field in fields)
    return fields


PAST = "2020-01-01"


class TestIssuing:
    async def test_a_charge_has_all_its_fields(self, merchant: Merchant, clock: MovedClock) -> None:
        charge = await merchant.issue(user_id="x", status="paid", txid="y", id="z", environment="live")
        assert charge["user_id"] == merchant.id
        assert (charge["status"], charge["environment"]) == ("pending", "test")
        assert (charge["amount"], charge["original_amount"], charge["net_amount"]) == (129.9, 129.9, 129.9)
        assert charge["customer_cpf"] == "52998224725"
        assert len(charge["txid"]) == 32
        assert charge["txid"].isalnum()
        assert charge["txid"] == charge["txid"].lower()
        assert datetime.fromisoformat(charge["expires_at"]) == clock.now() + timedelta(hours=24)
        assert check(charge["pix_code"], amount=12990)
        assert charge["checkout_url"] == f"http://gateway.test/pay/c/{charge['txid']}"
        assert (charge["paid_at"], charge["receipt_url"], charge["end_to_end_id"]) == (None, None, None)

    async def test_all_missing_and_invalid_fields_are_reported_together(self, merchant: Merchant) -> None:
        needed = ["amount", "description", "customer_name", "customer_email", "customer_cpf"]
        response = await merchant.api.post("/pix", {}, token=merchant.key)
        assert sorted(field["campo"] for field in response.json()["error"]["campos"]) == sorted(needed)
        order = {"amount": "x", "customer_cpf": "1", "description": "  ", "metadata": []}
        response = await merchant.api.post("/pix", order, token=merchant.key)
        assert sorted(field["campo"] for field in response.json()["error"]["campos"]) == sorted([*needed, "metadata"])

    @pytest.mark.parametrize("amount", [5, 5.0, "5", "5.00", 5.01, 10.1, 9999999.99, "9999999.99"])
    async def test_valid_amounts_are_accepted(self, merchant: Merchant, amount: object) -> None:
        response = await post(merchant, amount=amount)
        assert response.status_code == 201, response.text
        assert response.json()["data"]["amount"] == float(str(amount))

    @pytest.mark.parametrize(
        "amount",
        [
            *("cinco", "5,00", "R$ 5", "1e3", " ", "0x10", "５", "5.000", "NaN", "Infinity", "1_000", "+5", "9" * 400),
            *(10.001, 10000000, 1e300, True, False, [5], {"v": 5}, None, 10**30),
        ],
    )
    async def test_invalid_amounts_are_refused(self, merchant: Merchant, database: Database, amount: object) -> None:
        assert await refused(merchant, amount=amount) == ["amount"]
        assert await count(database, "issuances") == 0

    @pytest.mark.parametrize(
        ("amount", "codigo"),
        [
            ("4.9999999999999999", "VALOR_MINIMO"),
            ("49999999999999999e-16", "VALOR_MINIMO"),
            ("-5.0000000000000001", "VALOR_MINIMO"),
            ("5.0000000000000001", None),
            ("9999999.990000000001", None),
        ],
    )
    async def test_amounts_are_parsed_without_rounding(
        self, merchant: Merchant, database: Database, amount: str, codigo: str | None
    ) -> None:
        order = json.dumps(charge_order(amount=0)).replace('"amount": 0', f'"amount": {amount}')
        headers = {"content-type": "application/json", "authorization": f"Bearer {merchant.key}"}
        answer = await merchant.api.client.post("/pix", content=order, headers=headers)
        assert (answer.status_code, answer.json()["error"]["campos"][0]["campo"]) == (400, "amount")
        assert answer.json()["error"].get("codigo") == codigo
        assert await count(database, "simulator_charges") == 0
        exact = order.replace(amount, "49.900000000000000000")
        assert (await merchant.api.client.post("/pix", content=exact, headers=headers)).json()["data"]["amount"] == 49.9

    async def test_a_saved_customer_replaces_only_the_payer_fields(self, merchant: Merchant) -> None:
        made = await merchant.api.post("/customers", {"name": "Ana"}, token=merchant.key)
        order = {"customer_id": made.json()["data"]["id"], "success_url": "x"}
        error = (await merchant.api.post("/pix", order, token=merchant.key)).json()["error"]
        assert sorted(field["campo"] for field in error["campos"]) == ["amount", "description", "success_url"]

    async def test_a_repeated_order_with_a_past_expiry_is_replayed(self, merchant: Merchant, clock: MovedClock) -> None:
        expires_at = (clock.now() + timedelta(minutes=5)).isoformat()
        order = charge_order(expires_at=expires_at)
        first = await merchant.api.post("/pix", order, token=merchant.key, idempotency_key="um")
        clock.advance(timedelta(hours=1))
        again = await merchant.api.post("/pix", order, token=merchant.key, idempotency_key="um")
        assert (first.status_code, again.status_code) == (201, 201)
        assert first.json()["data"]["id"] == again.json()["data"]["id"]

    @pytest.mark.parametrize("amount", [0, 0.01, 4.99, "4.99", "4.999", "-3", -5, -0.01, 4.999, -(10**30), -0.0])
    async def test_amounts_below_the_minimum_are_refused(
        self, merchant: Merchant, database: Database, amount: object
    ) -> None:
        response = await post(merchant, amount=amount)
        assert response.status_code == 400
        error = response.json()["error"]
        assert (error["codigo"], error["valor_minimo"]) == ("VALOR_MINIMO", 5.0)
        assert await count(database, "simulator_charges") == 0

    @pytest.mark.parametrize(
        ("changes", "codigo", "fields"),
        [
            ({"amount": 1, "description": ...}, "VALOR_MINIMO", ["amount", "description"]),
            ({"amount": -1, "expires_at": "amanhã"}, "VALOR_MINIMO", ["amount", "expires_at"]),
            ({"expires_at": "", "customer_cpf": "1"}, "EXPIRACAO_INVALIDA", ["expires_at", "customer_cpf"]),
            ({"expires_at": PAST, "customer_name": ...}, "EXPIRACAO_INVALIDA", ["expires_at", "customer_name"]),
            ({"expires_at": PAST, "customer_cpf": "1"}, "EXPIRACAO_INVALIDA", ["customer_cpf", "expires_at"]),
            ({"expires_at": PAST, "amount": 1}, "VALOR_MINIMO", ["amount", "expires_at"]),
        ],
    )
    async def test_an_error_keeps_its_code_among_other_errors(
        self, merchant: Merchant, changes: dict[str, Any], codigo: str, fields: list[str]
    ) -> None:
        error = (await post(merchant, **changes)).json()["error"]
        assert (error["codigo"], sorted(field["campo"] for field in error["campos"])) == (codigo, sorted(fields))
        assert error.get("valor_minimo") == (5.0 if codigo == "VALOR_MINIMO" else None)
        assert len(fields) == 1 or all(field in error["message"] for field in fields)

    async def test_a_charge_may_expire_in_a_distant_year(self, merchant: Merchant) -> None:
        for latest in ("2099-12-31T23:59:59+00:00", "9999-12-31T23:59:59+00:00"):
            charge = await merchant.issue(expires_at=latest)
            assert charge["expires_at"] == latest
            query = "query($txid: String!) { checkoutCharge(txid: $txid) { secondsLeft } }"
            seen = await merchant.api.graphql(query, txid=charge["txid"])
            assert seen["data"] == {"checkoutCharge": {"secondsLeft": 2**31 - 1}}
            assert (await merchant.api.get(f"/pay/c/{charge['txid']}")).status_code == 200

    @pytest.mark.parametrize(("shift", "status"), [(-59, 201), (-60, 201), (-61, 400), (1, 201)])
    async def test_expiry_is_in_the_future_within_a_minute_of_tolerance(
        self, merchant: Merchant, clock: MovedClock, shift: int, status: int
    ) -> None:
        for path in ("/pix", "/charges"):
            expires = (clock.now() + timedelta(seconds=shift)).isoformat()
            response = await post(merchant, path, expires_at=expires)
            assert response.status_code == status, response.text
            if status == 400:
                assert response.json()["error"]["codigo"] == "EXPIRACAO_INVALIDA"

    @pytest.mark.parametrize(
        "expires",
        [
            *(
                "amanhã",
                "31/12/2030",
                "2030-01-01x10:00:00",
                "2030-13-01",
                "2030-02-30T00:00:00Z",
                "9999-12-31T23:59:59-01:00",
                "0001-01-01",
            ),
            *("2030-01-01T25:00:00Z", "2020-01-01T00:00:00Z", "1e400", "٢٠٣٠-٠١-٠١", "2030-01-01T00:00:00+99:99"),
            *(1893456000, 0, True, [], {}, 1.5, "99999-01-01T00:00:00Z", "x" * 5000, "", " "),
        ],
    )
    async def test_an_invalid_date_is_an_invalid_expiry(self, merchant: Merchant, expires: object) -> None:
        for path in ("/pix", "/charges"):
            response = await post(merchant, path, expires_at=expires)
            assert response.status_code == 400, response.text
            assert response.json()["error"]["codigo"] == "EXPIRACAO_INVALIDA"

    async def test_a_time_without_a_zone_is_utc_and_a_date_alone_a_day_of_sao_paulo(self, merchant: Merchant) -> None:
        cases = {
            "2029-05-01T12:00:00": datetime(2029, 5, 1, 12, tzinfo=UTC),
            "2029-05-01T12:00:00-03:00": datetime(2029, 5, 1, 15, tzinfo=UTC),
            "2029-05-01": datetime(2029, 5, 2, 2, 59, 59, 999999, tzinfo=UTC),
            " 2029-05-01T12:00:00Z ": datetime(2029, 5, 1, 12, tzinfo=UTC),
            "2029-05-01t12:00:00z": datetime(2029, 5, 1, 12, tzinfo=UTC),
        }
        for written, meant in cases.items():
            charge = await merchant.issue(expires_at=written)
            assert datetime.fromisoformat(charge["expires_at"]) == meant
        assert (await post(merchant, expires_at=None)).status_code == 201

    @pytest.mark.parametrize(
        ("changes", "fields"),
        [
            ({"description": "x" * 141}, ["description"]),
            ({"description": "a\x00b"}, ["description"]),
            ({"description": "a\nb"}, ["description"]),
            ({"description": "a\u2028b"}, ["description"]),
            ({"description": "Pedido \u202e1042"}, ["description"]),
            ({"description": "\ufeff \u200b"}, ["description"]),
            ({"customer_name": "\u2066Ana\u2069"}, ["customer_name"]),
            ({"metadata": {"cor": "\u202dazul"}}, ["metadata"]),
            ({"description": 7}, ["description"]),
            ({"description": ...}, ["description"]),
            ({"customer_name": "x" * 121}, ["customer_name"]),
            ({"customer_name": "a\x1bb"}, ["customer_name"]),
            ({"customer_name": ""}, ["customer_name"]),
            ({"customer_email": "jose"}, ["customer_email"]),
            ({"customer_email": "a@b@c.com"}, ["customer_email"]),
            ({"customer_email": "x" * 250 + "@example.com"}, ["customer_email"]),
            ({"customer_cpf": "529.982.247-26"}, ["customer_cpf"]),
            ({"customer_cpf": "000.000.000-00"}, ["customer_cpf"]),
            ({"customer_cpf": 52998224725}, ["customer_cpf"]),
            ({"customer_cpf": "５２９９８２２４７２５"}, ["customer_cpf"]),
            ({"customer_cpf": ...}, ["customer_cpf"]),
            ({"customer_phone": "99999"}, ["customer_phone"]),
            ({"customer_id": "7"}, ["customer_id"]),
            ({"success_url": "javascript:alert(1)"}, ["success_url"]),
            ({"cancel_url": "http://" + "x" * 2050}, ["cancel_url"]),
            ({"success_url": "https://a b"}, ["success_url"]),
            ({"success_url": "https://[loja"}, ["success_url"]),
            ({"success_url": "https://loja℀.example/"}, ["success_url"]),
            ({"cancel_url": "https://loja.example:99999/"}, ["cancel_url"]),
            ({"novo_cliente": "sim"}, ["novo_cliente"]),
            ({"external_reference": "x" * 121}, ["external_reference"]),
            ({"metadata": {"a": 1}}, ["metadata.a"]),
            ({"metadata": {"": "x"}}, ["metadata"]),
            ({"metadata": {"k": "x", " k ": "y"}}, ["metadata"]),
            ({"metadata": {"k" * 41: "x"}}, ["metadata"]),
            ({"metadata": {"k": "x" * 501}}, ["metadata"]),
            ({"metadata": {str(n): "x" for n in range(21)}}, ["metadata"]),
            ({"metadata": {"k": "a\x00"}}, ["metadata"]),
            ({"metadata": "x"}, ["metadata"]),
        ],
        ids=repr,
    )
    async def test_fields_out_of_bounds(
        self, merchant: Merchant, database: Database, changes: dict[str, Any], fields: list[str]
    ) -> None:
        assert await refused(merchant, **changes) == fields
        assert await count(database, "charges") == 0

    async def test_maximum_lengths_are_accepted(self, merchant: Merchant) -> None:
        charge = await merchant.issue(
            description="🔑" * 140,
            customer_name="🔑" * 120,
            customer_phone="+55 (11) 98888-7777",
            external_reference="🔑" * 120,
            metadata={f"{n:02}" + "🔑" * 38: "🔑" * 500 for n in range(20)},
            success_url="https://example.com/" + "🔑" * 2028,
            cancel_url="https://example.com/" + "🔑" * 2028,
            amount=9999999.99,
        )
        assert charge["metadata"]["00" + "🔑" * 38] == "🔑" * 500
        assert (await merchant.pay(charge["id"]))["status"] == "paid"

    @pytest.mark.parametrize("company", ["株式会社", "🔑🔑", "A" * 120, "Ação & Cia <b>", "…", "ß"])
    async def test_any_store_name_makes_a_valid_code(self, api: Api, company: str) -> None:
        merchant = await api.register_merchant(company=company)
        charge = await merchant.issue()
        assert check(charge["pix_code"], amount=12990)
        assert (await merchant.pay(charge["id"]))["store_name"] == company

    @pytest.mark.parametrize("document", ["529.982.247-25", "11222333000181", "12.abc.345/01de-35", " 52998224725 "])
    async def test_documents_are_stored_without_formatting(self, merchant: Merchant, document: str) -> None:
        charge = await merchant.issue(customer_cpf=document)
        assert charge["customer_cpf"] == "".join(filter(str.isalnum, document)).upper()

    async def test_a_coupon_without_a_product_is_ignored_with_a_notice(self, merchant: Merchant) -> None:
        response = await post(merchant, coupon_code="VERAO10")
        assert response.status_code == 201
        assert "cupom" in response.json()["aviso"]
        assert response.json()["data"]["coupon_code"] is None

    async def test_an_unknown_product_is_a_404_before_other_errors(self, merchant: Merchant) -> None:
        response = await merchant.api.post("/pix", {"product_id": UNKNOWN_ID}, token=merchant.key)
        assert response.status_code == 404
        assert set(response.json()["error"]) == {"message"}


class TestRegistering:
    async def test_a_registered_amount_has_no_minimum_but_is_positive(self, merchant: Merchant) -> None:
        response = await post(merchant, "/charges", amount=0.01, due_date="2030-01-31")
        assert response.status_code == 201
        data = response.json()["data"]
        assert (data["amount"], data["due_date"]) == (0.01, "2030-02-01T02:59:59.999999+00:00")
        assert await refused(merchant, "/charges", amount=0) == ["amount"]
        alone = await merchant.api.post("/charges", {"amount": 0}, token=merchant.key)
        fields = [field["campo"] for field in alone.json()["error"]["campos"]]
        assert sorted(fields) == ["amount", "customer_cpf", "customer_email", "customer_name", "description"]
        assert await refused(merchant, "/charges", amount=None) == ["amount"]

    @pytest.mark.parametrize("due", ["amanhã", 5, "9999-12-31T00:00:00Z", {}, True])
    async def test_a_due_date_is_a_date(self, merchant: Merchant, due: object) -> None:
        assert await refused(merchant, "/charges", due_date=due) == ["due_date"]

    async def test_all_errors_are_reported_together(self, merchant: Merchant) -> None:
        response = await merchant.api.post("/charges", {}, token=merchant.key)
        assert sorted(field["campo"] for field in response.json()["error"]["campos"]) == sorted(
            ["amount", "description", "customer_name", "customer_email", "customer_cpf"]
        )


class TestSavedPayer:
    async def _saved(self, merchant: Merchant, database: Database, **changes: Any) -> str:
        values = {"name": "Maria Salva", "email": "maria@example.com", "cpf": "11222333000181", "phone": None} | changes
        async with database.pool.acquire() as connection:
            made = await connection.fetchval(
                "insert into customers (id, user_id, environment, name, email, cpf, phone, created_at, updated_at)"
                " values (uuidv7(), $1, 'test', $2, $3, $4, $5, now(), now()) returning id",
                merchant.id,
                *(values[name] for name in ("name", "email", "cpf", "phone")),
            )
        return str(made)

    async def test_the_saved_customer_is_the_base_and_inline_fields_win(
        self, merchant: Merchant, database: Database
    ) -> None:
        saved = await self._saved(merchant, database)
        bare = {"amount": 10, "description": "x", "customer_id": saved}
        charge = (await merchant.api.post("/pix", bare, token=merchant.key)).json()["data"]
        assert (charge["customer_id"], charge["customer_name"]) == (saved, "Maria Salva")
        assert charge["customer_cpf"] == "11222333000181"
        override = bare | {"customer_name": "Outra", "customer_cpf": "529.982.247-25"}
        charge = (await merchant.api.post("/pix", override, token=merchant.key)).json()["data"]
        assert (charge["customer_name"], charge["customer_email"]) == ("Outra", "maria@example.com")
        assert charge["customer_cpf"] == "52998224725"

    async def test_fields_missing_in_the_saved_customer_are_reported(
        self, merchant: Merchant, database: Database
    ) -> None:
        saved = await self._saved(merchant, database, cpf=None, email=None)
        response = await merchant.api.post("/pix", {"customer_id": saved}, token=merchant.key)
        assert sorted(field["campo"] for field in response.json()["error"]["campos"]) == [
            *("amount", "customer_cpf", "customer_email", "description"),
        ]

    async def test_a_customer_of_another_store_is_not_found(
        self, api: Api, merchant: Merchant, database: Database
    ) -> None:
        saved = await self._saved(await api.register_merchant(), database)
        response = await post(merchant, customer_id=saved)
        assert response.status_code == 404
        assert "Maria" not in response.text


class TestReferences:
    async def test_a_repeat_is_refused_with_the_charge_s_id(self, merchant: Merchant) -> None:
        first = await merchant.issue(external_reference="pedido-1")
        for path in ("/pix", "/charges"):
            error = (await post(merchant, path, external_reference=" pedido-1 ")).json()["error"]
            assert (error["codigo"], error["id"]) == ("REFERENCIA_DUPLICADA", first["id"])
        await merchant.pay(first["id"])
        assert (await post(merchant, external_reference="pedido-1")).status_code == 409

    async def test_twenty_concurrent_orders_create_one_charge(self, merchant: Merchant, database: Database) -> None:
        answers = await asyncio.gather(*(post(merchant, external_reference="pedido-1") for _ in range(20)))
        assert sorted(answer.status_code for answer in answers) == [201] + [409] * 19
        assert await count(database, "charges") == 1
        assert await count(database, "issuances") == 0
        made = next(answer.json()["data"]["id"] for answer in answers if answer.status_code == 201)
        refused = [answer.json()["error"] for answer in answers if answer.status_code == 409]
        assert {error["codigo"] for error in refused} == {"REFERENCIA_DUPLICADA"}
        # While the charge is being issued, the error has no id.
        assert {error["id"] for error in refused if "id" in error} <= {made}

    async def test_references_are_unique_per_store_and_environment(
        self, api: Api, merchant: Merchant, services: Services
    ) -> None:
        await merchant.issue(external_reference="pedido-1")
        await (await api.register_merchant()).issue(external_reference="pedido-1")
        await set_status(services.database, merchant, "approved")
        live = await live_session(Scene(api, services, merchant, merchant))
        made = await api.post("/pix", charge_order(external_reference="pedido-1"), token=live)
        assert made.status_code == 201

    @pytest.mark.parametrize("swept", [True, False])
    async def test_an_expired_charge_releases_its_reference_and_may_still_be_paid(
        self, merchant: Merchant, services: Services, clock: MovedClock, database: Database, swept: bool
    ) -> None:
        """The late payment is accepted although another charge has the reference; that one stays payable."""
        old = await merchant.issue(external_reference="pedido-1")
        clock.advance(timedelta(hours=25))
        if swept:
            assert await expire_charges(system_context(services, source="job", request_id="t")) == 1
        new = await merchant.issue(external_reference="pedido-1")
        paid_old = await merchant.pay(old["id"])
        assert (paid_old["status"], paid_old["paid_late"]) == ("paid", True)
        assert (await merchant.pay(new["id"]))["status"] == "paid"
        assert await count(database, "audit_trail", "action = 'charge.expired'") == 1

    @pytest.mark.parametrize(("change", "status"), [("status = 'expired'", 201), ("held_at = now()", 409)])
    async def test_an_overdue_charge_that_changes_meanwhile_holds_its_reference_only_while_pending(
        self, merchant: Merchant, clock: MovedClock, database: Database, change: str, status: int
    ) -> None:
        old = await merchant.issue(external_reference="pedido-1")
        clock.advance(timedelta(hours=25))
        async with database.transaction() as transaction:
            await transaction.connection.execute(f"update charges set {change} where id = $1", old["id"])
            order = asyncio.create_task(post(merchant, external_reference="pedido-1"))
            await wait_until_blocked(database, order)
        assert (await order).status_code == status


class TestReading:
    async def test_by_id_or_txid(self, merchant: Merchant) -> None:
        charge = await merchant.issue()
        for path in (
            f"/pix/{charge['id']}",
            f"/PIX/{charge['id'].upper()}/",
            f"/charges/{charge['id']}",
            f"/pix/status?id={charge['id']}",
            f"/pix/status?txid={charge['txid']}",
        ):
            response = await merchant.api.get(path, token=merchant.key)
            assert response.status_code == 200, path
            assert response.json()["data"] == charge

    @pytest.mark.parametrize("query", ["", "?", "?txid=", "?id=&txid=", "?outro=1"])
    async def test_an_invalid_id_is_a_400(self, merchant: Merchant, query: str) -> None:
        response = await merchant.api.get(f"/pix/status{query}", token=merchant.key)
        assert response.status_code == 400
        assert response.json()["error"]["campos"]

    @pytest.mark.parametrize(
        "path",
        [
            *("/pix/1", "/pix/%00", "/pix/..%2f..", "/pix/ção", "/charges/null", f"/pix/{UNKNOWN_ID}", "/pix/%ff"),
            *(
                f"/pix/{UNKNOWN_ID}x",
                f"/pix/{{{UNKNOWN_ID}}}",
                f"/pix/{UNKNOWN_ID.replace('-', '')}",
                "/pix/" + "9" * 3000,
            ),
            *(f"/pix/status?id={UNKNOWN_ID}", "/pix/status?id=1", "/pix/status?txid=naoexiste"),
        ],
    )
    async def test_an_unknown_id_is_a_404(self, merchant: Merchant, path: str) -> None:
        response = await merchant.api.get(path, token=merchant.key)
        assert response.status_code == 404, response.text
        assert set(response.json()["error"]) == {"message"}

    async def test_charges_of_other_stores_and_environments_are_not_found(
        self, api: Api, merchant: Merchant, services: Services
    ) -> None:
        charge = await merchant.issue()
        stranger = await api.register_merchant()
        await set_status(services.database, merchant, "approved")
        live = await live_session(Scene(api, services, merchant, merchant))
        for token in (stranger.key, stranger.token, live):
            for query in (f"id={charge['id']}", f"txid={charge['txid']}"):
                response = await api.get(f"/pix/status?{query}", token=token)
                assert response.status_code == 404
                assert charge["txid"] not in response.text


class TestExpiry:
    async def test_on_read_and_by_the_periodic_job(
        self, merchant: Merchant, services: Services, clock: MovedClock, database: Database
    ) -> None:
        charge = await merchant.issue(expires_at=(clock.now() + timedelta(minutes=10)).isoformat())
        clock.advance(timedelta(minutes=10))
        read = (await merchant.api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]
        assert (read["status"], read["qr_code_url"]) == ("expired", None)
        assert await count(database, "charges", "status = 'pending'") == 1
        ctx = system_context(services, source="job", request_id="job")
        assert [await expire_charges(ctx) for _ in range(2)] == [1, 0]
        assert await count(database, "charges", "status = 'expired'") == 1
        assert await count(database, "webhook_events") == 1, "expiry has no event"
        async with database.pool.acquire() as connection:
            record = await connection.fetchrow("select * from audit_trail where action = 'charge.expired'")
        assert (record["actor_type"], record["store_id"], record["environment"]) == ("system", merchant.id, "test")

    @pytest.mark.parametrize("swept", [True, False])
    async def test_a_late_payment_is_accepted(
        self, merchant: Merchant, services: Services, clock: MovedClock, database: Database, swept: bool
    ) -> None:
        charge = await merchant.issue()
        clock.advance(timedelta(hours=30))
        if swept:
            await expire_charges(system_context(services, source="job", request_id="job"))
        paid = await merchant.pay(charge["id"])
        assert (paid["status"], paid["paid_late"]) == ("paid", True)
        assert await count(database, "webhook_events", "type = 'charge.paid'") == 1
        assert await expire_charges(system_context(services, source="job", request_id="job")) == 0
        assert (await merchant.pay(charge["id"])) == paid


class TestSimulating:
    async def test_paying_twice_changes_nothing(self, merchant: Merchant, database: Database) -> None:
        charge = await merchant.issue()
        by_txid = await merchant.api.post("/pix/simulate-payment", {"txid": charge["txid"]}, token=merchant.token)
        assert by_txid.status_code == 200
        assert by_txid.json()["data"]["store_document"] == "11222333000181"
        assert await merchant.pay(charge["id"]) == by_txid.json()["data"]
        assert await count(database, "webhook_events", "type = 'charge.paid'") == 1
        assert await count(database, "audit_trail", "action = 'charge.paid'") == 1

    async def test_live_is_refused_before_the_charge_is_read(
        self, api: Api, merchant: Merchant, services: Services
    ) -> None:
        await set_status(services.database, merchant, "approved")
        live = await live_session(Scene(api, services, merchant, merchant))
        charge = (await api.post("/pix", charge_order(), token=live)).json()["data"]
        for body in ({"id": charge["id"]}, {"id": UNKNOWN_ID}, {}):
            response = await api.post("/pix/simulate-payment", body, token=live)
            assert (response.status_code, response.json()["error"]["codigo"]) == (409, "SOMENTE_TESTE")
        assert (await api.get(f"/pix/{charge['id']}", token=live)).json()["data"]["status"] == "pending"

    @pytest.mark.parametrize("body", [{"id": 5}, {"id": []}, {"txid": {}}, {"txid": "a\x00"}, {"id": None, "txid": ""}])
    async def test_bad_names(self, merchant: Merchant, body: dict[str, object]) -> None:
        response = await merchant.api.post("/pix/simulate-payment", body, token=merchant.key)
        assert response.status_code == 400


BODIES: list[Callable[[str], bytes]] = [
    lambda _: b"",
    lambda _: b"{",
    lambda _: b"[1,2]",
    lambda _: b"\xff\xfe",
    lambda _: b'{"id": 7, "id": 8}',
    lambda charge_id: b'{"id": "' + charge_id.encode() + b'"}',
]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("act", ["cancel", "refund"])
async def test_cancel_and_refund_are_not_supported(
    merchant: Merchant, database: Database, act: str, body: Callable[[str], bytes]
) -> None:
    charge = await merchant.issue()
    for content_type in ("application/json", "text/plain"):
        headers = {"authorization": f"Bearer {merchant.key}", "content-type": content_type}
        response = await merchant.api.client.post(f"/pix/{act}", content=body(charge["id"]), headers=headers)
        assert response.status_code == 502
        error = response.json()["error"]
        assert set(error) == {"message"}
        assert "origem" in error["message"]
    assert (await merchant.api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"] == charge
    assert await count(database, "audit_trail", f"action = 'charge.{act}_refused'") == 2
    assert (await merchant.api.client.post(f"/pix/{act}", content=body(charge["id"]))).status_code == 401


async def test_a_charge_is_never_deleted(merchant: Merchant) -> None:
    charge = await merchant.issue()
    response = await merchant.api.delete(f"/pix/{charge['id']}", token=merchant.key)
    assert response.status_code == 405
    assert "GET" in response.headers["allow"]


class InterruptedEngine(Simulator):
    """Runs a callback during the engine call."""

    meanwhile: Callable[[], Awaitable[Any]]

    async def create_charge(self, wanted: NewCharge) -> EngineCharge:
        made = await super().create_charge(wanted)
        await self.meanwhile()
        return made


async def a_customer(merchant: Merchant) -> str:
    customer = await merchant.api.post("/customers", {"name": "Maria"}, token=merchant.key)
    found: str = customer.json()["data"]["id"]
    return found


async def test_a_customer_deleted_during_the_engine_call_leaves_no_reference(
    settings: Settings, services: Services, database: Database, clock: MovedClock, merchant: Merchant
) -> None:
    engine = simulator(database, clock, kind=InterruptedEngine)
    interrupted = replace(services, engines=replace(services.engines, test=engine))
    customer = await a_customer(merchant)
    engine.meanwhile = lambda: merchant.api.delete(f"/customers/{customer}", token=merchant.key)

    async with Api.of(Gateway(settings, interrupted)) as api:
        answer = await api.post("/pix", charge_order(customer_id=customer), token=merchant.key)

    assert answer.status_code == 201
    assert (await merchant.api.get(f"/customers/{customer}", token=merchant.key)).status_code == 404
    charge = (await merchant.api.get(f"/pix/{answer.json()['data']['id']}", token=merchant.key)).json()["data"]
    assert (charge["customer_id"], charge["customer_name"]) == (None, "José Pagador")


async def test_concurrent_issuing_and_deleting_leave_no_reference(merchant: Merchant, database: Database) -> None:
    customers = [await a_customer(merchant) for _ in range(10)]
    issued = (post(merchant, customer_id=customer) for customer in customers for _ in range(3))
    deleted = (merchant.api.delete(f"/customers/{customer}", token=merchant.key) for customer in customers)
    answers = await asyncio.gather(*issued, *deleted)
    assert {answer.status_code for answer in answers[:30]} <= {201, 404}
    assert [answer.status_code for answer in answers[30:]] == [200] * 10
    assert await count(database, "charges", "customer_id is not null") == 0


async def test_the_payment_time_is_never_before_the_creation(
    services: Services, merchant: Merchant, database: Database
) -> None:
    charge = await merchant.issue()
    ctx = system_context(services, source="engine", request_id="test")
    row = await database.one(BY_ID, id=charge["id"], environment="test", now=services.clock.now())
    assert row is not None
    assert await mark_paid(ctx, row, Payment(row["created_at"] - timedelta(seconds=2), None))
    paid = (await merchant.api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]
    assert (paid["status"], paid["paid_at"]) == ("paid", paid["created_at"])


@pytest.mark.parametrize(
    "never", ["9999-12-31T23:59:59.9999999", "9999-12-31T23:59:59.999999Z", "9999-12-31T20:59:59.999999-03:00"]
)
async def test_a_charge_with_the_maximum_expiry_can_be_paid(merchant: Merchant, never: str) -> None:
    """Programs write their maximum timestamp."""
    issued = await post(merchant, "/pix", expires_at=never)
    charge = issued.json()["data"]
    assert (issued.status_code, charge["expires_at"]) == (201, "9999-12-31T23:59:59.999998+00:00")
    for path in (f"/pay/c/{charge['txid']}", f"/checkout/{charge['txid']}"):
        assert (await merchant.api.get(path)).status_code == 200
    assert (await merchant.pay(charge["id"]))["status"] == "paid"

"""Each engine with control over its bank, so that one suite tests all engines."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from gateway.integrations.banks.profiles import Bank
from gateway.integrations.banks.settings import BankSettings
from gateway.integrations.engines.asaas import AsaasClient, AsaasEngine
from gateway.integrations.engines.bcb import BankClient, BcbEngine, Connection
from gateway.integrations.engines.interface import (
    Account,
    Engine,
)
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.integrations.engines.simulator.transfers import BALANCE
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.values.clock import Clock
from gateway.values.engine_capabilities import Capability
from tests.engines.fake_asaas import FakeAsaas, dropped, html, refusal
from tests.engines.fake_bcb import FakeBcb, problem
from tests.engines.fake_bcb import dropped as bank_dropped
from tests.engines.fake_bcb import html as bank_html
from tests.sql import value

TOKEN = "notifications-token-0a9b8c7d6e5f4a3b2c1d"
ROUTES = {
    "create_charge": "POST /payments",
    "find_charge": "GET /payments",
    "read_charge": "GET /payments/{id}",
    "cancel_charge": "DELETE /payments/{id}",
    "confirm_test": "POST /sandbox/payment/{id}/confirm",
    "open_account": "POST /accounts",
    "find_account": "GET /accounts",
    "account_status": "GET /myAccount/status",
    "transfer_fee": "GET /myAccount/fees/",
    "create_transfer": "POST /transfers",
    "find_transfer": "GET /transfers",
    "read_transfer": "GET /transfers/{id}",
    "cancel_transfer": "DELETE /transfers/{id}/cancel",
    "create_refund": "POST /payments/{id}/refund",
    "list_refunds": "GET /payments/{id}/refunds",
}
"""The call at Asaas that decides the outcome of each method."""


def needs(*capabilities: Capability) -> pytest.MarkDecorator:
    """Run a test only for engines with these capabilities."""
    return pytest.mark.needs(frozenset(capabilities))


def of(*engines: str) -> pytest.MarkDecorator:
    """Run a test only for these engines."""
    return pytest.mark.of(frozenset(engines))


class EngineHarness(Protocol):
    """`fee` is the bank's own fee per charge, in centavos."""

    engine: Engine
    fee: int

    def plan(self, method: str, how: Behaviour) -> None:
        """Set the behaviour of the method's next call."""

    async def pay(self, engine_id: str) -> dict[str, Any] | None:
        """Pay a charge. Return the notification, if the engine needs one."""

    async def approve(self, account: Account) -> dict[str, Any] | None:
        """Approve the account at the bank."""

    async def finish(self, engine_id: str, *, well: bool) -> dict[str, Any] | None:
        """Complete or fail a transfer."""

    async def finish_refund(self, charge_id: str, *, well: bool) -> dict[str, Any] | None:
        """Complete or fail the charge's pending refund, if there is one. Return the notification, if there is one."""

    async def balance(self, account: Account | None = None) -> int:
        """What the account could transfer now, in centavos."""

    async def count(self, kind: str) -> int:
        """Return the number of `charges`, `accounts`, `transfers` or `refunds` at the bank."""


async def simulator_balance(database: Database, environment: Environment, account: Account | None = None) -> int:
    """What the account could transfer now, in centavos."""
    return int(await database.value(BALANCE, environment=environment, account_id=account.id if account else None))


class SimulatorHarness:
    fee = 0

    def __init__(self, simulator: Simulator, database: Database) -> None:
        self.engine = simulator
        self._database = database

    def plan(self, method: str, how: Behaviour) -> None:
        self.engine.scenario.plan(method, how)

    async def pay(self, engine_id: str) -> dict[str, Any] | None:
        charge = await self.engine.read_charge(engine_id)
        assert charge
        payment = {"id": engine_id, "externalReference": charge.external_reference, "value": charge.amount / 100}
        return {"id": f"evt_{engine_id}", "event": "PAYMENT_RECEIVED", "payment": payment}

    async def approve(self, account: Account) -> dict[str, Any] | None:
        return {"id": "evt_a", "event": "ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED", "account": {"id": account.id}}

    async def finish(self, engine_id: str, *, well: bool) -> dict[str, Any] | None:
        event = "TRANSFER_DONE" if well else "TRANSFER_FAILED"
        return {"id": f"evt_{engine_id}", "event": event, "transfer": {"id": engine_id}}

    async def finish_refund(self, charge_id: str, *, well: bool) -> None:
        """The simulator ends a refund when it is ordered."""

    async def balance(self, account: Account | None = None) -> int:
        return await simulator_balance(self._database, Environment.test, account)

    async def count(self, kind: str) -> int:
        return int(await value(self._database, f"select count(*) from simulator_{kind}"))


class AsaasHarness:
    """The adapter over HTTP, with the fake as Asaas."""

    fee = 199

    def __init__(self, engine: AsaasEngine, fake: FakeAsaas) -> None:
        self.engine = engine
        self.fake = fake

    def plan(self, method: str, how: Behaviour) -> None:
        faults = {
            Behaviour.refuse: refusal(),
            Behaviour.unavailable: html(503),
            Behaviour.timeout_before: dropped(done=False),
            Behaviour.timeout_after: dropped(done=True),
        }
        self.fake.plan(ROUTES[method], faults[how])

    async def pay(self, engine_id: str) -> dict[str, Any] | None:
        return self.fake.bank.pay(engine_id)

    async def approve(self, account: Account) -> dict[str, Any] | None:
        holder = self.fake.bank.account(account.id)
        holder.status = dict.fromkeys(holder.status, "APPROVED")
        status = {"id": account.id, **holder.status}
        return self.fake.bank.notification("ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED", holder, accountStatus=status)

    async def finish(self, engine_id: str, *, well: bool) -> dict[str, Any] | None:
        holder = next(holder for holder in self.fake.bank.holders.values() if engine_id in holder.transfers)
        transfer = holder.transfers[engine_id]
        done = {"status": "DONE", "endToEndIdentifier": "E00416968202611211635aaaaaaaaaaa"}
        transfer |= done if well else {"status": "FAILED", "failReason": "Chave Pix não encontrada."}
        holder.balance += 0 if well else transfer["value"]
        return self.fake.bank.notification(
            "TRANSFER_DONE" if well else "TRANSFER_FAILED", holder, transfer=dict(transfer)
        )

    async def finish_refund(self, charge_id: str, *, well: bool) -> dict[str, Any] | None:
        return self.fake.bank.finish_refund(charge_id, well=well)

    async def balance(self, account: Account | None = None) -> int:
        bank = self.fake.bank
        return round((bank.account(account.id) if account else bank.main).balance * 100)

    async def count(self, kind: str) -> int:
        if kind == "refunds":
            return sum(len(payment["refunds"] or []) for payment in self.fake.bank.all("payments"))
        if kind == "accounts":
            return len(self.fake.bank.holders) - 1
        return len(self.fake.bank.all({"charges": "payments"}.get(kind, kind)))


BCB_ROUTES = {
    "create_charge": "PUT /cob/{id}",
    "find_charge": "GET /cob/{id}",
    "read_charge": "GET /cob/{id}",
    "cancel_charge": "PATCH /cob/{id}",
    "create_refund": "PUT /pix/{id}/devolucao/{refund}",
    "list_refunds": "GET /pix/{id}",
}
"""The call at a bank of the Central Bank's API that decides the outcome of each method."""


class BcbHarness:
    """The engine `bcb` over mutual TLS, with the fake as its bank."""

    fee = 0

    def __init__(self, engine: BcbEngine, fake: FakeBcb) -> None:
        self.engine = engine
        self.fake = fake

    def plan(self, method: str, how: Behaviour) -> None:
        faults = {
            Behaviour.refuse: problem(),
            Behaviour.unavailable: bank_html(503),
            Behaviour.timeout_before: bank_dropped(done=False),
            Behaviour.timeout_after: bank_dropped(done=True),
        }
        self.fake.plan(BCB_ROUTES[method], faults[how])

    async def pay(self, engine_id: str) -> dict[str, Any] | None:
        return self.fake.callback(self.fake.bank.pay(engine_id))

    async def approve(self, account: Account) -> dict[str, Any] | None:
        raise NotImplementedError

    async def finish(self, engine_id: str, *, well: bool) -> dict[str, Any] | None:
        raise NotImplementedError

    async def finish_refund(self, charge_id: str, *, well: bool) -> dict[str, Any] | None:
        [pix] = self.fake.bank.cobs[charge_id].pix
        refund_id = pix["devolucoes"][-1]["id"]
        reason = "" if well else "Conta do pagador encerrada."
        return self.fake.callback(self.fake.bank.finish_return(pix["endToEndId"], refund_id, reason=reason))

    async def balance(self, account: Account | None = None) -> int:
        raise NotImplementedError

    async def count(self, kind: str) -> int:
        if kind == "refunds":
            return sum(len(pix.get("devolucoes", [])) for pix in self.fake.bank.pix.values())
        assert kind == "charges"
        return len(self.fake.bank.cobs)


def bank_settings(fake: FakeBcb, folder: Path, **changes: Any) -> BankSettings:
    """Return settings of the fake bank, which authenticates clients as Inter does."""
    values = {
        "bank": Bank.inter,
        "url": fake.url,
        "token_url": fake.token_url,
        "client_id": fake.bank.client_id,
        "client_secret": fake.bank.client_secret,
        "certificate": folder / "client.pem",
        "ca": folder / "ca.pem",
        "pix_key": fake.bank.key,
    }
    return BankSettings.model_validate(values | changes)


@asynccontextmanager
async def bcb_engine(
    settings: BankSettings,
    clock: Clock,
    *,
    deadline: float = 60.0,
    environment: Environment = Environment.test,
    monotonic: Callable[[], float] = time.monotonic,
) -> AsyncIterator[BcbEngine]:
    """The engine with a connection of its own."""
    connection = Connection(settings.files, environment, monotonic)
    client = BankClient(connection, settings, environment, deadline=deadline, clock=monotonic)
    options = {"base_url": "https://gateway.example.com", "token": TOKEN}
    yield BcbEngine(connection, client, settings, clock, environment, **options)
    await connection.close()


def asaas_engine(
    http: Any, fake: FakeAsaas, database: Database, clock: Clock, *, deadline: float = 60.0, **changes: Any
) -> AsaasEngine:
    """Return the adapter with the fake's key."""
    client = AsaasClient(http, fake.url, changes.pop("key", fake.bank.main.key), deadline=deadline)
    options = {"base_url": "https://gateway.example.com", "token": TOKEN, "email": "staff@example.com", **changes}
    environment = options.pop("environment", Environment.test)
    return AsaasEngine(client, database, clock, environment, **options)

"""The engine `simulator` of one environment."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from gateway.integrations.engines.errors import EngineRefused
from gateway.integrations.engines.interface import (
    Account,
    AccountStatus,
    EngineCharge,
    EngineRefund,
    EngineTransfer,
    HealthCheckResult,
    NewAccount,
    NewCharge,
    NewRefund,
    NewTransfer,
    OpenedAccount,
    Subject,
)
from gateway.integrations.engines.notifications import parse_notifications
from gateway.integrations.engines.simulator.accounts import AccountStore
from gateway.integrations.engines.simulator.charges import ChargeStore, payment_notification
from gateway.integrations.engines.simulator.refunds import RefundStore
from gateway.integrations.engines.simulator.scenario import NO_RESPONSE, Behaviour, Scenario, fail_early, fail_late
from gateway.integrations.engines.simulator.transfers import TransferStore
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.values.clock import Clock
from gateway.values.engine_capabilities import CAPABILITIES


class Simulator:
    """An engine without a bank. `host` is in its BR Codes' URLs; `documents_page` is the documents link of accounts."""

    name = "simulator"
    has_bank = False
    capabilities = CAPABILITIES["simulator"]
    pays_test_charges = True
    parse_notifications = staticmethod(parse_notifications)

    def __init__(
        self,
        database: Database,
        clock: Clock,
        environment: Environment,
        *,
        host: str,
        documents_page: str,
    ) -> None:
        self._charges = ChargeStore(database, clock, environment, f"{host}/simulator/pix")
        self._accounts = AccountStore(database, clock, environment, documents_page)
        self._transfers = TransferStore(database, clock, environment)
        self._refunds = RefundStore(database, clock, environment)
        self.scenario = Scenario()
        self.responding = True

    async def create_charge(self, request: NewCharge) -> EngineCharge:
        behaviour = await self._begin("create_charge", request.account)
        created = await self._charges.create(request)
        fail_late(behaviour)
        if behaviour is not Behaviour.bad_code:
            return created
        return replace(created, br_code=created.br_code[:-1] + ("0" if created.br_code[-1] != "0" else "1"))

    async def find_charge(
        self, external_reference: str, _txid: str, account: Account | None = None
    ) -> EngineCharge | None:
        await self._begin("find_charge", account)
        return await self._charges.find(external_reference)

    async def read_charge(self, engine_id: str, account: Account | None = None) -> EngineCharge | None:
        await self._begin("read_charge", account)
        return await self._charges.read(engine_id)

    async def cancel_charge(self, engine_id: str, account: Account | None = None) -> None:
        await self._begin("cancel_charge", account)
        await self._charges.cancel(engine_id)

    async def confirm_test(self, engine_id: str, account: Account | None = None) -> bytes | None:
        behaviour = await self._begin("confirm_test", account)
        row = await self._charges.by_id(engine_id)
        if row is None:
            raise EngineRefused("the simulator has no such charge")
        amount = row["amount"] + 1 if behaviour is Behaviour.wrong_amount else row["amount"]
        paid = await self._charges.pay(engine_id, amount)
        if behaviour in {Behaviour.duplicate, Behaviour.late}:
            self.scenario.pending_notifications.append(payment_notification(paid))
        return None if behaviour is Behaviour.late else payment_notification(paid)

    async def open_account(self, request: NewAccount) -> OpenedAccount:
        behaviour = await self._begin("open_account")
        opened = await self._accounts.open(request)
        fail_late(behaviour)
        return replace(opened, webhook_registered=behaviour is not Behaviour.webhook_not_registered)

    async def find_account(self, document: str) -> str | None:
        await self._begin("find_account")
        return await self._accounts.find(document)

    async def account_status(self, account: Account) -> AccountStatus:
        await self._begin("account_status")
        return await self._accounts.status(account)

    async def register_webhook(self, account: Account | None = None) -> None:
        """Nothing to register: simulated notifications are processed in this process."""
        await self._begin("register_webhook", account)

    async def transfer_fee(self, account: Account | None = None) -> int:
        await self._begin("transfer_fee", account)
        return 0

    async def create_transfer(self, request: NewTransfer) -> EngineTransfer:
        behaviour = await self._begin("create_transfer", request.account)
        transfer = await self._transfers.create(request)
        fail_late(behaviour)
        return transfer

    async def find_transfer(
        self, external_reference: str, ordered_at: datetime, account: Account | None = None
    ) -> EngineTransfer | None:
        await self._begin("find_transfer", account)
        return await self._transfers.find(external_reference, ordered_at)

    async def read_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer | None:
        await self._begin("read_transfer", account)
        return await self._transfers.read(engine_id)

    async def cancel_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer:
        behaviour = await self._begin("cancel_transfer", account)
        canceled = await self._transfers.cancel(engine_id)
        fail_late(behaviour)
        return canceled

    async def create_refund(self, request: NewRefund) -> EngineRefund:
        behaviour = await self._begin("create_refund", request.account)
        refund = await self._refunds.create(request)
        fail_late(behaviour)
        return refund

    async def list_refunds(
        self, charge_id: str, _end_to_end_id: str | None, account: Account | None = None
    ) -> list[EngineRefund]:
        await self._begin("list_refunds", account)
        return await self._refunds.of_charge(charge_id)

    async def apply_notification(self, body: Mapping[str, Any]) -> None:
        for notification in parse_notifications(body):
            if notification.subject is Subject.charge:
                await self._charges.apply_notification(notification)
            elif notification.subject is Subject.account:
                await self._accounts.apply_notification(notification, body)
            elif notification.subject is Subject.transfer:
                await self._transfers.apply_notification(notification, body)

    async def check_health(self) -> list[HealthCheckResult]:
        """Nothing to check: it needs only the database."""
        return []

    async def _begin(self, method: str, account: Account | None = None) -> Behaviour | None:
        """Raise the planned error of a call that creates nothing. Returns the planned behaviour otherwise."""
        behaviour = self.scenario.next(method)
        self.responding = behaviour not in NO_RESPONSE
        fail_early(behaviour)
        if account is not None:
            await self._accounts.authenticate(account)
        return behaviour

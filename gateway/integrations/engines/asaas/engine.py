"""The engine `asaas` of one environment: what the port asks, in Asaas' words."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gateway.integrations.engines import notices
from gateway.integrations.engines.asaas.accounts import Accounts
from gateway.integrations.engines.asaas.charges import Charges
from gateway.integrations.engines.asaas.checkup import check_up
from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.payers import ENGINE, Payers
from gateway.integrations.engines.asaas.registration import Registration
from gateway.integrations.engines.asaas.transfers import Transfers
from gateway.integrations.engines.port import (
    Account,
    AccountStatus,
    EngineCharge,
    EngineRefused,
    EngineTransfer,
    NewAccount,
    NewCharge,
    NewTransfer,
    Notice,
    OpenedAccount,
    Symptom,
)
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.values.clock import Clock


class AsaasEngine:
    """A main account at Asaas, and its subaccounts. In `test` it must be an account of the sandbox.

    `base_url` is the gateway's own public address, `token` what notices are recognised by, `email` whom Asaas warns.
    """

    name = ENGINE
    has_bank = True

    def __init__(
        self,
        client: AsaasClient,
        database: Database,
        clock: Clock,
        environment: Environment,
        *,
        base_url: str,
        token: str,
        email: str | None = None,
    ) -> None:
        self._client = client
        self._environment = environment
        self._registration = Registration(client, base_url, token, email)
        self._charges = Charges(client, Payers(client, database, clock, environment), clock)
        self._accounts = Accounts(client, self._registration, clock, environment)
        self._transfers = Transfers(client)

    @property
    def answers(self) -> bool:
        return self._client.answers

    async def create_charge(self, wanted: NewCharge) -> EngineCharge:
        return await self._charges.create(wanted)

    async def find_charge(self, external_reference: str, account: Account | None = None) -> EngineCharge | None:
        return await self._charges.find(external_reference, account)

    async def read_charge(self, engine_id: str, account: Account | None = None) -> EngineCharge | None:
        return await self._charges.read(engine_id, account)

    async def retire_charge(self, engine_id: str, account: Account | None = None) -> None:
        await self._charges.retire(engine_id, account)

    async def confirm_test(self, engine_id: str, account: Account | None = None) -> bytes | None:
        if self._environment is not Environment.test:
            raise EngineRefused("only the sandbox confirms a payment that nobody made")
        return await self._charges.confirm(engine_id, account)

    async def open_account(self, wanted: NewAccount) -> OpenedAccount:
        return await self._accounts.open(wanted)

    async def find_account(self, document: str) -> str | None:
        return await self._accounts.find(document)

    async def account_status(self, account: Account) -> AccountStatus:
        return await self._accounts.status(account)

    async def register_notices(self, account: Account | None = None) -> None:
        await self._registration.register(account)

    async def balance(self, account: Account | None = None) -> int:
        return await self._transfers.balance(account)

    async def create_transfer(self, wanted: NewTransfer) -> EngineTransfer:
        return await self._transfers.create(wanted)

    async def find_transfer(
        self, external_reference: str, ordered_at: datetime, account: Account | None = None
    ) -> EngineTransfer | None:
        return await self._transfers.find(external_reference, ordered_at, account)

    async def read_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer | None:
        return await self._transfers.read(engine_id, account)

    async def cancel_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer:
        return await self._transfers.cancel(engine_id, account)

    async def hear(self, body: Mapping[str, Any]) -> None:
        """Asaas' own record is Asaas' to write; it is read again before anything is believed."""

    def translate(self, body: Mapping[str, Any]) -> Notice | None:
        return notices.translate(body)

    async def check_up(self) -> list[Symptom]:
        return await check_up(self._client, self._registration)

"""The engine of an environment that has none: live, while `GATEWAY_ENGINE_LIVE` isn't set. Every call is refused."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NoReturn

from gateway.engines.port import (
    Account,
    AccountStatus,
    EngineCharge,
    EngineNotConfigured,
    EngineTransfer,
    NewAccount,
    NewCharge,
    NewTransfer,
    Notice,
    OpenedAccount,
    Symptom,
)

NAME = "none"
UNSET = (
    "GATEWAY_ENGINE_LIVE is not set: no store can be approved and live charges are refused; "
    "set it to asaas, or to simulator for a rehearsal"
)


class AbsentEngine:
    """Refuses every call with `EngineNotConfigured`, so nothing of ours needs a case for it."""

    name = NAME
    has_bank = True
    answers = True

    async def create_charge(self, wanted: NewCharge) -> EngineCharge:
        self._refuse()

    async def find_charge(self, external_reference: str, account: Account | None = None) -> EngineCharge | None:
        self._refuse()

    async def read_charge(self, engine_id: str, account: Account | None = None) -> EngineCharge | None:
        self._refuse()

    async def retire_charge(self, engine_id: str, account: Account | None = None) -> None:
        self._refuse()

    async def confirm_test(self, engine_id: str, account: Account | None = None) -> bytes | None:
        self._refuse()

    async def open_account(self, wanted: NewAccount) -> OpenedAccount:
        self._refuse()

    async def find_account(self, document: str) -> str | None:
        self._refuse()

    async def account_status(self, account: Account) -> AccountStatus:
        self._refuse()

    async def register_notices(self, account: Account | None = None) -> None:
        self._refuse()

    async def balance(self, account: Account | None = None) -> int:
        self._refuse()

    async def create_transfer(self, wanted: NewTransfer) -> EngineTransfer:
        self._refuse()

    async def find_transfer(
        self, external_reference: str, ordered_at: datetime, account: Account | None = None
    ) -> EngineTransfer | None:
        self._refuse()

    async def read_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer | None:
        self._refuse()

    async def cancel_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer:
        self._refuse()

    async def hear(self, body: Mapping[str, Any]) -> None:
        """No engine sends notices here."""

    def translate(self, body: Mapping[str, Any]) -> Notice | None:
        """Read a notice; None for every one."""
        return None

    async def check_up(self) -> list[Symptom]:
        """Nothing to look at; `gateway doctor` reports the setting itself."""
        return []

    def _refuse(self) -> NoReturn:
        raise EngineNotConfigured(UNSET)

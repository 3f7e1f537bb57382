"""The engine `simulator` of one environment: what the port asks, answered from the simulator's books."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from gateway.integrations.engines import notices
from gateway.integrations.engines.port import (
    Account,
    AccountStatus,
    EngineCharge,
    EngineError,
    EngineRefused,
    EngineTransfer,
    NewAccount,
    NewCharge,
    NewTransfer,
    Notice,
    OpenedAccount,
    Subject,
    Symptom,
)
from gateway.integrations.engines.simulator.accounts import AccountBook
from gateway.integrations.engines.simulator.charges import ChargeBook, engine_charge, payment_notice
from gateway.integrations.engines.simulator.script import SILENT, Behaviour, Script, fail_early, fail_late
from gateway.integrations.engines.simulator.transfers import TransferBook, engine_transfer
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.values.clock import Clock


class Simulator:
    """An engine without a bank. `host` is where the addresses in its BR Codes seem to be, and `documents_page` what it
    tells the holders of accounts who have documents to send.
    """

    name = "simulator"
    has_bank = False

    def __init__(
        self,
        database: Database,
        clock: Clock,
        environment: Environment,
        *,
        host: str,
        documents_page: str,
        script: Script | None = None,
    ) -> None:
        self._charges = ChargeBook(database, clock, environment, f"{host}/simulator/pix")
        self._accounts = AccountBook(database, clock, environment, documents_page)
        self._transfers = TransferBook(database, clock, environment)
        self.script = script or Script()
        self.answers = True

    async def create_charge(self, wanted: NewCharge) -> EngineCharge:
        behaviour = await self._meet("create_charge", wanted.account)
        made = await self._charges.enter(wanted)
        fail_late(behaviour)
        return _spoilt(made) if behaviour is Behaviour.bad_code else made

    async def create_charges(self, wanted: Sequence[NewCharge]) -> list[EngineCharge | EngineError]:
        """As `create_charge` for each, entered in one statement; each meets what was scripted for it."""
        met = [await self._meeting(each) for each in wanted]
        taken = [each for each, behaviour in zip(wanted, met, strict=True) if not isinstance(behaviour, EngineError)]
        made = iter(await self._charges.enter_many(taken))
        return [b if isinstance(b, EngineError) else _as_told(next(made), b) for b in met]

    async def find_charge(self, external_reference: str, account: Account | None = None) -> EngineCharge | None:
        await self._meet("find_charge", account)
        return await self._charges.find(external_reference)

    async def read_charge(self, engine_id: str, account: Account | None = None) -> EngineCharge | None:
        await self._meet("read_charge", account)
        row = await self._charges.by_id(engine_id)
        return engine_charge(row) if row else None

    async def retire_charge(self, engine_id: str, account: Account | None = None) -> None:
        await self._meet("retire_charge", account)
        await self._charges.retire(engine_id)

    async def confirm_test(self, engine_id: str, account: Account | None = None) -> bytes | None:
        behaviour = await self._meet("confirm_test", account)
        row = await self._charges.by_id(engine_id)
        if row is None:
            raise EngineRefused("the simulator has no such charge")
        amount = row["amount"] + 1 if behaviour is Behaviour.wrong_amount else row["amount"]
        paid = await self._charges.enter_payment(engine_id, amount)
        if behaviour in {Behaviour.duplicate, Behaviour.late}:
            self.script.on_their_way.append(payment_notice(paid))
        return None if behaviour is Behaviour.late else payment_notice(paid)

    async def open_account(self, wanted: NewAccount) -> OpenedAccount:
        behaviour = await self._meet("open_account")
        opened = await self._accounts.open(wanted)
        fail_late(behaviour)
        return replace(opened, notices_registered=behaviour is not Behaviour.unheard)

    async def find_account(self, document: str) -> str | None:
        await self._meet("find_account")
        return await self._accounts.of(document)

    async def account_status(self, account: Account) -> AccountStatus:
        await self._meet("account_status")
        return await self._accounts.status(account)

    async def register_notices(self, account: Account | None = None) -> None:
        """Nothing is kept: the simulator's notices find the handler by themselves."""
        await self._meet("register_notices", account)

    async def balance(self, account: Account | None = None) -> int:
        await self._meet("balance", account)
        return await self._transfers.balance(account.id if account else None)

    async def create_transfer(self, wanted: NewTransfer) -> EngineTransfer:
        behaviour = await self._meet("create_transfer", wanted.account)
        ordered = await self._transfers.enter(wanted)
        fail_late(behaviour)
        return ordered

    async def find_transfer(
        self, external_reference: str, ordered_at: datetime, account: Account | None = None
    ) -> EngineTransfer | None:
        await self._meet("find_transfer", account)
        row = await self._transfers.by_reference(external_reference, ordered_at)
        return engine_transfer(row) if row else None

    async def read_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer | None:
        await self._meet("read_transfer", account)
        row = await self._transfers.by_id(engine_id)
        return engine_transfer(row) if row else None

    async def cancel_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer:
        behaviour = await self._meet("cancel_transfer", account)
        canceled = await self._transfers.cancel(engine_id)
        fail_late(behaviour)
        return canceled

    async def hear(self, body: Mapping[str, Any]) -> None:
        notice = self.translate(body)
        if notice is None:
            return
        if notice.subject is Subject.charge:
            await self._charges.hear(notice)
        elif notice.subject is Subject.account:
            await self._accounts.hear(notice, body)
        elif notice.subject is Subject.transfer:
            await self._transfers.hear(notice, body)

    def translate(self, body: Mapping[str, Any]) -> Notice | None:
        return notices.translate(body)

    async def check_up(self) -> list[Symptom]:
        """Nothing can be wrong with it that the database doesn't show."""
        return []

    async def _meet(self, method: str, account: Account | None = None) -> Behaviour | None:
        """What this call was scripted to do; what keeps it from being made at all is raised."""
        behaviour = self.script.next(method)
        self.answers = behaviour not in SILENT
        fail_early(behaviour)
        if account is not None:
            await self._accounts.admit(account)
        return behaviour

    async def _meeting(self, wanted: NewCharge) -> Behaviour | EngineError | None:
        try:
            return await self._meet("create_charge", wanted.account)
        except EngineError as error:
            return error


def _as_told(made: EngineCharge, behaviour: Behaviour | None) -> EngineCharge | EngineError:
    """The answer about a charge that was entered, or the error that arrives instead."""
    try:
        fail_late(behaviour)
    except EngineError as error:
        return error
    return _spoilt(made) if behaviour is Behaviour.bad_code else made


def _spoilt(made: EngineCharge) -> EngineCharge:
    """The same charge with a check sum that is wrong."""
    code = made.br_code[:-1] + ("0" if made.br_code[-1] != "0" else "1")
    return EngineCharge(made.id, made.external_reference, code, made.amount, made.state)

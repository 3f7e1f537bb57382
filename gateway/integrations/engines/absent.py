"""The engine of an environment that has none: live, while `GATEWAY_ENGINE_LIVE` isn't set."""

from typing import NoReturn

from gateway.integrations.engines.port import EngineNotConfigured, Symptom

UNSET = (
    "GATEWAY_ENGINE_LIVE is not set: no store can be approved and live charges are refused; "
    "set it to asaas, or to simulator for a rehearsal"
)


class AbsentEngine:
    """Refuses every call with `EngineNotConfigured`, so that no caller needs a case for it."""

    name = "none"
    has_bank = True
    answers = True

    async def refuse(self, *_: object, **__: object) -> NoReturn:
        """Every call that would need an engine."""
        raise EngineNotConfigured(UNSET)

    create_charge = find_charge = read_charge = retire_charge = confirm_test = refuse
    open_account = find_account = account_status = register_notices = refuse
    balance = create_transfer = find_transfer = read_transfer = cancel_transfer = refuse

    async def hear(self, *_: object) -> None:
        """No engine sends notices here."""

    def translate(self, *_: object) -> None:
        """No notice is one of this engine's."""

    async def check_up(self) -> list[Symptom]:
        """Nothing to look at; `gateway doctor` reports the setting itself."""
        return []

"""Merchants' accounts at Asaas: subaccounts of the main one, each with a key of its own that is told once."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from unicodedata import normalize

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.pix_keys import PixKeys
from gateway.integrations.engines.asaas.registration import Registration
from gateway.integrations.engines.asaas.words import Unreadable, items, moment, required, track
from gateway.integrations.engines.notices import mapping, text
from gateway.integrations.engines.port import (
    Account,
    AccountExists,
    AccountStatus,
    EngineError,
    EngineUnknown,
    NewAccount,
    OpenedAccount,
)
from gateway.models.base import Environment
from gateway.models.engines import Track
from gateway.telemetry import log
from gateway.values.clock import Clock
from gateway.values.money import reais_from_centavos

_TRACKS = ("general", "commercialInfo", "bankAccountInfo", "documentation")
_NEW = timedelta(seconds=15)
"""While an account is so new, Asaas doesn't want to be asked for its documents (engine.md, A9)."""
_ASKS = {"NOT_SENT", "REJECTED"}
_LONGEST_KEY = 4096
"""Far beyond any that has been seen: a key that isn't kept is lost for good."""
_LONGEST_LINK = 2000
_LONGEST_REASON = 500


class Accounts:
    """The accounts of one environment."""

    def __init__(self, client: AsaasClient, registration: Registration, clock: Clock, environment: Environment) -> None:
        self._client = client
        self._registration = registration
        self._clock = clock
        self._environment = environment
        self._pix_keys = PixKeys(client)

    async def open(self, wanted: NewAccount) -> OpenedAccount:
        await self._refuse_second(wanted)
        try:
            said = await self._client.post("/accounts", self._body(wanted))
        except EngineUnknown:
            await self._tell_if_made(wanted)
            raise
        return self._opened(said)

    async def find(self, document: str) -> str | None:
        for account in items(await self._client.get("/accounts", query={"cpfCnpj": document})):
            if account.get("cpfCnpj") == document:
                return str(account.get("id"))
        return None

    async def status(self, account: Account) -> AccountStatus:
        said = await self._client.get("/myAccount/status", account)
        general, commercial, bank, documents = (track(said.get(name)) for name in _TRACKS)
        # Why anything was refused, and not the documents alone, is told where they are asked for.
        asks = documents is not Track.approved or Track.rejected in {general, commercial, bank}
        asked = await self._documents(account) if asks and not self._is_new(account) else {}
        if general is Track.approved:
            await self._pix_keys.ensure(account)
        return AccountStatus(
            general,
            commercial,
            bank,
            documents,
            documents_link=self._link(asked),
            rejection=_reasons(asked.get("rejectReasons")),
        )

    async def _tell_if_made(self, wanted: NewAccount) -> None:
        """After a lost answer. A look that fails, too, leaves the outcome as unknown as it was."""
        try:
            found = await self.find(wanted.document)
        except EngineError as error:
            log.warning("asaas_account_not_looked_up", error=type(error).__name__, detail=error.detail)
            return
        if found is not None:
            raise AccountExists(found, just_made=True)

    async def _refuse_second(self, wanted: NewAccount) -> None:
        found = await self.find(wanted.document)
        if found is not None:
            raise AccountExists(found)

    def _body(self, wanted: NewAccount) -> dict[str, Any]:
        body: dict[str, Any] = {
            "name": wanted.name if self._environment is Environment.live else _as_the_sandbox_takes(wanted.name),
            "email": wanted.email,
            "cpfCnpj": wanted.document,
            "companyType": wanted.company_type,
            "mobilePhone": wanted.phone,
            "incomeValue": reais_from_centavos(wanted.monthly_revenue),
            "address": wanted.address,
            "addressNumber": wanted.address_number,
            "complement": wanted.complement,
            "province": wanted.province,
            "postalCode": wanted.postal_code,
            "site": wanted.site,
        }
        if self._registration.deliverable:
            body["webhooks"] = [self._registration.webhook(wanted.email)]
        return {name: value for name, value in body.items() if value is not None}

    def _opened(self, said: Mapping[str, Any]) -> OpenedAccount:
        try:
            account_id = required(said, "id")
        except Unreadable as error:
            raise EngineUnknown(str(error)) from error
        newer = mapping(said.get("accessToken"))
        secret = text(said.get("apiKey"), _LONGEST_KEY) or text(newer.get("apiKey"), _LONGEST_KEY)
        if secret is None:
            log.error("asaas_account_without_key", account_id=account_id)
            raise AccountExists(account_id, just_made=True)
        wallet_id = text(said.get("walletId")) or ""
        return OpenedAccount(Account(account_id, secret), wallet_id, self._registration.deliverable)

    def _is_new(self, account: Account) -> bool:
        return account.opened_at is not None and self._clock.now() - account.opened_at < _NEW

    async def _documents(self, account: Account) -> Mapping[str, Any]:
        """What is still asked for, and why something was refused. Asaas prepares it for a while after opening; the
        approval is readable without it.
        """
        try:
            return await self._client.get("/myAccount/documents", account)
        except EngineError as error:
            log.warning(
                "asaas_documents_unread", account_id=account.id, error=type(error).__name__, detail=error.detail
            )
            return {}

    def _link(self, asked: Mapping[str, Any]) -> str | None:
        return next((link for group in items(asked) if (link := self._link_of(group))), None)

    def _link_of(self, group: Mapping[str, Any]) -> str | None:
        link = group.get("onboardingUrl")
        if group.get("status") not in _ASKS or not isinstance(link, str) or not link.startswith("https://"):
            return None
        now = self._clock.now()
        until = moment(group.get("onboardingUrlExpirationDate"), now)
        return link if len(link) <= _LONGEST_LINK and (until is None or until > now) else None


def _as_the_sandbox_takes(name: str) -> str:
    """Letters and spaces only (engine.md, A8), where nobody reads it. A name without any is Asaas' to refuse."""
    letters = (each if each.isalpha() else " " for each in normalize("NFC", name))
    return " ".join("".join(letters).split()) or name


def _reasons(said: object) -> str | None:
    """The engine's own text; a list of texts has been seen, too."""
    parts = said if isinstance(said, list) else [said]
    told = " ".join(part.strip() for part in parts if isinstance(part, str))
    return told[:_LONGEST_REASON] or None

"""Merchants' accounts at Asaas: subaccounts of the main one, each with its own API key, which is returned only once."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from unicodedata import normalize

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.mapping import items, required, timestamp, track
from gateway.integrations.engines.asaas.webhook_setup import WebhookSetup
from gateway.integrations.engines.errors import AccountExists, EngineError, EngineOutcomeUnknown
from gateway.integrations.engines.http_client import unknown_if_invalid
from gateway.integrations.engines.interface import Account, AccountStatus, NewAccount, OpenedAccount
from gateway.integrations.engines.notifications import mapping, text
from gateway.models.base import Environment
from gateway.models.engines import Track
from gateway.telemetry import log
from gateway.values.clock import Clock
from gateway.values.money import reais_from_centavos

_TRACKS = ("general", "commercialInfo", "bankAccountInfo", "documentation")
_NEW_ACCOUNT_AGE = timedelta(seconds=15)
"""Asaas asks not to request the documents of a newer account (engine reference, A9)."""
_MISSING_DOCUMENT = {"NOT_SENT", "REJECTED"}
_MAX_KEY_LENGTH = 4096
"""Far above any known key: a key that is not stored is lost."""
_MAX_LINK_LENGTH = 2000
_MAX_REASON_LENGTH = 500
_USABLE_PIX_KEY = {"ACTIVE", "AWAITING_ACTIVATION"}


class Accounts:
    """The accounts of one environment."""

    def __init__(self, client: AsaasClient, webhooks: WebhookSetup, clock: Clock, environment: Environment) -> None:
        self._client = client
        self._webhooks = webhooks
        self._clock = clock
        self._environment = environment
        self._with_pix_key: set[str] = set()

    async def open(self, request: NewAccount) -> OpenedAccount:
        existing = await self.find(request.document)
        if existing is not None:
            raise AccountExists(existing)
        try:
            data = await self._client.call("POST", "/accounts", body=self._body(request))
        except EngineOutcomeUnknown:
            await self._raise_if_created(request)
            raise
        return self._opened(data)

    async def find(self, document: str) -> str | None:
        for account in items(await self._client.call("GET", "/accounts", query={"cpfCnpj": document})):
            if account.get("cpfCnpj") == document:
                return str(account.get("id"))
        return None

    async def status(self, account: Account) -> AccountStatus:
        data = await self._client.call("GET", "/myAccount/status", account)
        general, commercial, bank, documents = (track(data.get(name)) for name in _TRACKS)
        # The documents endpoint also has the reasons of any rejection.
        needed = documents is not Track.approved or Track.rejected in {general, commercial, bank}
        details = await self._documents(account) if needed and not self._is_new(account) else {}
        if general is Track.approved:
            await self._ensure_pix_key(account)
        return AccountStatus(
            general,
            commercial,
            bank,
            documents,
            documents_link=next((link for group in items(details) if (link := self._link(group))), None),
            rejection=_join_reasons(details.get("rejectReasons")),
        )

    async def _raise_if_created(self, request: NewAccount) -> None:
        """After a lost response. If this look-up fails too, the outcome stays unknown."""
        try:
            found = await self.find(request.document)
        except EngineError as error:
            log.warning("asaas_account_not_looked_up", error=type(error).__name__, detail=error.detail)
            return
        if found is not None:
            raise AccountExists(found, just_created=True)

    def _body(self, request: NewAccount) -> dict[str, Any]:
        body: dict[str, Any] = {
            "name": request.name if self._environment is Environment.live else _sandbox_name(request.name),
            "email": request.email,
            "cpfCnpj": request.document,
            "companyType": request.company_type,
            "mobilePhone": request.phone,
            "incomeValue": reais_from_centavos(request.monthly_revenue),
            "address": request.address,
            "addressNumber": request.address_number,
            "complement": request.complement,
            "province": request.province,
            "postalCode": request.postal_code,
            "site": request.site,
        }
        if self._webhooks.deliverable:
            body["webhooks"] = [self._webhooks.body(request.email)]
        return {name: value for name, value in body.items() if value is not None}

    def _opened(self, data: Mapping[str, Any]) -> OpenedAccount:
        with unknown_if_invalid():
            account_id = required(data, "id")
        token = mapping(data.get("accessToken"))
        secret = text(data.get("apiKey"), _MAX_KEY_LENGTH) or text(token.get("apiKey"), _MAX_KEY_LENGTH)
        if secret is None:
            log.error("asaas_account_without_key", account_id=account_id)
            raise AccountExists(account_id, just_created=True)
        wallet_id = text(data.get("walletId")) or ""
        return OpenedAccount(Account(account_id, secret), wallet_id, self._webhooks.deliverable)

    def _is_new(self, account: Account) -> bool:
        return account.opened_at is not None and self._clock.now() - account.opened_at < _NEW_ACCOUNT_AGE

    async def _documents(self, account: Account) -> Mapping[str, Any]:
        """Missing documents and rejection reasons. Asaas needs some time to prepare them after opening; the approval
        does not depend on them.
        """
        try:
            return await self._client.call("GET", "/myAccount/documents", account)
        except EngineError as error:
            log.warning(
                "asaas_documents_unread", account_id=account.id, error=type(error).__name__, detail=error.detail
            )
            return {}

    def _link(self, group: Mapping[str, Any]) -> str | None:
        link = group.get("onboardingUrl")
        if group.get("status") not in _MISSING_DOCUMENT or not isinstance(link, str) or not link.startswith("https://"):
            return None
        now = self._clock.now()
        until = timestamp(group.get("onboardingUrlExpirationDate"), now)
        return link if len(link) <= _MAX_LINK_LENGTH and (until is None or until > now) else None

    async def _ensure_pix_key(self, account: Account) -> None:
        """Create a random Pix key for an approved account without one. Otherwise Asaas lends a partner's key, whose BR
        Codes expire at midnight. A failure is retried at the next check of the account.
        """
        if account.id in self._with_pix_key:
            return
        try:
            keys = items(await self._client.call("GET", "/pix/addressKeys", account))
            if not any(key.get("status") in _USABLE_PIX_KEY for key in keys):
                await self._client.call("POST", "/pix/addressKeys", account, {"type": "EVP"})
        except EngineError as error:
            log.warning("asaas_pix_key_missing", account_id=account.id, error=str(error))
            return
        self._with_pix_key.add(account.id)


def _sandbox_name(name: str) -> str:
    """The sandbox accepts only letters and spaces (engine reference, A8). A name without letters is sent unchanged."""
    letters = (char if char.isalpha() else " " for char in normalize("NFC", name))
    return " ".join("".join(letters).split()) or name


def _join_reasons(value: object) -> str | None:
    """The engine's text; it may be a list."""
    parts = value if isinstance(value, list) else [value]
    joined = " ".join(part.strip() for part in parts if isinstance(part, str))
    return joined[:_MAX_REASON_LENGTH] or None

"""The engine `asaas` of one environment, and its health check."""

from collections.abc import Mapping
from typing import Any

from gateway.integrations.engines.asaas.accounts import Accounts
from gateway.integrations.engines.asaas.charges import Charges
from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.customers import ENGINE, Customers
from gateway.integrations.engines.asaas.mapping import items, track
from gateway.integrations.engines.asaas.refunds import Refunds
from gateway.integrations.engines.asaas.transfers import Transfers
from gateway.integrations.engines.asaas.webhook_setup import EVENTS, WebhookSetup
from gateway.integrations.engines.errors import EngineError
from gateway.integrations.engines.http_client import Unauthorized
from gateway.integrations.engines.interface import HealthCheckResult
from gateway.integrations.engines.notifications import parse_notifications
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.models.engines import Track
from gateway.values.clock import Clock
from gateway.values.engine_capabilities import CAPABILITIES


class AsaasEngine:
    """A main account at Asaas, and its subaccounts. In `test` it must be a sandbox account.

    `base_url` is the gateway's public address, `token` authenticates notifications, `email` receives Asaas' warnings.
    """

    name = ENGINE
    has_bank = True
    capabilities = CAPABILITIES[ENGINE]
    pays_test_charges = True
    parse_notifications = staticmethod(parse_notifications)

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
        self._webhooks = WebhookSetup(client, base_url, token, email)
        charges = Charges(client, Customers(client, database, clock, environment), clock, environment)
        accounts = Accounts(client, self._webhooks, clock, environment)
        transfers = Transfers(client)
        refunds = Refunds(client)
        self.create_charge = charges.create
        self.find_charge = charges.find
        self.read_charge = charges.read
        self.cancel_charge = charges.cancel
        self.confirm_test = charges.confirm
        self.open_account = accounts.open
        self.find_account = accounts.find
        self.account_status = accounts.status
        self.register_webhook = self._webhooks.register
        self.transfer_fee = transfers.fee
        self.create_transfer = transfers.create
        self.find_transfer = transfers.find
        self.read_transfer = transfers.read
        self.cancel_transfer = transfers.cancel
        self.create_refund = refunds.create
        self.list_refunds = refunds.of_charge

    @property
    def responding(self) -> bool:
        return self._client.responding

    async def apply_notification(self, body: Mapping[str, Any]) -> None:
        """Nothing to do: Asaas has its own record, which is read before a notification is trusted."""

    async def check_health(self) -> list[HealthCheckResult]:
        """Check the key, its environment, the approval, the Pix key and the webhook. Without a valid key, only that."""
        try:
            data = await self._client.call("GET", "/myAccount/status")
        except EngineError as error:
            return [HealthCheckResult(ok=False, text=_key_failure(error))]
        results = [
            HealthCheckResult(ok=True, text="Asaas accepts the key"),
            _check_approval(track(data.get("general"))),
        ]
        for check in (self._check_pix_key(), self._check_webhook()):
            try:
                results.append(await check)
            except EngineError as error:
                results.append(HealthCheckResult(ok=False, text=f"Asaas doesn't show everything: {error}"))
        return results

    async def _check_pix_key(self) -> HealthCheckResult:
        data = await self._client.call("GET", "/pix/addressKeys", query={"status": "ACTIVE"})
        if any(key.get("status") == "ACTIVE" for key in items(data)):
            return HealthCheckResult(ok=True, text="the account has a Pix key")
        return HealthCheckResult(
            ok=False,
            text="the account has no active Pix key, so charges are refused or their codes die at midnight: make one at Asaas",
        )

    async def _check_webhook(self) -> HealthCheckResult:
        url = self._webhooks.url
        fault = _webhook_fault(await self._webhooks.find(None))
        if fault is None:
            return HealthCheckResult(ok=True, text=f"notifications come to {url}")
        return HealthCheckResult(ok=False, text=f"the webhook for {url} {fault}: run `gateway admin register-webhook`")


def _key_failure(error: EngineError) -> str:
    if isinstance(error, Unauthorized) and error.code == "invalid_environment":
        return "the key belongs to the other environment of Asaas: swap the keys or the URLs"
    if isinstance(error, Unauthorized):
        return (
            f"Asaas refuses the key ({error}): make a new one there, and look at its permissions and allowed addresses"
        )
    return f"Asaas can't be reached: {error}"


def _check_approval(general: Track) -> HealthCheckResult:
    if general is Track.approved:
        return HealthCheckResult(ok=True, text="the account is approved")
    if general is Track.rejected:
        return HealthCheckResult(
            ok=False, text="Asaas rejected or blocked the account: ask Asaas why, no charge can be issued"
        )
    return HealthCheckResult(
        ok=False, text=f"the account is not approved yet ({general}): finish its registration at Asaas"
    )


def _webhook_fault(webhook: Mapping[str, Any] | None) -> str | None:
    if webhook is None:
        return "is not registered"
    if webhook.get("enabled") is not True or webhook.get("interrupted") is True:
        return "is switched off or interrupted"
    if webhook.get("hasAuthToken") is False:
        return "sends no token"
    events = webhook.get("events")
    if not isinstance(events, list) or not set(EVENTS) <= {event for event in events if isinstance(event, str)}:
        return "leaves events out"
    return None

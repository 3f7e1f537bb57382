"""The engine `bcb` of one environment, and its health check."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from gateway.integrations.banks.settings import BankSettings
from gateway.integrations.engines.bcb.charges import Charges
from gateway.integrations.engines.bcb.client import BankClient
from gateway.integrations.engines.bcb.connection import Connection
from gateway.integrations.engines.bcb.notifications import parse_callback
from gateway.integrations.engines.bcb.refunds import Refunds
from gateway.integrations.engines.bcb.webhook_setup import WebhookSetup
from gateway.integrations.engines.errors import EngineError, EngineRefused, EngineUnavailable
from gateway.integrations.engines.interface import HealthCheckResult, Notification, PaymentPage
from gateway.integrations.engines.notifications import mapping
from gateway.models.base import Environment
from gateway.values.clock import Clock
from gateway.values.engine_capabilities import CAPABILITIES

WARN_DAYS, URGENT_DAYS = 30, 7
MAX_PAGE_SIZE = 1000
_READ_PERIOD = timedelta(minutes=1)


class BcbEngine:
    """One bank account and its Pix key. `base_url` is the gateway's public address, `token` authenticates callbacks."""

    name = "bcb"
    has_bank = True
    capabilities = CAPABILITIES["bcb"]

    def __init__(
        self,
        connection: Connection,
        client: BankClient,
        settings: BankSettings,
        clock: Clock,
        environment: Environment,
        *,
        base_url: str,
        token: str,
    ) -> None:
        self._connection = connection
        self._client = client
        self._settings = settings
        self._clock = clock
        self._webhook = WebhookSetup(client, settings, base_url, token)
        charges = Charges(client, settings, clock, environment)
        refunds = Refunds(client)
        self.pays_test_charges = charges.pays_test_charges
        self.create_charge = charges.create
        self.find_charge = charges.find
        self.read_charge = charges.read
        self.cancel_charge = charges.cancel
        self.confirm_test = charges.confirm
        self.register_webhook = self._webhook.register
        self.create_refund = refunds.create
        self.list_refunds = refunds.of_charge

    @property
    def responding(self) -> bool:
        return self._client.responding

    async def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise EngineRefused("the Central Bank's API has no accounts, balances and transfers")

    open_account = find_account = account_status = _refuse
    balance = create_transfer = find_transfer = read_transfer = cancel_transfer = _refuse

    async def apply_notification(self, body: Mapping[str, Any]) -> None:
        """Nothing to do: the bank has its own record, which is read before a notification is trusted."""

    def parse_notifications(self, body: Mapping[str, Any]) -> list[Notification]:
        return parse_callback(body, self._settings.pix_key or "")

    async def list_payments(self, begin: datetime, end: datetime, page: int, *, returned: bool = False) -> PaymentPage:
        query = {
            "inicio": self._format_time(begin),
            "fim": self._format_time(end),
            "txIdPresente": "true",
            **({"devolucaoPresente": "true"} if returned else {}),
            "paginacao.paginaAtual": str(page),
            "paginacao.itensPorPagina": str(MAX_PAGE_SIZE),
        }
        data = await self._client.call("GET", "/pix", query=query)
        count = mapping(mapping(data.get("parametros")).get("paginacao")).get("quantidadeDePaginas")
        if not isinstance(count, int):
            raise EngineUnavailable("a page of payments without the number of pages")
        return PaymentPage({"pix": data.get("pix")}, page + 1 < count)

    async def check_health(self) -> list[HealthCheckResult]:
        """Check the certificate, the client, its scopes, a read, and the webhook. A failed call ends it."""
        results: list[HealthCheckResult] = []
        for check in (self._check_certificate, self._check_token, self._check_read, self._check_webhook):
            try:
                results.append(await check())
            except EngineError as error:
                results.append(HealthCheckResult(ok=False, text=f"{self._settings.bank}: {error}"))
                break
        return results

    async def _check_certificate(self) -> HealthCheckResult:
        expires_at = await self._connection.expires_at()
        days = (expires_at - self._clock.now()).days
        text = f"the client certificate expires on {expires_at:%Y-%m-%d}, in {days} days"
        if days >= WARN_DAYS:
            return HealthCheckResult(ok=True, text=text)
        return HealthCheckResult(
            ok=False,
            text=f"{text}: get a new one from the bank and replace the files; no restart is needed",
            warning=days >= URGENT_DAYS,
        )

    async def _check_token(self) -> HealthCheckResult:
        granted = await self._client.granted_scopes()
        # Some banks leave out, without an error, what the contract doesn't have.
        missing = set(self._settings.scopes.split()) - granted if granted else set()
        if missing:
            return HealthCheckResult(
                ok=False,
                text=f"the bank doesn't grant {', '.join(sorted(missing))}: add these scopes to the application",
            )
        return HealthCheckResult(ok=True, text=f"{self._settings.bank} accepts the client and its certificate")

    async def _check_read(self) -> HealthCheckResult:
        end = self._clock.now()
        await self.list_payments(end - _READ_PERIOD, end, 0)
        return HealthCheckResult(ok=True, text="payments can be read")

    async def _check_webhook(self) -> HealthCheckResult:
        if await self._webhook.is_registered():
            return HealthCheckResult(ok=True, text="callbacks of the key come here")
        return HealthCheckResult(
            ok=False, text="the key's webhook is not registered here: run `gateway admin register-notices`"
        )

    def _format_time(self, at: datetime) -> str:
        """A time for a query."""
        precision = "milliseconds" if self._settings.profile.milliseconds else "seconds"
        return at.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")

"""The engine `bcb` of one environment, and its health check."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from gateway.integrations.banks.settings import BankSettings
from gateway.integrations.engines.bcb.charges import Charges
from gateway.integrations.engines.bcb.client import BankClient
from gateway.integrations.engines.bcb.connection import Connection
from gateway.integrations.engines.bcb.health_check import HealthCheck
from gateway.integrations.engines.bcb.mapping import engine_payment
from gateway.integrations.engines.bcb.notifications import parse_callback
from gateway.integrations.engines.bcb.refunds import Refunds
from gateway.integrations.engines.bcb.webhook_setup import WebhookSetup
from gateway.integrations.engines.end_to_end_id import valid_end_to_end_id
from gateway.integrations.engines.errors import EngineRefused, EngineUnavailable
from gateway.integrations.engines.http_client import MissingResource
from gateway.integrations.engines.interface import EngineCharge, HealthCheckResult, Notification, PaymentPage
from gateway.integrations.engines.notifications import mapping
from gateway.models.base import Environment
from gateway.values.clock import Clock
from gateway.values.engine_capabilities import CAPABILITIES

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
        self._client = client
        self._settings = settings
        self._clock = clock
        webhook = WebhookSetup(client, settings, base_url, token)
        charges = Charges(client, settings, clock, environment)
        refunds = Refunds(client)
        self.pays_test_charges = charges.pays_test_charges
        self.create_charge = charges.create
        self.find_charge = charges.find
        self.read_charge = charges.read
        self.cancel_charge = charges.cancel
        self.confirm_test = charges.confirm
        self.register_webhook = webhook.register
        self.create_refund = refunds.create
        self.list_refunds = refunds.of_charge
        self._health = HealthCheck(connection, client, settings, clock, environment, webhook, self._read_last_minute)

    @property
    def responding(self) -> bool:
        return self._client.responding

    async def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise EngineRefused("the Central Bank's API has no accounts, balances and transfers")

    open_account = find_account = account_status = _refuse
    transfer_fee = create_transfer = find_transfer = read_transfer = cancel_transfer = _refuse

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

    async def read_payment(self, end_to_end_id: str) -> EngineCharge | None:
        if not valid_end_to_end_id(end_to_end_id):
            return None
        try:
            data = await self._client.call("GET", "/pix/{end_to_end_id}", end_to_end_id=end_to_end_id)
        except MissingResource:
            return None
        if data.get("chave") not in {None, self._settings.pix_key}:
            return None
        return engine_payment(data, end_to_end_id)

    async def check_health(self) -> list[HealthCheckResult]:
        """Check the connection up to the webhook. A failed call ends it."""
        return await self._health.run()

    async def _read_last_minute(self) -> PaymentPage:
        end = self._clock.now()
        return await self.list_payments(end - _READ_PERIOD, end, 0)

    def _format_time(self, at: datetime) -> str:
        """A time for a query."""
        precision = "milliseconds" if self._settings.profile.milliseconds else "seconds"
        return at.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")

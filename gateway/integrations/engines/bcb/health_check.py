"""The health check of the engine `bcb`, which `gateway doctor` prints: what is the case, and the next step."""

from collections.abc import Awaitable, Callable
from typing import Final

from gateway.integrations.banks.settings import BankSettings
from gateway.integrations.engines.bcb.client import BankClient
from gateway.integrations.engines.bcb.connection import Connection
from gateway.integrations.engines.bcb.webhook_setup import WebhookSetup
from gateway.integrations.engines.errors import EngineBusy, EngineError, EngineMisconfigured, EngineRefused
from gateway.integrations.engines.interface import HealthCheckResult
from gateway.models.base import Environment
from gateway.values.clock import Clock

WARN_DAYS, URGENT_DAYS = 30, 7
MAX_CLOCK_DIFFERENCE_SECONDS: Final = 60


class HealthCheck:
    """`read` lists the payments of the last minute."""

    def __init__(
        self,
        connection: Connection,
        client: BankClient,
        settings: BankSettings,
        clock: Clock,
        environment: Environment,
        webhook: WebhookSetup,
        read: Callable[[], Awaitable[object]],
    ) -> None:
        self._connection = connection
        self._client = client
        self._settings = settings
        self._clock = clock
        self._environment = environment
        self._variable = f"GATEWAY_BCB_{environment.upper()}"
        self._webhook = webhook
        self._read = read

    async def run(self) -> list[HealthCheckResult]:
        """Check the certificate, the client, its scopes, the clock, a read, and the webhook. A failed call ends it."""
        results: list[HealthCheckResult] = []
        steps = (
            (self._check_certificate, self._certificate_advice),
            (self._check_token, self._token_advice),
            (self._check_clock, self._token_advice),
            (self._check_read, self._read_advice),
            (self._check_webhook, self._webhook_advice),
        )
        for check, advice in steps:
            try:
                results.append(await check())
            except EngineError as error:
                cause = " ".join(str(error).split())
                next_step = "run `gateway doctor` again later" if isinstance(error, EngineBusy) else advice(error)
                results.append(HealthCheckResult(ok=False, text=f"{self._settings.bank}: {cause}; {next_step}"))
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

    def _certificate_advice(self, _error: EngineError) -> str:
        return f"look at {self._variable}_CERTIFICATE and {self._variable}_CA, and let the gateway's user read them"

    async def _check_token(self) -> HealthCheckResult:
        granted = await self._client.granted_scopes()
        # Some banks leave out, without an error, what the contract doesn't have.
        missing = set(self._settings.scopes.split()) - granted if granted else set()
        if missing:
            return HealthCheckResult(
                ok=False,
                text=f"the bank doesn't grant {', '.join(sorted(missing))}: add these scopes to the application in the bank's "
                "portal",
            )
        return HealthCheckResult(ok=True, text=f"{self._settings.bank} accepts the client and its certificate")

    def _token_advice(self, error: EngineError) -> str:
        if isinstance(error, EngineMisconfigured):
            return (
                f"compare {self._variable}_CLIENT_ID, _CLIENT_SECRET and _CERTIFICATE with the application in the bank's "
                "portal"
            )
        return (
            f"look at {self._variable}_TOKEN_URL and the firewall, and set {self._variable}_CA if the bank's authority isn't "
            "public"
        )

    async def _check_clock(self) -> HealthCheckResult:
        """Compare the clocks by the header `Date`. Nothing else compares them: some banks send local time as UTC."""
        date = self._client.date
        if date is None:
            return HealthCheckResult(ok=True, text="the bank sends no Date header, so the clock is not checked")
        seconds = round((self._clock.now() - date).total_seconds())
        if abs(seconds) <= MAX_CLOCK_DIFFERENCE_SECONDS:
            return HealthCheckResult(ok=True, text=f"this machine's clock is within {abs(seconds)} s of the bank's")
        direction = "ahead of" if seconds > 0 else "behind"
        return HealthCheckResult(
            ok=False,
            text=f"this machine's clock is {abs(seconds)} s {direction} the bank's: run `timedatectl set-ntp true`; nothing else "
            "compares the two",
            warning=True,
        )

    async def _check_read(self) -> HealthCheckResult:
        await self._read()
        return HealthCheckResult(ok=True, text="payments can be read")

    def _read_advice(self, error: EngineError) -> str:
        if isinstance(error, EngineMisconfigured):
            return "let the bank enable the API Pix with the scope pix.read for the application"
        return f"look at {self._variable}_URL"

    async def _check_webhook(self) -> HealthCheckResult:
        if await self._webhook.is_registered():
            return HealthCheckResult(ok=True, text="callbacks of the key come here")
        return HealthCheckResult(
            ok=False,
            text=f"the key's webhook is not registered here: run `gateway admin register-webhook {self._environment}`",
        )

    def _webhook_advice(self, error: EngineError) -> str:
        if isinstance(error, EngineMisconfigured | EngineRefused):
            return (
                f"{self._variable}_PIX_KEY must be a key of the application's account, and the application needs the scope "
                "webhook.read"
            )
        return "run `gateway doctor` again later"

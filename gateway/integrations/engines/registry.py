"""The engine of each environment. Only this module knows the adapters by name."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import NoReturn
from urllib.parse import urlsplit

from pydantic import SecretStr

from gateway.integrations.engines.asaas import AsaasClient, AsaasEngine, open_http
from gateway.integrations.engines.bcb import BankClient, BcbEngine, Connection
from gateway.integrations.engines.errors import EngineNotConfigured
from gateway.integrations.engines.interface import Engine, Engines, HealthCheckResult, Notification
from gateway.integrations.engines.simulator import Simulator
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.settings import EngineName, Settings
from gateway.values.clock import Clock
from gateway.values.engine_capabilities import Capability

REVIEW_GUIDE = "/docs/ambiente-de-teste#conta-de-recebimento"
"""The guide's section on how to approve an account in the test environment."""
UNSET = (
    "GATEWAY_ENGINE_LIVE is not set: no store can be approved and live charges are refused; "
    "set it to asaas or bcb, or to simulator to try without money"
)


class UnconfiguredEngine:
    """The engine of an environment without one: live, while `GATEWAY_ENGINE_LIVE` isn't set. Refuses every call."""

    name = "none"
    has_bank = True
    responding = True
    capabilities = frozenset({Capability.accounts, Capability.transfers, Capability.refunds})
    """So that each call reports the missing setting."""
    pays_test_charges = False

    async def refuse(self, *_: object, **__: object) -> NoReturn:
        raise EngineNotConfigured(UNSET)

    create_charge = find_charge = read_charge = cancel_charge = confirm_test = refuse
    open_account = find_account = account_status = register_webhook = refuse
    transfer_fee = create_transfer = find_transfer = read_transfer = cancel_transfer = refuse
    create_refund = list_refunds = refuse

    async def apply_notification(self, *_: object) -> None:
        """There are none."""

    def parse_notifications(self, *_: object) -> list[Notification]:
        """There are none."""
        return []

    async def check_health(self) -> list[HealthCheckResult]:
        """`gateway doctor` reports the setting itself."""
        return []


@asynccontextmanager
async def open_engines(settings: Settings, database: Database, clock: Clock) -> AsyncIterator[Engines]:
    """The engines of both environments, by the settings; closes their connections at the end."""
    async with AsyncExitStack() as stack:
        test, live = [await _open(environment, settings, database, clock, stack) for environment in Environment]
        yield Engines(test, live)


async def _open(
    environment: Environment, settings: Settings, database: Database, clock: Clock, stack: AsyncExitStack
) -> Engine:
    name = settings.engine_test if environment is Environment.test else settings.engine_live
    if name is None:
        return UnconfiguredEngine()
    if name is EngineName.bcb:
        return await _open_bank(environment, settings, clock, stack)
    if name is EngineName.simulator:
        return Simulator(
            database, clock, environment, host=_host(settings), documents_page=f"{settings.base_url}{REVIEW_GUIDE}"
        )
    if environment is Environment.test:
        url, key = settings.asaas_test_url, settings.asaas_test_api_key
    else:
        url, key = settings.asaas_live_url, settings.asaas_live_api_key
    return AsaasEngine(
        AsaasClient(
            await stack.enter_async_context(open_http()), url, _secret(key), deadline=settings.engine_timeout_seconds
        ),
        database,
        clock,
        environment,
        base_url=settings.base_url,
        token=_notification_token(environment, settings),
        email=settings.asaas_contact_email,
    )


async def _open_bank(environment: Environment, settings: Settings, clock: Clock, stack: AsyncExitStack) -> BcbEngine:
    bank = settings.bcb_test if environment is Environment.test else settings.bcb_live
    connection = Connection(bank.files, environment)
    stack.push_async_callback(connection.close)
    await connection.expires_at()  # Sets the metric, before the first call.
    return BcbEngine(
        connection,
        BankClient(connection, bank, environment, deadline=settings.engine_timeout_seconds),
        bank,
        clock,
        environment,
        base_url=settings.base_url,
        token=_notification_token(environment, settings),
    )


def _notification_token(environment: Environment, settings: Settings) -> str:
    return _secret(settings.engine_test_token if environment is Environment.test else settings.engine_live_token)


def _secret(secret: SecretStr | None) -> str:
    assert secret is not None, "the settings refuse an engine without its secrets"
    return secret.get_secret_value()


def _host(settings: Settings) -> str:
    """The host in the simulator's BR Codes, short enough for their URL field (77 characters)."""
    host = urlsplit(settings.base_url).netloc
    return host if len(host) <= 40 else "pix.example.com"

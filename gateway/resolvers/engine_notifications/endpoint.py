"""The endpoints that an engine calls (contract section 6): notifications, and the authorization of transfers."""

from enum import StrEnum
from typing import Any

from msgspec.structs import replace
from pydantic import Field

from gateway.errors import NotFound
from gateway.integrations.engines.interface import Engine
from gateway.integrations.engines.notifications import mapping, text
from gateway.models.base import Environment
from gateway.models.database import Row
from gateway.models.engines import NotificationOutcome
from gateway.models.withdrawals import IN_FLIGHT
from gateway.rate_limits import wrong_token
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import SYSTEM
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import View
from gateway.resolvers.engine_notifications.handlers import find_withdrawal_by_transfer
from gateway.resolvers.engine_notifications.process import decode, process_notification
from gateway.security import same_secret
from gateway.settings import EngineName
from gateway.telemetry import log
from gateway.values.money import InvalidAmount, centavos_from_reais

UNKNOWN_TRANSFER = "Transferência não reconhecida."


class InboundNotification(Input):
    """A notification as received."""

    engine: str = Field(description="Provedor: `simulator`, `asaas` ou `bcb`.")
    token: str | None = Field(None, description="Token do cabeçalho `asaas-access-token`; no `bcb`, o do endereço.")
    body: bytes = Field(description="Corpo do aviso.")


class NotificationReceivedView(View):
    """How a notification was handled."""

    outcome: NotificationOutcome = Field(description="O que foi feito do aviso.")


class Decision(StrEnum):
    """What the engine is to do with a transfer."""

    approved = "APPROVED"
    refused = "REFUSED"


class TransferAuthorizationView(View):
    """The decision; a refusal has a reason."""

    status: Decision = Field(description="O que o provedor deve fazer.")
    reason: str | None = Field(description="Por que não.")


@operation("engine_notifications.receive", Permission.public)
async def receive_notification(ctx: Context, inbound: InboundNotification) -> NotificationReceivedView:
    """`POST /engine/notifications/{engine}`: process the notifications of the environment whose token matches.

    Raises `InvalidSession` for a wrong token, and `NotFound` for an engine that is unknown or serves no environment.
    Any content with the right token is accepted: engines stop sending after an error or a slow response.
    """
    environment, engine = await verify_token(ctx, inbound)
    as_engine = replace(ctx, actor=SYSTEM, origin=replace(ctx.origin, source="engine"))
    timeout = ctx.settings.engine_notification_timeout_seconds
    outcome = await process_notification(as_engine, engine, environment, inbound.body, timeout_seconds=timeout)
    return NotificationReceivedView.of({"outcome": outcome})


@operation("engine_notifications.authorize_transfer", Permission.public)
async def authorize_transfer(ctx: Context, inbound: InboundNotification) -> TransferAuthorizationView:
    """`POST /engine/transfers/{engine}`: approve a transfer only if it is a withdrawal in flight, of that amount
    (engine reference, A10). So the bank refuses transfers ordered with a stolen key.

    Raises `NotFound` and `InvalidSession`.
    """
    environment, engine = await verify_token(ctx, inbound)
    transfer = mapping(decode(inbound.body).get("transfer"))
    reference, engine_id = text(transfer.get("externalReference")), text(transfer.get("id"))
    row = await find_withdrawal_by_transfer(ctx, engine, environment, reference, engine_id)
    if row is not None and _matches(row, transfer, reference, engine_id):
        return TransferAuthorizationView.of({"status": Decision.approved, "reason": None})
    log.error("transfer_refused", engine=engine.name, engine_id=engine_id, withdrawal_id=row["id"] if row else None)
    return TransferAuthorizationView.of({"status": Decision.refused, "reason": UNKNOWN_TRANSFER})


async def verify_token(ctx: Context, inbound: InboundNotification) -> tuple[Environment, Engine]:
    """The environment and engine that the token belongs to. Raises `NotFound`, `InvalidSession` and `RateLimited`."""
    name = inbound.engine.lower()
    matching = [environment for environment in Environment if same_secret(inbound.token, _token(ctx, environment))]
    for environment in matching:
        engine = ctx.services.engines.of(environment)
        if engine.name == name:
            return environment, engine
    served = {ctx.services.engines.of(environment).name for environment in Environment}
    if name not in set(EngineName) or (matching and name not in served):
        raise NotFound("Provedor não encontrado.")
    raise await wrong_token(ctx.services.limiter, "engine", ctx.origin.ip)


def _token(ctx: Context, environment: Environment) -> str | None:
    settings = ctx.settings
    token = settings.engine_test_token if environment is Environment.test else settings.engine_live_token
    return token.get_secret_value() if token else None


def _matches(row: Row, transfer: Any, reference: str | None, engine_id: str | None) -> bool:
    try:
        amount = centavos_from_reais(transfer.get("value"))
    except InvalidAmount:
        return False
    same = row["engine_id"] in {None, engine_id} and reference in {None, row["id"]}
    return same and row["status"] in IN_FLIGHT and amount == row["amount"]

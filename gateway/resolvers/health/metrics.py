"""`/metrics`: what this deployment has counted, for Prometheus. Numbers of a business, so not for everybody."""

from ipaddress import ip_address

from pydantic import Field

from gateway.errors import Forbidden, MissingCredential
from gateway.rate_limits import wrong_token
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import View
from gateway.resolvers.health.checks import DATABASE_FAULTS
from gateway.resolvers.reconciliation.discrepancies import measure_discrepancies
from gateway.resolvers.webhooks.backlog import measure
from gateway.security import same_secret
from gateway.telemetry import exposition, log


class Scrape(Input):
    """Who asks: the bearer token shown, the address of the connection, and whether a proxy stands between."""

    token: str | None = Field(None, description="Token de leitura das métricas.")
    peer: str | None = Field(None, description="Endereço de quem conectou.")
    forwarded: bool = Field(False, description="Se a requisição passou por um proxy.")


class MetricsView(View):
    """The metrics in Prometheus' text format."""

    text: bytes = Field(description="Métricas no formato de texto do Prometheus.")


@operation("health.metrics", Permission.public)
async def read_metrics(ctx: Context, scrape: Scrape) -> MetricsView:
    """Show the metrics to the holder of the token or, where none is set, to this machine alone."""
    expected = ctx.settings.metrics_token
    if expected is None:
        _require_this_machine(scrape)
    elif scrape.token is None:
        raise MissingCredential
    elif not same_secret(scrape.token, expected.get_secret_value()):
        raise await wrong_token(ctx.services.limiter, "metrics", ctx.origin.ip)
    try:
        await measure(ctx)
        await measure_discrepancies(ctx)
    except DATABASE_FAULTS:
        log.warning("metrics_without_database")  # What was counted is told all the same.
    return MetricsView.of({"text": exposition()})


def _require_this_machine(scrape: Scrape) -> None:
    # Behind a proxy on the same machine everybody's connection comes from loopback.
    if scrape.forwarded or scrape.peer is None or not _is_loopback(scrape.peer):
        raise Forbidden("Sem GATEWAY_METRICS_TOKEN, as métricas só são lidas da própria máquina.")


def _is_loopback(peer: str) -> bool:
    try:
        return ip_address(peer).is_loopback
    except ValueError:
        return False

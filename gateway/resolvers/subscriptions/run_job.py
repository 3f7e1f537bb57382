"""Ways to run the billing job by hand: `POST /jobs/subscriptions` with its token, and the service's staff."""

from typing import Annotated

from msgspec.structs import replace
from pydantic import BeforeValidator, Field

from gateway.rate_limits import wrong_token
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import SYSTEM
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import End, Flag, Input, NoneIfEmpty
from gateway.resolvers.core.operation import operation
from gateway.resolvers.subscriptions.billing import BillingOptions, bill
from gateway.resolvers.subscriptions.summary import BillingSummaryView
from gateway.security import same_secret


def _flag(value: object) -> object:
    """`true` and `false` of a query string."""
    return (
        {"true": True, "1": True, "false": False, "0": False, "": False}.get(value.lower(), value)
        if isinstance(value, str)
        else value
    )


class RunBilling(Input):
    """Como executar a cobrança de assinaturas."""

    as_of: Annotated[End | None, NoneIfEmpty] = Field(
        None, description="Cobra o que estaria vencido neste momento; de uma data, no fim do dia. Padrão: agora."
    )
    dry_run: Annotated[Flag, BeforeValidator(_flag)] = Field(
        False, description="Só conta o que seria feito; nada é cobrado nem gravado."
    )


class RunBillingByToken(RunBilling):
    """As `RunBilling`, from a program that shows the job's token."""

    token: str | None = Field(None, description="Token do cabeçalho `X-Job-Token`.")


@operation("subscriptions.bill", Permission.staff)
async def bill_subscriptions(ctx: Context, order: RunBilling) -> BillingSummaryView:
    """Run the billing job now, for all stores."""
    return await bill(ctx, BillingOptions(order.as_of, order.dry_run))


async def require_job_token(ctx: Context, token: str | None) -> None:
    """Refuse whoever doesn't show the job's token. The door asks before it reads what was sent: a stranger learns
    nothing from how it is refused.
    """
    expected = ctx.settings.job_token
    if expected is None or not same_secret(token, expected.get_secret_value()):
        raise await wrong_token(ctx.services.limiter, "job", ctx.origin.ip)


@operation("subscriptions.bill_by_token", Permission.public)
async def bill_by_token(ctx: Context, order: RunBillingByToken) -> BillingSummaryView:
    """Run the billing job for whoever shows the job's token; a scheduler outside, say. Raises `InvalidSession`."""
    await require_job_token(ctx, order.token)
    as_job = replace(ctx, actor=SYSTEM, origin=replace(ctx.origin, source="job"))
    return await bill(as_job, BillingOptions(order.as_of, order.dry_run))

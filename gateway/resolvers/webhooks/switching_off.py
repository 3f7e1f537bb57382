"""Endpoints that the service switches off by itself: one that answered 410, and one that nothing has reached for days.

Not after "so many failures in a row": one bad deploy on a Friday would silence a merchant's payment notices.
"""

from collections.abc import Sequence

from sqlalchemy import text

from gateway.models.database import Executor, Row, Statement
from gateway.models.webhooks import DisabledReason
from gateway.resolvers.audit.trail import RECORD, record_of
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.outbox import enqueue
from gateway.resolvers.email.webhook_templates import EndpointData, WebhookEndpointDisabled, WebhookEndpointGone
from gateway.resolvers.webhooks.letters import about, letter
from gateway.telemetry import log

SWITCH_OFF_FAILING = Statement(
    text("""
update webhook_endpoints e
   set active = false, disabled_reason = 'failing', updated_at = now()
  from webhook_endpoint_health h
 where h.endpoint_id = e.id and e.active and h.consecutive_failures >= 20
   and h.first_failure_at < now() - interval '5 days'
   and exists (select from webhook_deliveries d
                where d.endpoint_id = e.id and d.state = 2 and d.finished_at > h.first_failure_at)
returning e.id, e.user_id, e.environment, e.name, e.url, h.first_failure_at
""")
)


async def switch_off_failing(ctx: Context) -> int:
    """Switch off endpoints without a success for five days, twenty failed attempts and an exhausted delivery since."""
    async with ctx.database.transaction() as transaction:
        rows = await transaction.all(SWITCH_OFF_FAILING)
        await record_switch_off(ctx, transaction, rows, DisabledReason.failing)
    return len(rows)


async def record_switch_off(
    ctx: Context, transaction: Executor, endpoints: Sequence[Row], reason: DisabledReason
) -> None:
    """Tell the audit trail and the holders of the stores, in the transaction of the act."""
    for endpoint in endpoints:
        log.warning("webhook_endpoint_disabled", endpoint_id=endpoint["id"], reason=reason)
    await transaction.run_many(RECORD, [_record(ctx, endpoint, reason) for endpoint in endpoints])
    await enqueue(ctx, transaction, *(letter(_facts(ctx, endpoint, reason), endpoint) for endpoint in endpoints))


def _facts(ctx: Context, endpoint: Row, reason: DisabledReason) -> EndpointData:
    told, at = about(endpoint), ctx.clock.now()
    if reason is DisabledReason.gone:
        return WebhookEndpointGone(**told, at=at)
    return WebhookEndpointDisabled(**told, at=at, failing_since=endpoint["first_failure_at"])


def _record(ctx: Context, endpoint: Row, reason: DisabledReason) -> dict[str, object]:
    changes = {"active": {"from": True, "to": False}, "disabled_reason": {"from": None, "to": reason}}
    values = record_of(ctx, "webhook_endpoint.disabled", endpoint["id"], changes=changes, store_id=endpoint["user_id"])
    return values | {"audit_environment": endpoint["environment"]}

"""Monthly partitions of the tables that grow with every charge: created ahead, and dropped when their retention ends.

The SQL functions (gateway/models/partitions.sql) run with the privileges of the tables' owner. They wait for a lock for
half a second. If a table is in use for longer, by a dump for example, the job tries again an hour later. Rows of a
month without a partition go to the default partition, and `gateway doctor` reports it.
"""

from datetime import date

from sqlalchemy import text

from gateway.models.audit import audit_records
from gateway.models.database import CheckViolation, LockNotAvailable, Statement
from gateway.models.webhooks import RETENTION_DAYS, webhook_attempts, webhook_deliveries, webhook_events
from gateway.resolvers.core.context import Context
from gateway.telemetry import log

MONTHS_AHEAD = 3
WEBHOOK_TABLES = (webhook_events.name, webhook_deliveries.name, webhook_attempts.name)
TABLES = (audit_records.name, *WEBHOOK_TABLES)

MISSING = Statement(
    text("""
select parent, month
  from unnest(cast(:tables as text[])) parent
 cross join generate_series(0, cast(:ahead as integer)) ahead
 cross join lateral (
    select cast(date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead) as date) as month
 ) months
 where to_regclass(parent || to_char(month, '_YYYYMM')) is null
 order by month, parent
""")
)
EXPIRED = Statement(
    text("""
select month from (
    select distinct to_date(right(relname, 6), 'YYYYMM') as month from pg_inherits join pg_class c on c.oid = inhrelid
     where inhparent = any(cast(cast(:tables as text[]) as regclass[])) and relname ~ '_[0-9]{6}$'
) months
 where month + interval '1 month' < now() at time zone 'UTC' - make_interval(days => :days)
 order by month
""")
)
CREATE = Statement(text("select create_month_partition(cast(cast(:parent as text) as regclass), :month)"))
DROP = Statement(text("select drop_webhook_partitions(:month)"))


async def maintain_partitions(ctx: Context) -> None:
    """Create the missing partitions of this month and the next three, and drop those of old events.

    A month of events is dropped `RETENTION_DAYS` after its end, once none of its deliveries is pending. Partitions of
    the audit trail stay: its retention is the operator's decision (docs/audit.md).
    """
    for row in await ctx.database.all(MISSING, tables=TABLES, ahead=MONTHS_AHEAD):
        await _create(ctx, row["parent"], row["month"])
    for row in await ctx.database.all(EXPIRED, tables=WEBHOOK_TABLES, days=RETENTION_DAYS):
        await _drop(ctx, row["month"])


async def _create(ctx: Context, parent: str, month: date) -> None:
    try:
        created = await ctx.database.value(CREATE, parent=parent, month=month)
    except (LockNotAvailable, CheckViolation) as error:
        # The table is in use, or its default partition has rows of the month.
        log.warning("partition_not_created", table=parent, month=month.isoformat(), reason=str(error))
    else:
        if created:
            log.info("partition_created", table=parent, month=month.isoformat())


async def _drop(ctx: Context, month: date) -> None:
    try:
        dropped = await ctx.database.value(DROP, month=month)
    except LockNotAvailable as error:
        log.warning("partitions_not_dropped", month=month.isoformat(), reason=str(error))
    else:
        log.info("partitions_dropped" if dropped else "partitions_have_due_deliveries", month=month.isoformat())

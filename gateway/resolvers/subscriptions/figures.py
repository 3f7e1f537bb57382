"""What the subscriptions of a store amount to, and its next charges."""

from datetime import datetime, timedelta
from heapq import merge
from itertools import islice
from operator import attrgetter

from pydantic import Field
from sqlalchemy import BigInteger, bindparam, literal_column, select, text

from gateway.models.database import Row, Statement
from gateway.models.subscriptions import SubscriptionStatus, subscriptions
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page, View
from gateway.resolvers.subscriptions.operations import ROWS, SUBSCRIPTIONS
from gateway.resolvers.subscriptions.schedule import CycleLimit, Recurrence, upcoming
from gateway.resolvers.subscriptions.types import RECURRENCE_COLUMNS, UpcomingChargeView, UpcomingParams
from gateway.values.money import Centavos

COMING = timedelta(days=30)
_S = subscriptions
_DUE = SUBSCRIPTIONS.order("next_billing_at")
FIGURES = Statement(
    text("""
select count(*) as active_count,
       coalesce(round(
         sum(s.amount * case s.interval when 'weekly' then 52 * 27720 / s.interval_count else 332640 / months end)
         / 332640.0
       ), 0)::bigint as monthly_amount,
       count(s.last_failure) as failing_count,
       coalesce(sum(s.amount * coming.cycles), 0)::bigint as next30_days_amount
  from subscriptions s
 cross join lateral (
    select s.interval_count * case s.interval
      when 'monthly' then 1 when 'quarterly' then 3 when 'semiannual' then 6 when 'yearly' then 12
    end
 ) as every (months)
  left join lateral (
    select least(1 + count(*), s.max_cycles - s.cycles_count) as cycles
      from generate_series(0, 5) as step
     cross join lateral (
       select case when s.utc_offset is null then s.next_billing_at at time zone 'America/Sao_Paulo'
                   else s.next_billing_at at time zone 'UTC' + make_interval(mins => s.utc_offset) end,
              case when s.utc_offset is null then cast(:now as timestamptz) at time zone 'America/Sao_Paulo'
                   else cast(:now as timestamptz) at time zone 'UTC' + make_interval(mins => s.utc_offset) end
     ) as local (due, today)
     cross join lateral (select date_trunc('month', today) + make_interval(months => step)) as calendar (month)
     cross join lateral (
       select case
         when s.interval = 'weekly'
           then due + make_interval(weeks => s.interval_count * (step + greatest(
             0, floor(extract(epoch from today - due) / (604800 * s.interval_count))
           )::int))
         when month > due and mod(
             12 * (extract(year from month) - extract(year from due))
             + extract(month from month) - extract(month from due), months
           ) = 0
           then month + (due - date_trunc('day', due)) + make_interval(
             days => least(s.anchor_day, extract(day from month + interval '1 month - 1 day'))::int - 1
           )
       end
     ) as candidate (at)
     cross join lateral (
       select case when s.utc_offset is null then at at time zone 'America/Sao_Paulo'
                   else (at - make_interval(mins => s.utc_offset)) at time zone 'UTC' end
     ) as absolute (cycle)
     where cycle > greatest(s.next_billing_at, :now) and cycle <= least(:until, s.end_date)
  ) as coming on s.next_billing_at <= least(:until, s.end_date)
 where s.user_id = :user_id and s.environment = :environment and s.status = 'active'
""")
)
"""Of each subscription that is due until `:until`: the due cycle, and those after `:now`, as `Recurrence` has them.

A monthly amount is a fraction of an amount. 332640 is a multiple of all denominators, so the sum is exact.
"""
NEXT = Statement(
    select(_S.c.id, _S.c.customer_name, _S.c.amount, _S.c.interval, _S.c.interval_count, _S.c.next_billing_at)
    .add_columns(_S.c.end_date, _S.c.max_cycles, _S.c.cycles_count, *RECURRENCE_COLUMNS)
    .where(
        *SUBSCRIPTIONS.scope,
        _S.c.status == SubscriptionStatus.active.value,
        _DUE.expression > literal_column("'1000-01-01 00:00:00+00'::timestamptz"),
    )
    .order_by(*_DUE.sorted(_DUE.expression, _S.c.id))
    .limit(bindparam("count", type_=BigInteger()))
)
"""The subscriptions that charge next. The first charges of a store are theirs."""


class SubscriptionFiguresView(View):
    """O que as assinaturas da loja somam agora."""

    active_count: int = Field(description="Assinaturas ativas.")
    monthly_amount: Centavos = Field(
        description="Soma das ativas por mês, em reais: as semanais valem 52/12 do valor, as trimestrais 1/3, as "
        "semestrais 1/6 e as anuais 1/12, divididos por `interval_count`."
    )
    failing_count: int = Field(description="Ativas cuja última tentativa de cobrar falhou.")
    next30_days_amount: Centavos = Field(description="O que as ativas cobram nos próximos 30 dias, em reais.")


@operation("subscriptions.figures", Permission.read)
async def read_subscription_figures(ctx: Context, _: Empty) -> SubscriptionFiguresView:
    """Count and sum the active subscriptions of the store."""
    now = ctx.clock.now()
    row = await ctx.database.single(FIGURES, **ctx.scope, now=now, until=now + COMING)
    return SubscriptionFiguresView.of(row)


@operation("subscriptions.upcoming", Permission.read)
async def upcoming_charges(ctx: Context, params: UpcomingParams) -> Page[UpcomingChargeView]:
    """See when and what a subscription will charge next, or all of the store, soonest first."""
    count, now = params.count, ctx.clock.now()
    if params.id is not None:
        row = await ROWS.find(ctx, params.id)
        is_active = row["status"] == SubscriptionStatus.active and row["next_billing_at"] is not None
        return Page(_upcoming_of(row, count, now) if is_active else [], limit=count)
    rows = await ctx.database.all(NEXT, **ctx.scope, count=count)
    coming = merge(*(_upcoming_of(row, count, now) for row in rows), key=attrgetter("billing_at"))
    return Page(list(islice(coming, count)), limit=count)


def _upcoming_of(row: Row, count: int, now: datetime) -> list[UpcomingChargeView]:
    """The next charges of an active subscription with a date. Without those that were missed before `now`: a late
    subscription is charged once.
    """
    limit = CycleLimit(row["cycles_count"], row["max_cycles"], row["end_date"])
    dates = upcoming(Recurrence.of(row), limit, row["next_billing_at"], count, now)
    same = {"subscription_id": row["id"], "customer_name": row["customer_name"], "amount": row["amount"]}
    return [
        UpcomingChargeView.of({**same, "cycle": limit.cycles + number, "billing_at": date})
        for number, date in enumerate(dates, 1)
    ]

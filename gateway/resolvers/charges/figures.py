"""`GET /charges/figures`: counts and sums of charges by day, week or month.

One statement reads, for each step, the range of the step in three indexes: by creation, by payment and by expiry. It
reads only the requested figures, for a month of a large store has a hundred thousand charges.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Column,
    ColumnElement,
    DateTime,
    FromClause,
    Select,
    bindparam,
    cast,
    func,
    select,
    true,
)

from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import StatementCache
from gateway.resolvers.charges.figure_types import (
    COUNTED,
    ChargeFiguresParams,
    ChargeFiguresView,
    Period,
    PeriodFiguresView,
)
from gateway.resolvers.charges.listing import CHARGES, PAID_AT, is_expired
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Shape
from gateway.resolvers.core.listing.pages import list_executor, scope_of
from gateway.resolvers.core.operation import operation

_C = charges
_TIMES = ARRAY(DateTime(timezone=True))
_paid = _C.c.status == ChargeStatus.paid.value


def _sum(amount: ColumnElement[Any], where: ColumnElement[bool] | None = None) -> ColumnElement[int]:
    total = func.sum(amount)
    return func.coalesce(cast(total if where is None else total.filter(where), BigInteger), 0)


class _Read(NamedTuple):
    """A read of one index: the position of a charge in time, which charges count, and what is counted of them."""

    position: ColumnElement[Any]
    figures: Mapping[str, ColumnElement[Any]]
    condition: ColumnElement[bool] = true()


_READS = (
    _Read(_C.c.created_at, {"issued_count": func.count(), "issued_amount": _sum(_C.c.amount)}),
    _Read(
        PAID_AT,
        {
            "paid_count": func.count().filter(_paid),
            "paid_amount": _sum(_C.c.amount, _paid),
            "fee_amount": _sum(_C.c.fee_amount, _paid),
            "net_amount": _sum(_C.c.amount - _C.c.refunded_amount - _C.c.fee_amount, _paid),
            "refunded_amount": _sum(_C.c.refunded_amount),
            "paid_late_count": func.count().filter(_paid, _C.c.paid_late),
        },
    ),
    _Read(_C.c.expires_at, {"expired_count": func.count()}, is_expired),
)


def _figures(shape: Shape, wanted: frozenset[str]) -> Select[Any]:
    """The wanted figures of each of the periods from `:starts` to `:ends`."""
    bounds = func.unnest(bindparam("starts", type_=_TIMES), bindparam("ends", type_=_TIMES))
    columns = (Column("start", DateTime(timezone=True)), Column("end", DateTime(timezone=True)))
    steps = bounds.table_valued(*columns, with_ordinality="number", name="step").render_derived()
    source: FromClause = steps
    found: list[ColumnElement[Any]] = [steps.c.number]
    for position, figures, condition in _READS:
        selected = [figure.label(name) for name, figure in figures.items() if name in wanted]
        if not selected:
            continue
        rows = select(*selected).where(
            *CHARGES.conditions(shape), position.between(steps.c.start, steps.c.end), condition
        )
        counted = rows.correlate(steps).lateral()
        source = source.join(counted, true())
        found += counted.c
    return select(*found).select_from(source).order_by(steps.c.number)


STATEMENTS = StatementCache(_figures)


@operation("charges.figures", Permission.read)
async def read_charge_figures(ctx: Context, request: ChargeFiguresParams) -> ChargeFiguresView:
    """Count and sum the charges of a period, step by step."""
    steps, before = request.steps(), request.previous()
    counted = await _count(ctx, request, [*steps, before] if request.with_previous else steps)
    previous = counted.pop() if request.with_previous else {}
    total = {name: sum(each.get(name, 0) for each in counted) for name in COUNTED}
    return ChargeFiguresView.of(
        {
            "total": _view(Period(steps[0].start, steps[-1].end), total),
            "previous": _view(before, previous),
            "steps": [_view(step, figures) for step, figures in zip(steps, counted, strict=True)],
        }
    )


async def _count(ctx: Context, request: ChargeFiguresParams, periods: Iterable[Period]) -> list[Mapping[str, int]]:
    shape, values = CHARGES.applied(request)
    starts, ends = zip(*periods, strict=True)
    values |= scope_of(ctx) | {"starts": starts, "ends": ends}
    statement = STATEMENTS.of(shape, request.wanted)
    async with list_executor(ctx, searches=shape.search is not None) as executor:
        return list(await executor.all(statement, **values))


def _view(period: Period, figures: Mapping[str, int]) -> PeriodFiguresView:
    counted = {name: figures.get(name, 0) for name in COUNTED}
    return PeriodFiguresView.of({"from_": period.start, "to": period.end, **counted})

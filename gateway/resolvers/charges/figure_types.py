"""Input and result of the figures of a period, and its steps."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import Annotated, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, ValidationInfo
from pydantic.json_schema import SkipJsonSchema

from gateway.resolvers.charges.inputs import ChargeFilter
from gateway.resolvers.core.inputs import Day
from gateway.resolvers.core.views import View
from gateway.values.clock import SAO_PAULO
from gateway.values.dates import first_instant, last_instant, read_zone
from gateway.values.money import Centavos

MAX_STEPS = 366
_ONE_DAY = timedelta(days=1)
_TOO_MANY = f"o período tem mais de {MAX_STEPS} passos: encurte-o, ou use by=week ou by=month"


class Step(StrEnum):
    """The length of a step."""

    day = "day"
    week = "week"
    month = "month"


class Period(NamedTuple):
    """From one instant to another, both included."""

    start: datetime
    end: datetime


def _steps(first: date, last: date, by: Step) -> Iterator[tuple[date, date]]:
    """The first and last day of each step: of calendar weeks and months, cut to the period."""
    while first <= last:
        end = min(_end_of_step(first, by), last)
        yield first, end
        first = end + _ONE_DAY


def _end_of_step(day: date, by: Step) -> date:
    if by is Step.week:
        return day + timedelta(days=6 - day.weekday())
    return (day.replace(day=1) + timedelta(days=31)).replace(day=1) - _ONE_DAY if by is Step.month else day


def _after_start(last: date, info: ValidationInfo) -> date:
    if "from_" in info.data and last < info.data["from_"]:
        raise ValueError("não pode ser antes de from")
    return last


def _not_too_many(by: Step, info: ValidationInfo) -> Step:
    if info.data.keys() >= {"from_", "to"}:
        steps = _steps(info.data["from_"], info.data["to"], by)
        if next(islice(steps, MAX_STEPS, None), None) is not None:
            raise ValueError(_TOO_MANY)
    return by


class ChargeFiguresParams(ChargeFilter):
    """`GET /charges/figures`: a period of whole days in the zone `tz`, and the filters of the list of charges."""

    from_: Day = Field(alias="from", description="Primeiro dia.")
    to: Annotated[Day, AfterValidator(_after_start)] = Field(description="Último dia, incluído.")
    by: Annotated[Step, AfterValidator(_not_too_many)] = Field(
        Step.day,
        validate_default=True,
        description=f"Passos de um dia, uma semana (de segunda a domingo) ou um mês; no máximo {MAX_STEPS}.",
    )

    wanted: SkipJsonSchema[frozenset[str]] = Field(default_factory=lambda: frozenset(COUNTED))
    """The figures to read; the others are zero."""
    with_previous: SkipJsonSchema[bool] = True

    @property
    def zone(self) -> ZoneInfo:
        return read_zone(self.tz or SAO_PAULO.key)

    def steps(self) -> list[Period]:
        return [self._period(*days) for days in _steps(self.from_, self.to, self.by)]

    def previous(self) -> Period:
        """As many days, just before."""
        last = self.from_ - _ONE_DAY
        return self._period(last - (self.to - self.from_), last)

    def _period(self, first: date, last: date) -> Period:
        zone = self.zone
        return Period(first_instant(first, zone).astimezone(zone), last_instant(last, zone).astimezone(zone))


class PeriodFiguresView(View):
    """O que houve em um período."""

    from_: datetime = Field(alias="from", description="Primeiro instante do período.")
    to: datetime = Field(description="Último instante do período.")
    issued_count: int = Field(description="Cobranças criadas no período.")
    issued_amount: Centavos = Field(description="Soma das cobranças criadas no período, em reais.")
    paid_count: int = Field(description="Cobranças pagas no período; as devolvidas por inteiro não contam.")
    paid_amount: Centavos = Field(description="Soma das cobranças pagas no período, em reais.")
    fee_amount: Centavos = Field(description="Tarifas das cobranças pagas no período, em reais.")
    net_amount: Centavos = Field(
        description="Soma das cobranças pagas no período menos as tarifas e o que delas foi devolvido, em reais."
    )
    refunded_amount: Centavos = Field(
        description="O que foi devolvido desde então das pagas no período, no todo ou em parte, em reais."
    )
    expired_count: int = Field(description="Cobranças cuja validade terminou no período, sem pagamento.")
    paid_late_count: int = Field(description="Das pagas no período, as pagas depois de expirar.")


class ChargeFiguresView(View):
    """Números das cobranças em um período, passo a passo."""

    total: PeriodFiguresView = Field(description="O período todo.")
    previous: PeriodFiguresView = Field(description="Os dias anteriores ao período, tantos quantos ele tem.")
    steps: list[PeriodFiguresView] = Field(description="Cada passo, em ordem.")


COUNTED: tuple[str, ...] = tuple(name for name in PeriodFiguresView.model_fields if name not in {"from_", "to"})

"""What the API shows of a test store's clock."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from gateway.resolvers.clocks.own import own_clock
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.views import View


class ClockStatus(StrEnum):
    """Whether a test store's clock goes by itself or is being moved."""

    ready = "ready"
    advancing = "advancing"


class StoreClockView(View):
    """O relógio do ambiente de teste da loja.

    Once ahead, it stays ahead, and goes on as real time does.
    """

    now: datetime = Field(description="Que horas são para a loja, no ambiente de teste.")
    offset_seconds: int = Field(description="Segundos à frente da hora real; zero se o relógio nunca foi movido.")
    status: ClockStatus = Field(
        description="`advancing` enquanto o que vence pelo caminho acontece, em ordem; depois `ready`."
    )
    advancing_to: datetime | None = Field(description="Até onde o relógio está avançando; nulo se não está.")


def clock_view(ctx: Context, row: Mapping[str, Any] | None) -> StoreClockView:
    """The clock in a row of `test_clocks` with `CLOCK_COLUMNS`; without a row it is the real one."""
    real = ctx.real_clock.now()
    own = None if row is None else own_clock(row, ctx.real_clock)
    now, target = real if own is None else own.now(), None if row is None else row["target"]
    return StoreClockView.of(
        {
            "now": now,
            "offset_seconds": round((now - real).total_seconds()),
            "status": ClockStatus.ready if target is None else ClockStatus.advancing,
            "advancing_to": target,
        }
    )

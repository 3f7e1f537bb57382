"""What judging a notice comes to, and what a judge is."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from gateway.integrations.engines.port import Engine, Notice
from gateway.models.base import Environment
from gateway.models.engines import NoticeOutcome
from gateway.resolvers.core.context import Context


class Verdict(Struct, frozen=True):
    """What became of a notice; `detail` says why, to an operator."""

    outcome: NoticeOutcome
    detail: str | None = None
    charge_id: str | None = None


Judge = Callable[[Context, Engine, Environment, Notice], Awaitable[Verdict]]
"""Verifies a notice of one subject and applies what follows. Raises `EngineError` where it can't be verified now; the
notice then waits and is judged again."""

"""`@operation`: the steps around every operation handler, for all transports.

    @operation("charges.issue", Permission.operate, issues=True, creates=True, scope=Scope.charges)
    async def issue_charge(ctx: Context, order: IssueCharge) -> ChargeView: ...

Calling an operation admits the caller, validates the raw, replays or reserves the idempotency key, and runs the verb,
in this order. The registry is what the authorisation matrix, the parity test and the permission table walk.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar, get_type_hints

from msgspec import Struct

from gateway.resolvers.audit.access_denied import REFUSALS, record_denial
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import RULES, Permission, Purpose, authorise, purpose_of, require_live_approval
from gateway.resolvers.core.actor import Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input, RawInput

InputT = TypeVar("InputT", bound=Input)
ResultT = TypeVar("ResultT")
REGISTRY: dict[str, "Operation[Any, Any]"] = {}


class Operation(Struct, Generic[InputT, ResultT], frozen=True, eq=False):
    """A verb with its rules. `name` is `room.verb`; `summary` is the first line of the verb's docstring."""

    name: str
    permission: Permission
    verb: Callable[[Context, InputT], Awaitable[ResultT]]
    input_type: type[InputT]
    result_type: Any
    issues: bool
    creates: bool
    reserves: bool = False
    premise: Callable[[Context], None] | None = None
    scope: Purpose | None = None

    @property
    def summary(self) -> str:
        return (self.verb.__doc__ or "").strip().partition("\n")[0]

    async def __call__(self, ctx: Context, given: InputT | RawInput) -> ResultT:
        return await self.run(await self.admit(ctx), given)

    async def admit(self, ctx: Context) -> Context:
        """Authenticate, authorise, ask the premise and for approval, in this order: the context with its actor, or the
        error that says why not. Transports call it before they read a body.
        """
        if self.permission is Permission.public:
            return ctx
        try:
            if ctx.actor.credential is Credential.none:
                shown = ctx.authenticator
                ctx = ctx.acting_as(await (shown.account() if RULES[self.permission].own else shown.actor()))
            authorise(ctx.actor, self.permission, scope=self.scope)
            if self.premise is not None:
                self.premise(ctx)
            if self.issues and ctx.actor.credential is not Credential.system:
                require_live_approval(ctx.actor)
        except REFUSALS as refusal:
            await record_denial(ctx, self.name, refusal)
            raise
        return ctx

    async def run(self, ctx: Context, given: InputT | RawInput) -> ResultT:
        """Run for a caller who has been admitted."""
        order = given if isinstance(given, self.input_type) else self.input_type.from_raw(given, ctx)  # type: ignore[arg-type]  # what is no input is a raw.
        try:
            if ctx.idempotency_key is None or not self.creates or not ctx.actor.store_id:
                return await self.verb(ctx, order)
            return await idempotency.once(
                ctx, self.name, self.result_type, order, lambda it: self.verb(it, order), reserves=self.reserves
            )
        except REFUSALS as refusal:
            await record_denial(ctx, self.name, refusal, getattr(order, "id", None))
            raise


def operation(
    name: str,
    permission: Permission,
    *,
    issues: bool = False,
    creates: bool = False,
    reserves: bool = False,
    premise: Callable[[Context], None] | None = None,
    scope: Purpose | None = None,
) -> Callable[[Callable[[Context, InputT], Awaitable[ResultT]]], Operation[InputT, ResultT]]:
    """Declare a verb. `issues`: it makes money to receive, so live needs approval. `creates`: it honours
    `Idempotency-Key`, and must call `idempotency.conclude` in the transaction that creates. `reserves`: it reserves the
    key itself, with what it writes first, and only reads before. `premise` raises where the verb makes no sense in
    this deployment; the input is not validated then. `scope`: which API keys may call it, declared
    by every operation that keys may call at all; where its permission is to read, it goes without saying.
    """

    def declare(verb: Callable[[Context, InputT], Awaitable[ResultT]]) -> Operation[InputT, ResultT]:
        hints = get_type_hints(verb)
        result = hints.pop("return")
        input_type = next(hint for hint in hints.values() if hint is not Context)
        purpose = purpose_of(name, permission, scope)
        made = Operation(name, permission, verb, input_type, result, issues, creates, reserves, premise, purpose)
        if REGISTRY.setdefault(name, made) is not made:
            raise ValueError(f"two operations are called {name}")
        return made

    return declare

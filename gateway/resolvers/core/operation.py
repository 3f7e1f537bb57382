"""`@operation`: the steps around every operation handler, for all transports.

    @operation("charges.issue", Permission.operate, needs_live_approval=True, idempotent=True, scope=Scope.charges)
    async def issue_charge(ctx: Context, order: IssueCharge) -> ChargeView: ...

Calling an operation admits the caller, validates the input, replays or reserves the idempotency key, and runs the
handler, in this order. The authorization matrix, the parity test and the permission table iterate over the registry.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar, get_type_hints

from msgspec import Struct

from gateway.errors import GatewayError, TestOnly
from gateway.models.base import Environment
from gateway.resolvers.audit.access_denied import REFUSALS, record_denial
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import RULES, OperationScope, Permission, authorise, require_live_approval, scope_of
from gateway.resolvers.core.actor import Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input, RawInput
from gateway.resolvers.core.listing.exports import ExportTable

InputT = TypeVar("InputT", bound=Input)
ResultT = TypeVar("ResultT")
REGISTRY: dict[str, "Operation[Any, Any]"] = {}


class Operation(Struct, Generic[InputT, ResultT], frozen=True, eq=False):
    """A handler with its rules. `name` is `module.action`; `summary` is the first line of the handler's docstring."""

    name: str
    permission: Permission
    handler: Callable[[Context, InputT], Awaitable[ResultT]]
    input_type: type[InputT]
    result_type: Any
    needs_live_approval: bool
    idempotent: bool
    reserves_key: bool = False
    precondition: Callable[[Context], None] | None = None
    scope: OperationScope | None = None
    table: ExportTable | None = None

    @property
    def summary(self) -> str:
        return (self.handler.__doc__ or "").strip().partition("\n")[0]

    async def __call__(self, ctx: Context, received: InputT | RawInput) -> ResultT:
        return await self.run(await self.admit(ctx), received)

    async def admit(self, ctx: Context) -> Context:
        """Authenticate, authorize, and check the precondition and the live approval, in this order. Returns the context
        with its actor. Transports call it before they read a body.
        """
        if self.permission is Permission.public:
            return ctx
        try:
            if ctx.actor.credential is Credential.none:
                own_account = RULES[self.permission].own_account
                ctx = ctx.with_actor(await (ctx.authenticator.account() if own_account else ctx.authenticator.actor()))
            self._check(ctx)
        except REFUSALS as refusal:
            await record_denial(ctx, self.name, refusal)
            raise
        return ctx

    def refusal(self, ctx: Context) -> GatewayError | None:
        """The error with which `admit` would refuse the authenticated caller of `ctx`, or None."""
        if self.permission is Permission.public:
            return None
        try:
            self._check(ctx)
        except GatewayError as refusal:
            return refusal
        return None

    def _check(self, ctx: Context) -> None:
        """Raise if the caller may not run this operation now."""
        authorise(ctx.actor, self.permission, scope=self.scope)
        if self.precondition is not None:
            self.precondition(ctx)
        if self.needs_live_approval and ctx.actor.credential is not Credential.system:
            require_live_approval(ctx.actor)

    async def run(self, ctx: Context, received: InputT | RawInput) -> ResultT:
        """Run for a caller that `admit` has accepted."""
        order = received if isinstance(received, self.input_type) else self.input_type.from_raw(received, ctx)  # type: ignore[arg-type]  # Not an input, so a `RawInput`.
        try:
            if ctx.idempotency_key is None or not self.idempotent or not ctx.actor.store_id:
                return await self.handler(ctx, order)
            return await idempotency.run_once(
                ctx,
                self.name,
                self.result_type,
                order,
                lambda keyed: self.handler(keyed, order),
                reserves_key=self.reserves_key,
            )
        except REFUSALS as refusal:
            await record_denial(ctx, self.name, refusal, getattr(order, "id", None))
            raise


def require_test(ctx: Context) -> None:
    """The precondition of an operation that only the test environment has. Raises `TestOnly`."""
    if ctx.environment != Environment.test:
        raise TestOnly


def operation(
    name: str,
    permission: Permission,
    *,
    needs_live_approval: bool = False,
    idempotent: bool = False,
    reserves_key: bool = False,
    precondition: Callable[[Context], None] | None = None,
    scope: OperationScope | None = None,
    table: ExportTable | None = None,
) -> Callable[[Callable[[Context, InputT], Awaitable[ResultT]]], Operation[InputT, ResultT]]:
    """Declare an operation.

    `needs_live_approval`: in live, only an approved store may call it.
    `idempotent`: it accepts `Idempotency-Key`, and calls `idempotency.complete` in the transaction of its row.
    `reserves_key`: it reserves the key itself, together with its first write, and only reads before.
    `precondition`: raises if this deployment or environment doesn't offer the operation, before the input is validated.
    `scope`: which API keys may call it. `Permission.read` implies `Scope.read`.
    `table`: what it can write, for an export.
    """

    def declare(handler: Callable[[Context, InputT], Awaitable[ResultT]]) -> Operation[InputT, ResultT]:
        hints = get_type_hints(handler)
        result = hints.pop("return")
        input_type = next(hint for hint in hints.values() if hint is not Context)
        purpose = scope_of(name, permission, scope)
        declared = Operation(
            name,
            permission,
            handler,
            input_type,
            result,
            needs_live_approval,
            idempotent,
            reserves_key,
            precondition,
            purpose,
            table,
        )
        if REGISTRY.setdefault(name, declared) is not declared:
            raise ValueError(f"two operations are called {name}")
        return declared

    return declare

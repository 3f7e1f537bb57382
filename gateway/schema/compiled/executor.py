"""graphql-core's executor, with the plans of objects that are plain."""

from collections.abc import Awaitable
from typing import Any

from graphql import GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema, OperationDefinitionNode
from graphql.execution.collect_fields import FieldDetailsList
from graphql.pyutils import AwaitableOrValue, Path
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from gateway.schema.execution import BoundedExecutor
from gateway.schema.compiled.plans import Plan, PlanBook
from gateway.schema.compiled.straight import Straight

_BOOK = PlanBook()


class CompiledExecutor(BoundedExecutor, StrawberryGraphQLCoreExecutionContext):
    """For `Schema(execution_context_class=…)`, or `graphql.execute(executor_class=…)`."""

    book = _BOOK

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Middleware surrounds each resolver, and what it does isn't ours to skip.
        self._plans = None if self.middleware_manager else self.book.open(self)

    @classmethod
    def straight(cls, schema: GraphQLSchema, operation: OperationDefinitionNode) -> Straight | None:
        """What executes the operation without an executor, if it was met before and is that simple."""
        plans = cls.book.known(operation, schema)
        return plans.straight if plans is not None else None

    def complete_object_value(
        self,
        return_type: GraphQLObjectType,
        field_details_list: FieldDetailsList,
        info: GraphQLResolveInfo[Any],
        path: Path,
        result: Any,
        position_context: Any,
    ) -> AwaitableOrValue[dict[str, Any]]:
        if self._plans is not None and position_context is None:
            plan = self._plans.of(self, return_type, field_details_list)
            if plan is not None:
                try:
                    shown = plan.show(result)
                except Exception:  # noqa: BLE001  # Whatever it is, the reference meets it again and tells it as it should be told.
                    shown = None
                if shown is not None:
                    return self._completed(plan, shown, return_type, path, result) if plan.rest else shown
        return super().complete_object_value(return_type, field_details_list, info, path, result, position_context)

    def _completed(
        self, plan: Plan, shown: dict[str, Any], kind: GraphQLObjectType, path: Path, source: Any
    ) -> AwaitableOrValue[dict[str, Any]]:
        """The object with the fields that a plan leaves to graphql-core."""
        rest = self.execute_fields(kind, source, path, plan.rest, None)
        if self.is_awaitable(rest):
            return _joined(shown, rest)
        shown.update(rest)  # type: ignore[arg-type]  # Not awaitable, so the fields themselves.
        return shown


async def _joined(shown: dict[str, Any], rest: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    shown.update(await rest)
    return shown

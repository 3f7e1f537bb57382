"""graphql-core's executor, with plans for plain objects."""

from collections.abc import Awaitable
from typing import Any

from graphql import GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema, OperationDefinitionNode
from graphql.execution.collect_fields import FieldDetailsList
from graphql.pyutils import AwaitableOrValue, Path
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from gateway.schema.compiled.plan_cache import Plan, PlanCache
from gateway.schema.compiled.single_field import FastPath
from gateway.schema.execution import BoundedExecutor


class CompiledExecutor(BoundedExecutor, StrawberryGraphQLCoreExecutionContext):
    """For `Schema(execution_context_class=…)`, or `graphql.execute(executor_class=…)`."""

    plan_cache = PlanCache()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Plans would skip middleware, which surrounds resolvers.
        self._plans = None if self.middleware_manager else self.plan_cache.open(self)

    @classmethod
    def fast_path(cls, schema: GraphQLSchema, operation: OperationDefinitionNode) -> FastPath | None:
        """Executes the operation without an executor, if it was executed before and is simple enough."""
        plans = cls.plan_cache.known(operation, schema)
        return plans.fast_path if plans is not None else None

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
                    serialized = plan.serialize(result)
                except Exception:  # noqa: BLE001  # graphql-core raises it again, and reports it.
                    serialized = None
                if serialized is not None:
                    return self._complete_rest(plan, serialized, return_type, path, result) if plan.rest else serialized
        return super().complete_object_value(return_type, field_details_list, info, path, result, position_context)

    def _complete_rest(
        self, plan: Plan, serialized: dict[str, Any], kind: GraphQLObjectType, path: Path, source: Any
    ) -> AwaitableOrValue[dict[str, Any]]:
        """Add the fields that graphql-core executes."""
        rest = self.execute_fields(kind, source, path, plan.rest, None)
        if self.is_awaitable(rest):
            return _add(serialized, rest)
        serialized.update(rest)  # type: ignore[arg-type]  # Not awaitable, so the fields themselves.
        return serialized


async def _add(serialized: dict[str, Any], rest: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    serialized.update(await rest)
    return serialized

"""Executing one GraphQL request by graphql-core, so that nothing of it outlives its answer.

When a field that can't be null fails, its siblings are no longer wanted. graphql-core then lets run on in the
background what it was about to await, or cancels it. Either way the answer is ready before they have ended, and a
coroutine that was cancelled before its first step leaves another one in it that nobody ever awaits. What a request has
begun is therefore ended here before it is answered.
"""

import asyncio
from collections.abc import Mapping
from inspect import CORO_CREATED, getcoroutinelocals, getcoroutinestate, iscoroutine
from typing import Any

from graphql import DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema, get_operation_ast
from graphql.execution import Executor
from strawberry.execution import optimized_is_awaitable

from gateway.schema.variable_errors import validate_variables



from math import inf
from time import monotonic
from typing import Any, Final

from graphql import GraphQLObjectType, GraphQLResolveInfo
from graphql.execution import Executor
from graphql.execution.collect_fields import FieldDetailsList, GroupedFieldSet
from graphql.pyutils import AwaitableOrValue, Path, Undefined
from graphql.type import is_introspection_type

from gateway.errors import RequestTookTooLong
from gateway.schema.introspection import Introspection


class Execution:
    """One request's, with as many executors as it takes: none for what goes straight and well."""

    __slots__ = ("_context", "_document", "_executors", "_kind", "_met", "_name", "_schema", "_variables")

    def __init__(
        self,
        schema: GraphQLSchema,
        kind: type[Executor[Any]],
        document: DocumentNode,
        context: Any,
        variables: Mapping[str, Any] | None,
        name: str | None,
    ) -> None:
        self._schema, self._kind, self._document = schema, kind, document
        self._context, self._variables, self._name = context, variables, name
        self._executors: list[Executor[Any]] = []
        self._met: list[Any] = []

    def build(self) -> "list[GraphQLError] | Executor[Any]":
        """An executor of this request, or what is wrong with its variables."""
        built = self._kind.build(
            self._schema,
            self._document,
            context_value=self._context,
            raw_variable_values=self._variables,  # type: ignore[arg-type]  # A dict, says graphql-core, and only reads it.
            operation_name=self._name,
            is_awaitable=self._is_awaitable,  # type: ignore[arg-type]  # A TypeGuard, says graphql-core; Strawberry's is none.
            # What is wrong is told by ourselves, and looking for similar names stumbles over letters such as İ.
            hide_suggestions=True,
            max_coercion_errors=1,
        )
        if isinstance(built, Executor):
            self._executors.append(built)
            return built
        operation = get_operation_ast(self._document, self._name)
        return built if operation is None else validate_variables(self._schema, operation, self._variables or {})

    async def run(self) -> ExecutionResult:
        executor = self.build()
        if isinstance(executor, list):
            return ExecutionResult(None, executor)
        result = executor.execute_operation()
        return result if isinstance(result, ExecutionResult) else await result  # type: ignore[misc]  # Incremental results come of directives that the schema hasn't got.

    async def end(self) -> None:
        """End what is still under way, and what was never begun."""
        under_way = [future for executor in self._executors for future in executor.background_futures]
        if under_way:
            for future in under_way:
                future.cancel()
            await asyncio.wait(under_way)
        for coroutine in self._met:
            _drop(coroutine)
        self._executors.clear()  # Each knows this object by its `is_awaitable`.

    def _is_awaitable(self, value: Any) -> bool:
        # Executors ask this of whatever they may have to await, but for what they put around the items of a list.
        if not optimized_is_awaitable(value):
            return False
        if iscoroutine(value):
            self._met.append(value)
        return True


def _drop(value: Any) -> None:
    """Close a coroutine that was never begun, and those that it would have awaited."""
    if iscoroutine(value):
        # What has begun has ended by now, or is cancelled with the request itself and takes its last step alone.
        if getcoroutinestate(value) == CORO_CREATED:
            held = getcoroutinelocals(value)
            value.close()
            _drop(held)
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            _drop(each)


MAX_SECONDS: Final = 30.0
"""For one request. A mutation that has begun is completed, and those after it are refused."""


class BoundedExecutor(Executor[Any]):
    _introspection: Introspection | None = None

    def execute_fields_serially(
        self,
        parent_type: GraphQLObjectType,
        source_value: Any,
        path: Path | None,
        grouped_field_set: GroupedFieldSet,
        position_context: Any,
    ) -> AwaitableOrValue[dict[str, Any]]:
        return self._execute_in_turn(parent_type, source_value, path, grouped_field_set, position_context)

    async def _execute_in_turn(
        self, kind: GraphQLObjectType, source: Any, path: Path | None, fields: GroupedFieldSet, position: Any
    ) -> dict[str, Any]:
        results: dict[str, Any] = {}
        for name, asked in fields.items():
            here = Path(path, name, kind.name)
            field = self.schema.get_field(kind, asked[0].node.name.value)
            assert field is not None, "the document was validated"
            if monotonic() > getattr(self.context_value, "ends", inf):
                self.handle_field_error(RequestTookTooLong(), field.type, asked, here)
                results[name] = None
                continue
            result = self.execute_field(kind, source, asked, here, position)
            if self.is_awaitable(result):
                result = await result
            if result is not Undefined:
                results[name] = result
        return results

    def complete_object_value(
        self,
        return_type: GraphQLObjectType,
        field_details_list: FieldDetailsList,
        info: GraphQLResolveInfo[Any],
        path: Path,
        result: Any,
        position_context: Any,
    ) -> AwaitableOrValue[dict[str, Any]]:
        if is_introspection_type(return_type):
            self._introspection = self._introspection or Introspection(self)
            shown: dict[str, Any] = self._introspection.show(return_type, field_details_list, info, result)
            return shown
        return super().complete_object_value(return_type, field_details_list, info, path, result, position_context)

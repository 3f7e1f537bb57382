"""Executes one GraphQL request by graphql-core, within a time limit, and ends its tasks before the response.

If a non-null field fails, graphql-core leaves its siblings running or cancels them, and does not wait. A coroutine that
is cancelled before its first step leaves an inner one that is never awaited. `Execution.end` ends both.
"""

import asyncio
from collections.abc import AsyncIterable, Mapping
from inspect import CORO_CREATED, getcoroutinelocals, getcoroutinestate, isawaitable, iscoroutine
from math import inf
from time import monotonic
from typing import Any, Final

from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    create_source_event_stream,
    get_operation_ast,
)
from graphql.execution import Executor
from graphql.execution.collect_fields import FieldDetailsList, GroupedFieldSet
from graphql.pyutils import AwaitableOrValue, Path, Undefined
from graphql.type import is_introspection_type
from strawberry.execution import optimized_is_awaitable

from gateway.errors import RequestTookTooLong
from gateway.schema.introspection import Introspection
from gateway.schema.variable_errors import validate_variables


class Execution:
    """The execution of one request. The fast path needs no executor unless it fails."""

    def __init__(
        self,
        schema: GraphQLSchema,
        kind: type[Executor[Any]],
        document: DocumentNode,
        context: Any,
        variables: Mapping[str, Any] | None,
        name: str | None,
        root: Any = None,
    ) -> None:
        self._schema, self._kind, self._document = schema, kind, document
        self._context, self._variables, self._name = context, variables, name
        self._root = root
        self._executors: list[Executor[Any]] = []
        self._coroutines: list[Any] = []

    def build(self) -> "list[GraphQLError] | Executor[Any]":
        """An executor of this request, or the errors of its variables."""
        built = self._kind.build(
            self._schema,
            self._document,
            root_value=self._root,
            context_value=self._context,
            raw_variable_values=self._variables,  # type: ignore[arg-type]  # Declared as a dict, but only read.
            operation_name=self._name,
            is_awaitable=self._is_awaitable,  # type: ignore[arg-type]  # Declared as a TypeGuard, which Strawberry's isn't.
            # `validate_variables` makes the messages; graphql-core's suggestions fail for letters such as İ.
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
        return result if isinstance(result, ExecutionResult) else await result  # type: ignore[misc]  # The schema has no directives for incremental results.

    async def subscribe(self) -> AsyncIterable[Any] | ExecutionResult:
        """The events of a subscription, or the errors that prevent it. Each event is the `root` of an execution."""
        executor = self.build()
        if isinstance(executor, list):
            return ExecutionResult(None, executor)
        source = create_source_event_stream(executor)
        return await source if isawaitable(source) else source

    async def end(self) -> None:
        """Cancel running tasks, and close coroutines that never started."""
        running = [future for executor in self._executors for future in executor.background_futures]
        if running:
            for future in running:
                future.cancel()
            await asyncio.wait(running)
        for coroutine in self._coroutines:
            _cancel(coroutine)
        self._executors.clear()  # They hold this object through `is_awaitable`.

    def _is_awaitable(self, value: Any) -> bool:
        if not optimized_is_awaitable(value):
            return False
        if iscoroutine(value):
            self._coroutines.append(value)
        return True


def _cancel(value: Any) -> None:
    """Close a coroutine that never started, and those that it would have awaited."""
    if iscoroutine(value):
        if getcoroutinestate(value) == CORO_CREATED:
            inner = getcoroutinelocals(value)
            value.close()
            _cancel(inner)
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            _cancel(each)


MAX_SECONDS: Final = 30.0
"""For one request. A started mutation is completed; those after it are refused."""


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
        for name, nodes in fields.items():
            here = Path(path, name, kind.name)
            field = self.schema.get_field(kind, nodes[0].node.name.value)
            assert field is not None, "the document was validated"
            if monotonic() > getattr(self.context_value, "ends", inf):
                self.handle_field_error(RequestTookTooLong(), field.type, nodes, here)
                results[name] = None
                continue
            result = self.execute_field(kind, source, nodes, here, position)
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
            completed: dict[str, Any] = self._introspection.show(return_type, field_details_list, info, result)
            return completed
        return super().complete_object_value(return_type, field_details_list, info, path, result, position_context)

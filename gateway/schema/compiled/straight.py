"""An operation of one root field, executed without an executor.

Making graphql-core's executor, coercing variables by it, and the five coroutines that it and Strawberry put around a
resolver cost more than all else that a small request costs here. What they find out is the same each time, so it is
found out once. What is left for each request is to coerce the variables (`inputs`), to call the resolver (`calls`) and
to show what it returns (`plans`):

    query($txid: String!) { charge(txid: $txid) { id amount } }

Whatever is irregular before the resolver is called leaves the request to graphql-core as if nothing had been tried.
Whatever is irregular afterwards, an error above all, makes an executor for the rest: it completes the value, or tells
the error and propagates the null.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

import strawberry
from graphql import ExecutionResult, FieldNode, GraphQLError, GraphQLOutputType, OperationDefinitionNode
from graphql.execution import Executor
from graphql.execution.collect_fields import FieldDetails, FieldDetailsList
from graphql.pyutils import Path
from strawberry.execution import optimized_is_awaitable

from gateway.schema.compiled import inputs
from gateway.schema.compiled.calls import Call
from gateway.schema.compiled.leaves import Irregular

Build: TypeAlias = Callable[[], "list[GraphQLError] | Executor[Any]"]
Complete: TypeAlias = Callable[[GraphQLOutputType, FieldDetailsList], Callable[[Any], Any] | None]


class Straight:
    """One operation. Making it raises `Irregular` where graphql-core does better."""

    def __init__(self, executor: "Executor[Any]", completion: Complete) -> None:
        operation, schema = executor.operation, executor.schema
        node = _only_field(operation)
        root = schema.get_root_type(operation.operation)
        if root is None or node.name.value not in root.fields:
            raise Irregular
        self.operation = operation
        self.root, self.definition = root, root.fields[node.name.value]
        self.details = [FieldDetails(node, None)]
        self.name = node.alias.value if node.alias else node.name.value
        self.call = Call(schema, self.definition, node)
        self._variables = inputs.variables(schema, operation)
        self._show = completion(self.definition.type, self.details) or _refuse

    async def run(self, context: Any, variables: Mapping[str, Any] | None, build: Build) -> ExecutionResult | None:
        """The result, or None if nothing was done. `build` makes the executor of this very request."""
        info = StraightInfo(self, context, build)
        try:
            arguments = self.call.arguments(self._variables(variables or {}), info)
        except Exception:  # noqa: BLE001  # Whatever it is, graphql-core meets it again and tells it as it should be told.
            return None
        try:
            value = self.call(arguments)
            if optimized_is_awaitable(value):
                value = await value
        except Exception as error:  # noqa: BLE001  # As graphql-core does: it becomes one of the answer's errors.
            return info.failed(error)
        try:
            return ExecutionResult({self.name: self._show(value)}, None)
        except Exception:  # noqa: BLE001  # As above.
            return await info.completed(value)


class StraightInfo(strawberry.Info[Any, Any]):
    """Strawberry's info of the one field. What resolvers rarely ask for is made when one does, by an executor."""

    def __init__(self, straight: Straight, context: Any, build: Build) -> None:
        self._field = straight.call.field
        self._straight = straight
        self._context = context
        self._build = build

    @property
    def context(self) -> Any:
        return self._context

    @property
    def operation(self) -> OperationDefinitionNode:
        return self._straight.operation

    @property
    def field_nodes(self) -> list[FieldNode]:
        return [details.node for details in self._straight.details]

    @cached_property
    def _executor(self) -> "Executor[Any]":
        executor = self._build()
        assert isinstance(executor, Executor), "graphql-core refuses variables that we took"
        return executor

    @cached_property
    def _path(self) -> Path:
        return Path(None, self._straight.name, self._straight.root.name)

    @cached_property
    def _raw_info(self) -> Any:  # type: ignore[override]  # Nobody writes it, but Strawberry's constructor, which isn't ours.
        straight = self._straight
        return self._executor.build_resolve_info(straight.definition, self.field_nodes, straight.root, self._path)

    async def completed(self, value: Any) -> ExecutionResult:
        """The result by graphql-core, with a value that the plan doesn't expect."""
        straight, executor = self._straight, self._executor
        try:
            shown = executor.complete_value(
                straight.definition.type, straight.details, self._raw_info, self._path, value, None
            )
            if optimized_is_awaitable(shown):
                shown = await shown
        except Exception as error:  # noqa: BLE001  # As graphql-core does.
            return self.failed(error)
        return self._response({straight.name: shown})

    def failed(self, error: Exception) -> ExecutionResult:
        """The result by graphql-core, with an error in place of the field's value."""
        straight, executor = self._straight, self._executor
        try:
            executor.handle_field_error(error, straight.definition.type, straight.details, self._path)
        except GraphQLError as located:  # Nothing around the field may be null.
            executor.collected_errors.add(located, None)
            return self._response(None)
        return self._response({straight.name: None})

    def _response(self, data: dict[str, Any] | None) -> ExecutionResult:
        response = self._executor.build_response(data)
        assert isinstance(response, ExecutionResult), "only directives that the schema hasn't got make it incremental"
        return response


def _only_field(operation: OperationDefinitionNode) -> FieldNode:
    """The one field that the operation selects, whatever its variables are."""
    chosen = operation.selection_set.selections
    if len(chosen) != 1 or not isinstance(chosen[0], FieldNode) or chosen[0].directives or operation.directives:
        raise Irregular
    return chosen[0]


def _refuse(_value: Any) -> Any:
    """What shows the value of a field that graphql-core completes."""
    raise Irregular

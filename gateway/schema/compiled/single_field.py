"""Executes an operation of one root field without graphql-core's executor:

    query($txid: String!) { charge(txid: $txid) { id amount } }

A request then only coerces its variables (`coercion`), calls the resolver, and serializes the result (`plan_cache`).
`Fallback` before the call leaves the request to graphql-core. An error after it creates an executor, which completes
the value, or reports the error and propagates the null.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, TypeAlias

import strawberry
from graphql import (
    ExecutionResult,
    FieldNode,
    GraphQLArgument,
    GraphQLError,
    GraphQLField,
    GraphQLOutputType,
    GraphQLSchema,
    OperationDefinitionNode,
    Undefined,
    VariableNode,
    get_nullable_type,
    is_leaf_type,
    is_non_null_type,
    is_required_argument,
)
from graphql.execution import Executor
from graphql.execution.collect_fields import FieldDetails, FieldDetailsList
from graphql.pyutils import Path
from graphql.utilities import coerce_input_literal
from msgspec import Struct
from strawberry.execution import optimized_is_awaitable
from strawberry.relay import GlobalID
from strawberry.types.arguments import InputContext, StrawberryArgument, convert_argument
from strawberry.types.base import StrawberryMaybe, StrawberryOptional, has_object_definition
from strawberry.types.field import StrawberryField

from gateway.schema.compiled.coercion import coerce_variables, constant, constant_default
from gateway.schema.compiled.completion import Fallback

Build: TypeAlias = Callable[[], "list[GraphQLError] | Executor[Any]"]
Complete: TypeAlias = Callable[[GraphQLOutputType, FieldDetailsList], Callable[[Any], Any] | None]


class FastPath:
    """The fast path of one operation. The constructor raises `Fallback` if graphql-core has to execute it."""

    def __init__(self, executor: "Executor[Any]", completion: Complete) -> None:
        operation, schema = executor.operation, executor.schema
        node = _only_field(operation)
        root = schema.get_root_type(operation.operation)
        if root is None or node.name.value not in root.fields:
            raise Fallback
        self.operation = operation
        self.root, self.definition = root, root.fields[node.name.value]
        self.details = [FieldDetails(node, None)]
        self.name = node.alias.value if node.alias else node.name.value
        self.call = ResolverCall(schema, self.definition, node)
        self._variables = coerce_variables(schema, operation)
        self._serialize = completion(self.definition.type, self.details) or _fall_back

    async def run(self, context: Any, variables: Mapping[str, Any] | None, build: Build) -> ExecutionResult | None:
        """The result, or None if nothing was executed. `build` creates the executor of the request."""
        info = FastPathInfo(self, context, build)
        try:
            arguments = self.call.arguments(self._variables(variables or {}), info)
        except Exception:  # noqa: BLE001  # graphql-core raises it again, and reports it.
            return None
        try:
            value = self.call(arguments)
            if optimized_is_awaitable(value):
                value = await value
        except Exception as error:  # noqa: BLE001  # As graphql-core does: it becomes an error of the response.
            return info.failed(error)
        try:
            return ExecutionResult({self.name: self._serialize(value)}, None)
        except Exception:  # noqa: BLE001  # As above.
            return await info.completed(value)


class FastPathInfo(strawberry.Info[Any, Any]):
    """Strawberry's info of the field. Rarely used attributes are created on demand, by an executor."""

    def __init__(self, fast_path: FastPath, context: Any, build: Build) -> None:
        self._field = fast_path.call.field
        self._fast_path = fast_path
        self._context = context
        self._build = build

    @property
    def context(self) -> Any:
        return self._context

    @property
    def operation(self) -> OperationDefinitionNode:
        return self._fast_path.operation

    @property
    def field_nodes(self) -> list[FieldNode]:
        return [details.node for details in self._fast_path.details]

    @cached_property
    def _executor(self) -> "Executor[Any]":
        executor = self._build()
        assert isinstance(executor, Executor), "graphql-core refuses variables that were coerced"
        return executor

    @cached_property
    def _path(self) -> Path:
        return Path(None, self._fast_path.name, self._fast_path.root.name)

    @cached_property
    def _raw_info(self) -> Any:  # type: ignore[override]  # Only Strawberry's constructor sets it, which is not called.
        fast_path = self._fast_path
        return self._executor.build_resolve_info(fast_path.definition, self.field_nodes, fast_path.root, self._path)

    async def completed(self, value: Any) -> ExecutionResult:
        """The result that graphql-core makes of a value that the plan doesn't expect."""
        fast_path, executor = self._fast_path, self._executor
        try:
            completed = executor.complete_value(
                fast_path.definition.type, fast_path.details, self._raw_info, self._path, value, None
            )
            if optimized_is_awaitable(completed):
                completed = await completed
        except Exception as error:  # noqa: BLE001  # As graphql-core does.
            return self.failed(error)
        return self._response({fast_path.name: completed})

    def failed(self, error: Exception) -> ExecutionResult:
        """The result that graphql-core makes of an error of the field."""
        fast_path, executor = self._fast_path, self._executor
        try:
            executor.handle_field_error(error, fast_path.definition.type, fast_path.details, self._path)
        except GraphQLError as located:  # The root field is non-null.
            executor.collected_errors.add(located, None)
            return self._response(None)
        return self._response({fast_path.name: None})

    def _response(self, data: dict[str, Any] | None) -> ExecutionResult:
        response = self._executor.build_response(data)
        assert isinstance(response, ExecutionResult), "the schema has no directives for incremental results"
        return response


def _only_field(operation: OperationDefinitionNode) -> FieldNode:
    """The only field of the operation, which has no directives."""
    chosen = operation.selection_set.selections
    if len(chosen) != 1 or not isinstance(chosen[0], FieldNode) or chosen[0].directives or operation.directives:
        raise Fallback
    return chosen[0]


def _fall_back(_value: Any = None) -> Any:
    raise Fallback


class _VariableArgument(Struct, frozen=True):
    """An argument with a variable as its value. `convert` is None if Strawberry passes the value on."""

    name: str
    variable: str
    nullable: bool
    convert: Callable[..., Any] | None


class ResolverCall:
    """Calls the resolver of a field. The constructor raises `Fallback` for permissions, extensions, exception handlers
    and literals that aren't plain constants.
    """

    def __init__(self, schema: GraphQLSchema, definition: GraphQLField, node: FieldNode) -> None:
        self._strawberry: strawberry.Schema = getattr(schema, "_strawberry_schema", None) or _fall_back()
        self.field = _plain(self._strawberry, definition)
        self._resolver = self.field.base_resolver or _fall_back()
        self._constants: dict[str, Any] = {}
        self._variable_arguments: list[_VariableArgument] = []
        names = self._strawberry.config.name_converter
        owned = {names.from_argument(argument): argument for argument in self.field.arguments}
        literals = {argument.name.value: argument.value for argument in node.arguments or ()}
        for name, argument in definition.args.items():
            self._take(argument, owned[argument.out_name or name], literals.get(name))

    def arguments(self, variables: Mapping[str, Any], info: Any) -> dict[str, Any]:
        """The resolver's arguments of coerced variables. Raises for unexpected values."""
        arguments = self._constants.copy()
        for one in self._variable_arguments:
            if one.variable in variables:
                value = variables[one.variable]
                if value is None and not one.nullable:
                    raise Fallback
                arguments[one.name] = one.convert(value, info=info) if one.convert else value
        if self._resolver.info_parameter:
            arguments[self._resolver.info_parameter.name] = info
        return arguments

    def __call__(self, arguments: dict[str, Any]) -> Any:
        """The result of the resolver, which may be awaitable."""
        resolve: Callable[..., Any] = self._resolver
        return resolve(None, **arguments) if self._resolver.self_parameter else resolve(**arguments)

    def _take(self, argument: GraphQLArgument, owned: StrawberryArgument, literal: Any) -> None:
        name = owned.python_name or _fall_back()
        convert = self._conversion(argument, owned)
        value = constant_default(argument)
        if isinstance(literal, VariableNode):
            # Validation guarantees a required variable for a required argument.
            self._variable_arguments.append(
                _VariableArgument(name, literal.name.value, not is_non_null_type(argument.type), convert)
            )
        elif literal is not None:
            value = constant(coerce_input_literal(literal, argument.type))
            if value is Undefined or convert is not None:
                raise Fallback
        elif is_required_argument(argument):
            raise Fallback
        if value is not Undefined:
            if value is not None and convert is not None:
                raise Fallback
            self._constants[name] = value

    def _conversion(self, argument: GraphQLArgument, owned: StrawberryArgument) -> Callable[..., Any] | None:
        """Strawberry's conversion of a coerced value, or None."""
        kind = owned.type.of_type if type(owned.type) is StrawberryOptional else owned.type
        passed_on = is_leaf_type(get_nullable_type(argument.type)) and kind is not GlobalID
        if passed_on and not isinstance(kind, StrawberryMaybe):
            return None
        config, registry = self._strawberry.config, self._strawberry.schema_converter.scalar_registry
        path = (config.name_converter.from_argument(owned),)
        if isinstance(kind, type) and has_object_definition(kind):
            make = kind.__strawberry_definition__.from_input
            if make is not None:
                # The same as `convert_argument`, but faster.
                return lambda value, info: (
                    None if value is None else make(kind, value, InputContext(info, config, registry, path))
                )
        return partial(convert_argument, type_=owned.type, scalar_registry=registry, config=config, path=path)


def _plain(schema: strawberry.Schema, definition: GraphQLField) -> StrawberryField:
    """The field's declaration, if it has a resolver and nothing else."""
    field = definition.extensions.get("strawberry-definition")
    if type(field) is not StrawberryField or field.base_resolver is None or field.extensions:
        raise Fallback
    resolver = field.base_resolver
    if schema.exception_handlers or resolver.root_parameter or resolver.parent_parameter:
        raise Fallback
    return field

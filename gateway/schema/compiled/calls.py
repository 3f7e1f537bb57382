"""The call of a root field's resolver: its arguments from the variables, without what graphql-core and
Strawberry find out anew each time.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import strawberry
from graphql import (
    FieldNode,
    GraphQLArgument,
    GraphQLField,
    GraphQLSchema,
    Undefined,
    VariableNode,
    get_nullable_type,
    is_leaf_type,
    is_non_null_type,
    is_required_argument,
)
from graphql.utilities import coerce_input_literal
from msgspec import Struct
from strawberry.relay import GlobalID
from strawberry.types.arguments import InputContext, StrawberryArgument, convert_argument
from strawberry.types.base import StrawberryMaybe, StrawberryOptional, has_object_definition
from strawberry.types.field import StrawberryField

from gateway.schema.compiled.inputs import constant, constant_default
from gateway.schema.compiled.leaves import Irregular


class _Varying(Struct, frozen=True):
    """An argument that a variable gives. `convert` is None where Strawberry passes values on as they are."""

    name: str
    variable: str
    nullable: bool
    convert: Callable[..., Any] | None


class Call:
    """Calls the resolver that one field of a document means. Making it raises `Irregular` where that takes more than a
    call: permissions, extensions, handlers of exceptions, a literal that isn't a plain constant.
    """

    def __init__(self, schema: GraphQLSchema, definition: GraphQLField, node: FieldNode) -> None:
        self._strawberry: strawberry.Schema = getattr(schema, "_strawberry_schema", None) or _refuse()
        self.field = _plain(self._strawberry, definition)
        self._resolver = self.field.base_resolver or _refuse()
        self._constant: dict[str, Any] = {}
        self._varying: list[_Varying] = []
        names = self._strawberry.config.name_converter
        owned = {names.from_argument(argument): argument for argument in self.field.arguments}
        given = {argument.name.value: argument.value for argument in node.arguments or ()}
        for name, argument in definition.args.items():
            self._take(argument, owned[argument.out_name or name], given.get(name))

    def arguments(self, variables: Mapping[str, Any], info: Any) -> dict[str, Any]:
        """The resolver's arguments by the coerced variables. Raises where a value isn't one that the call expects."""
        arguments = self._constant.copy()
        for one in self._varying:
            if one.variable in variables:
                value = variables[one.variable]
                if value is None and not one.nullable:
                    raise Irregular
                arguments[one.name] = one.convert(value, info=info) if one.convert else value
        if self._resolver.info_parameter:
            arguments[self._resolver.info_parameter.name] = info
        return arguments

    def __call__(self, arguments: dict[str, Any]) -> Any:
        """What the resolver returns, which may be awaitable. A root has no source."""
        resolve: Callable[..., Any] = self._resolver
        return resolve(None, **arguments) if self._resolver.self_parameter else resolve(**arguments)

    def _take(self, argument: GraphQLArgument, owned: StrawberryArgument, given: Any) -> None:
        name = owned.python_name or _refuse()
        convert = self._conversion(argument, owned)
        value = constant_default(argument)
        if isinstance(given, VariableNode):
            # Where the argument is required, validation has seen to it that the variable is.
            self._varying.append(_Varying(name, given.name.value, not is_non_null_type(argument.type), convert))
        elif given is not None:
            value = constant(coerce_input_literal(given, argument.type))
            if value is Undefined or convert is not None:
                raise Irregular
        elif is_required_argument(argument):
            raise Irregular
        if value is not Undefined:
            if value is not None and convert is not None:
                raise Irregular
            self._constant[name] = value

    def _conversion(self, argument: GraphQLArgument, owned: StrawberryArgument) -> Callable[..., Any] | None:
        """What Strawberry makes of a coerced value; None if nothing."""
        kind = owned.type.of_type if type(owned.type) is StrawberryOptional else owned.type
        passed_on = is_leaf_type(get_nullable_type(argument.type)) and kind is not GlobalID
        if passed_on and not isinstance(kind, StrawberryMaybe):
            return None
        config, registry = self._strawberry.config, self._strawberry.schema_converter.scalar_registry
        path = (config.name_converter.from_argument(owned),)
        if isinstance(kind, type) and has_object_definition(kind):
            make = kind.__strawberry_definition__.from_input
            if make is not None:
                # As `convert_argument` does with such a class, which takes six times as long to find out that it is
                # one.
                return lambda value, info: (
                    None if value is None else make(kind, value, InputContext(info, config, registry, path))
                )
        return partial(convert_argument, type_=owned.type, scalar_registry=registry, config=config, path=path)


def _plain(schema: strawberry.Schema, definition: GraphQLField) -> StrawberryField:
    """The field's own declaration, if its resolver is called and nothing else."""
    field = definition.extensions.get("strawberry-definition")
    if type(field) is not StrawberryField or field.base_resolver is None or field.extensions:
        raise Irregular
    resolver = field.base_resolver
    if schema.exception_handlers or resolver.root_parameter or resolver.parent_parameter:
        raise Irregular
    return field


def _refuse() -> Any:
    raise Irregular

"""graphql-core's executor, within what one request may cost."""

from math import inf
from time import monotonic
from typing import Any, Final

from graphql import GraphQLField, GraphQLObjectType, GraphQLResolveInfo, get_named_type, is_input_object_type
from graphql.execution import Executor
from graphql.execution.collect_fields import FieldDetailsList, GroupedFieldSet
from graphql.pyutils import AwaitableOrValue, Path, Undefined
from graphql.type import is_introspection_type

from gateway.errors import GatewayError, InvalidInput, RequestTookTooLong
from gateway.schema.introspection import Introspection

MAX_SECONDS: Final = 30.0
"""For one request. A mutation that has begun is completed, and those after it are refused."""
MAX_PASSWORDS: Final = 2
"""Mutations of one request that take a password: hashing one costs thirty milliseconds."""


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
        passwords = 0
        for name, asked in fields.items():
            here = Path(path, name, kind.name)
            field = self.schema.get_field(kind, asked[0].node.name.value)
            assert field is not None, "the document was validated"
            takes_password = _takes_password(field)
            passwords += takes_password
            refused = self._refused(passwords if takes_password else 0)
            if refused is not None:
                self.handle_field_error(refused, field.type, asked, here)
                results[name] = None
                continue
            result = self.execute_field(kind, source, asked, here, position)
            if self.is_awaitable(result):
                result = await result
            if result is not Undefined:
                results[name] = result
        return results

    def _refused(self, passwords: int) -> GatewayError | None:
        """Why the next mutation isn't executed, if it isn't."""
        if passwords > MAX_PASSWORDS:
            return InvalidInput(message=f"No máximo {MAX_PASSWORDS} comandos com senha por requisição.")
        return RequestTookTooLong() if monotonic() > getattr(self.context_value, "ends", inf) else None

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


def _takes_password(field: GraphQLField) -> bool:
    """Whether a mutation has a password among its arguments or in its input."""
    kinds = {name: get_named_type(argument.type) for name, argument in field.args.items()}
    within = [name for kind in kinds.values() if is_input_object_type(kind) for name in kind.fields]
    return any("password" in name.lower() for name in [*kinds, *within])

"""graphql-core's executor, within what one request may cost."""

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

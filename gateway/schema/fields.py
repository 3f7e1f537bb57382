"""Fields that call one operation, and fields with the objects that a view refers to.

    product = query_field(products.read_product, "Um produto.", id=strawberry.ID)
    create_product = mutation_field(products.create_product, "Cria um produto.", input=CreateProduct)

A field that does more has its own resolver.
"""

from collections.abc import Callable
from datetime import datetime
from inspect import Parameter, Signature
from typing import Annotated, Any, get_args, get_origin

import strawberry

from gateway.resolvers.core.operation import Operation
from gateway.resolvers.core.views import Page
from gateway.schema.context import Find, Info
from gateway.values.money import Centavos


def query_field(operation: Operation[Any, Any], description: str, **arguments: Any) -> Any:
    """The field that calls an operation with `arguments`, types by name, or with all of `input`. An absent optional
    argument is null. Of a page the field returns the items.
    """
    return strawberry.field(resolver=_resolver(operation, arguments), description=description)


def mutation_field(operation: Operation[Any, Any], description: str, **arguments: Any) -> Any:
    """As `query_field`, for `Mutation`."""
    return strawberry.mutation(resolver=_resolver(operation, arguments), description=description)


def _resolver(operation: Operation[Any, Any], arguments: dict[str, Any]) -> Callable[..., Any]:
    result = operation.result_type
    is_page = get_origin(result) is Page
    defaults = {name: None for name, kind in arguments.items() if _is_optional(kind)}

    async def resolve(info: Info, **sent: Any) -> Any:
        raw = sent["input"] if "input" in arguments else defaults | sent
        returned = await operation(info.context.call, raw)
        return returned.items if is_page else returned

    parameters = [Parameter("info", Parameter.KEYWORD_ONLY, annotation=Info)]
    parameters += [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=defaults.get(name, Parameter.empty))
        for name, kind in arguments.items()
    ]
    returned = list[get_args(result)[0]] if is_page else result  # type: ignore[misc]  # Made of data.
    resolve.__signature__ = Signature(parameters, return_annotation=returned)  # type: ignore[attr-defined]  # Python reads it.
    return resolve


def _is_optional(kind: Any) -> bool:
    declared = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    return type(None) in get_args(declared)


def relation(read: Operation[Any, Any], find: Find[Any], reference: str, description: str) -> Any:
    """The field with the object whose id is the attribute `reference` of its parent. A deleted object is null."""

    async def resolve(parent: strawberry.Parent[Any], info: Info) -> Any:
        known = getattr(parent, reference)
        return await info.context.loaders.by_id(read, find).load(known) if known else None

    resolve.__annotations__["return"] = read.result_type | None
    return strawberry.field(resolver=resolve, description=description)


def paid_fields(reference: str) -> dict[str, Any]:
    """The fields with the totals of the paid charges that refer to their parent. They share one query per list."""

    async def paid_count(parent: strawberry.Parent[Any], info: Info) -> int:
        return (await info.context.loaders.paid_totals(reference).load(parent.id)).count

    async def paid_amount(parent: strawberry.Parent[Any], info: Info) -> Centavos:
        return Centavos((await info.context.loaders.paid_totals(reference).load(parent.id)).amount)

    async def last_paid_at(parent: strawberry.Parent[Any], info: Info) -> datetime | None:
        return (await info.context.loaders.paid_totals(reference).load(parent.id)).last_paid_at

    return {
        "paid_count": strawberry.field(resolver=paid_count, description="Cobranças pagas; as devolvidas não contam."),
        "paid_amount": strawberry.field(resolver=paid_amount, description="Soma das cobranças pagas, em reais."),
        "last_paid_at": strawberry.field(resolver=last_paid_at, description="Quando a última delas foi paga."),
    }

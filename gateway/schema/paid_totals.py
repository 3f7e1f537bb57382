"""The fields `paidCount`, `paidAmount` and `lastPaidAt` of an object. They share one query per list."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import strawberry
from strawberry.dataloader import DataLoader

from gateway.resolvers.charges.paid_totals import PaidTotals
from gateway.schema.context import Info, Loaders
from gateway.values.money import Centavos

Loader = Callable[[Loaders], DataLoader[str, PaidTotals]]


def paid_fields(loader: Loader) -> dict[str, Any]:
    """The fields for `define_output`."""

    async def paid_count(parent: strawberry.Parent[Any], info: Info) -> int:
        return (await loader(info.context.loaders).load(parent.id)).count

    async def paid_amount(parent: strawberry.Parent[Any], info: Info) -> Centavos:
        return Centavos((await loader(info.context.loaders).load(parent.id)).amount)

    async def last_paid_at(parent: strawberry.Parent[Any], info: Info) -> datetime | None:
        return (await loader(info.context.loaders).load(parent.id)).last_paid_at

    return {
        "paid_count": strawberry.field(resolver=paid_count, description="Cobranças pagas; as devolvidas não contam."),
        "paid_amount": strawberry.field(resolver=paid_amount, description="Soma das cobranças pagas, em reais."),
        "last_paid_at": strawberry.field(resolver=last_paid_at, description="Quando a última delas foi paga."),
    }


def discounted_amount(loader: Loader) -> Any:
    """The field with the discounts of paid charges."""

    async def resolve(parent: strawberry.Parent[Any], info: Info) -> Centavos:
        return Centavos((await loader(info.context.loaders).load(parent.id)).discount)

    return strawberry.field(resolver=resolve, description="Soma dos descontos das cobranças pagas, em reais.")

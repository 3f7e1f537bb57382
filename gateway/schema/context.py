"""What GraphQL resolvers find in `info.context`: the call's context, and the loaders of this one request."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

import strawberry
from graphql import FieldNode

from gateway.errors import InvalidInput
from gateway.models.patience import PatientDatabase
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.pages import MAX_ROWS


from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from strawberry.dataloader import DataLoader

from gateway.errors import GatewayError
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import charges_per, list_charges
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.views import Page
from gateway.resolvers.coupons.operations import coupons_by_id, read_coupon
from gateway.resolvers.coupons.types import CouponView
from gateway.resolvers.customers.operations import customers_by_id, read_customer
from gateway.resolvers.customers.types import CustomerView
from gateway.resolvers.payment_links.operations import payment_links_by_id, read_payment_link
from gateway.resolvers.payment_links.types import PaymentLinkView
from gateway.resolvers.products.operations import products_by_id, read_product
from gateway.resolvers.products.types import ProductView
from gateway.resolvers.subscriptions.read import read_subscription, subscriptions_by_id
from gateway.resolvers.subscriptions.types import SubscriptionView


MAX_LIST_COST = 50_000
"""What all rows of all lists of one request may cost: graphql-core takes three microseconds for a plain field."""




ChargesKey = tuple[str, ListCharges]
"""The id of a customer or a subscription, and which of their charges."""


class Loaders:
    """The loaders of one request, made when first used."""

    def __init__(self, call: Context) -> None:
        self._call = call

    @cached_property
    def customers(self) -> DataLoader[str, CustomerView | None]:
        """Customers by id; one that is gone is None."""
        return DataLoader(self._customers)

    @cached_property
    def products(self) -> DataLoader[str, ProductView | None]:
        """Products by id; one that is gone is None."""
        return DataLoader(self._products)

    @cached_property
    def coupons(self) -> DataLoader[str, CouponView | None]:
        """Coupons by id; one that is gone is None."""
        return DataLoader(self._coupons)

    @cached_property
    def payment_links(self) -> DataLoader[str, PaymentLinkView | None]:
        """Payment links by id; one that is gone is None."""
        return DataLoader(self._payment_links)

    @cached_property
    def subscriptions(self) -> DataLoader[str, SubscriptionView | None]:
        """Subscriptions by id; one that is gone is None."""
        return DataLoader(self._subscriptions)

    @cached_property
    def charges_of_subscriptions(self) -> DataLoader[ChargesKey, Page[ChargeView]]:
        """A slice of the charges of a subscription."""
        return DataLoader(self._charges_of_subscriptions)

    @cached_property
    def charges_of_customers(self) -> DataLoader[ChargesKey, Page[ChargeView]]:
        """A slice of the charges of a customer."""
        return DataLoader(self._charges_of_customers)

    async def _customers(self, ids: list[str]) -> Sequence[CustomerView | None]:
        found = await customers_by_id(await read_customer.admit(self._call), ids)
        return [found.get(customer) for customer in ids]

    async def _products(self, ids: list[str]) -> Sequence[ProductView | None]:
        found = await products_by_id(await read_product.admit(self._call), ids)
        return [found.get(product) for product in ids]

    async def _coupons(self, ids: list[str]) -> Sequence[CouponView | None]:
        found = await coupons_by_id(await read_coupon.admit(self._call), ids)
        return [found.get(coupon) for coupon in ids]

    async def _payment_links(self, ids: list[str]) -> Sequence[PaymentLinkView | None]:
        found = await payment_links_by_id(await read_payment_link.admit(self._call), ids)
        return [found.get(link) for link in ids]

    async def _subscriptions(self, ids: list[str]) -> Sequence[SubscriptionView | None]:
        found = await subscriptions_by_id(await read_subscription.admit(self._call), ids)
        return [found.get(subscription) for subscription in ids]

    async def _charges_of_customers(self, keys: list[ChargesKey]) -> Sequence[Page[ChargeView] | GatewayError]:
        return await self._charges_of("customer_id", keys)

    async def _charges_of_subscriptions(self, keys: list[ChargesKey]) -> Sequence[Page[ChargeView] | GatewayError]:
        return await self._charges_of("subscription_id", keys)

    async def _charges_of(self, reference: str, keys: list[ChargesKey]) -> Sequence[Page[ChargeView] | GatewayError]:
        ctx = await list_charges.admit(self._call)
        parents = defaultdict(list)
        for parent, asked in keys:
            parents[asked].append(parent)
        # One turn for each selection with other arguments, however many parents there are.
        found: dict[ChargesKey, Page[ChargeView] | GatewayError] = {}
        for asked, ids in parents.items():
            pages = await _or_error(ctx, reference, ids, asked)
            found.update({(parent, asked): page for parent, page in zip(ids, pages, strict=True)})
        return [found[key] for key in keys]


async def _or_error(
    ctx: Context, reference: str, ids: list[str], asked: ListCharges
) -> Sequence[Page[ChargeView] | GatewayError]:
    try:
        return await charges_per(ctx, reference, ids, asked)
    except GatewayError as error:
        return [error] * len(ids)


@dataclass(slots=True)
class GraphQLContext:
    """Made anew for each request."""

    call: Context
    loaders: Loaders = field(init=False)
    turns: asyncio.Semaphore = field(init=False)
    """For what reads or counts a list: one request's fields run at the same time, and may not take all connections."""
    costs: Mapping[int, int] = field(default_factory=dict)
    """Of what each field of the document selects, by the id of its node."""
    ends: float = inf
    """When no further mutation is begun, on the monotonic clock."""
    rows_asked: int = 0
    cost_asked: int = 0

    def __post_init__(self) -> None:
        self.loaders = Loaders(self.call)
        self.turns = asyncio.Semaphore(self.call.database.share)

    @classmethod
    def patient(cls, call: Context, costs: Mapping[int, int]) -> "GraphQLContext":
        """For several fields that run at the same time: one that fails cancels the others, but not their statements."""
        return cls(call.using(PatientDatabase(call.database)), costs)

    async def end(self) -> None:
        """Wait for statements that nobody waits for any more."""
        if isinstance(self.call.database, PatientDatabase):
            await self.call.database.finished()

    def spend(self, rows: int, asked: list[FieldNode], *, weight: int = 1) -> None:
        """Count the rows that a list may bring, and their fields: nesting and aliases multiply, and one request must
        stay one request. `weight`: how many rows each of them counts as.
        """
        self.rows_asked += rows * weight
        self.cost_asked += rows * sum(self.costs.get(id(node), 1) for node in asked)
        if self.rows_asked > MAX_ROWS:
            raise InvalidInput(
                message=f"As listas desta requisição somam mais de {MAX_ROWS} itens, que com qrCodeUrl contam dez vezes: "
                "peça menos de cada vez."
            )
        if self.cost_asked > MAX_LIST_COST:
            raise InvalidInput(
                message="As listas desta requisição têm campos demais para tantos itens: peça menos de cada vez."
            )


Info: TypeAlias = strawberry.Info[GraphQLContext, None]

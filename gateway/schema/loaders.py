"""Batching relations: however many rows a list shows, each relation is one query (tests count them).

A loader asks for the permission of the operation that reads the same thing directly.
"""

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

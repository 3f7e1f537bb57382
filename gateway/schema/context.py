"""`info.context` of GraphQL resolvers: the call's context, the loaders and the limits of one request.

Each relation of a list is one query, however many rows there are. A loader requires the permission of the operation
that reads the same object.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any, TypeAlias, TypeVar

import strawberry
from graphql import FieldNode
from strawberry.dataloader import DataLoader

from gateway.errors import GatewayError, InvalidInput
from gateway.models.cancellation import ShieldedDatabase
from gateway.resolvers.charges.inputs import ListCharges
from gateway.resolvers.charges.listing import charges_per, list_charges
from gateway.resolvers.charges.paid_totals import PaidTotals, paid_totals_per
from gateway.resolvers.charges.read import charges_by_id, read_charge
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.pages import MAX_ROWS
from gateway.resolvers.core.operation import Operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.coupons.operations import coupons_by_id, read_coupon
from gateway.resolvers.coupons.types import CouponView
from gateway.resolvers.customers.operations import ROWS as CUSTOMERS
from gateway.resolvers.customers.operations import read_customer
from gateway.resolvers.customers.types import CustomerView
from gateway.resolvers.payment_links.operations import payment_links_by_id, read_payment_link
from gateway.resolvers.payment_links.types import PaymentLinkView
from gateway.resolvers.products.operations import ROWS as PRODUCTS
from gateway.resolvers.products.operations import read_product
from gateway.resolvers.products.types import ProductView
from gateway.resolvers.refunds.read import ROWS as REFUNDS
from gateway.resolvers.refunds.read import read_refund, refunds_by_charge
from gateway.resolvers.refunds.types import RefundView
from gateway.resolvers.repayments.read import ROWS as RECEIVED_REPAYMENTS
from gateway.resolvers.repayments.read import read_received_repayment
from gateway.resolvers.repayments.types import ReceivedRepaymentView
from gateway.resolvers.subscriptions.operations import ROWS as SUBSCRIPTIONS
from gateway.resolvers.subscriptions.operations import read_subscription
from gateway.resolvers.subscriptions.types import SubscriptionView
from gateway.resolvers.webhooks.deliveries import deliveries_by_event, payloads_by_event, read_delivery
from gateway.resolvers.webhooks.endpoint_health import health_by_endpoint
from gateway.resolvers.webhooks.endpoints import endpoints_by_id, read_endpoint
from gateway.resolvers.webhooks.views import WebhookDeliveryView, WebhookEndpointHealthView, WebhookEndpointView
from gateway.resolvers.withdrawals.read import ROWS as WITHDRAWALS
from gateway.resolvers.withdrawals.read import read_withdrawal
from gateway.resolvers.withdrawals.types import WithdrawalView

MAX_LIST_COST = 50_000
"""The cost of all rows of all lists of one request, in plain fields."""

ViewT = TypeVar("ViewT")
ChargesKey = tuple[str, ListCharges]
"""The id of a customer or a subscription, and the input of the list of their charges."""


class Loaders:
    """The loaders of one request, created on first use. A deleted object is None."""

    def __init__(self, call: Context) -> None:
        self._call = call

    @cached_property
    def charges(self) -> DataLoader[str, ChargeView | None]:
        return self._by_id(read_charge, charges_by_id)

    @cached_property
    def withdrawals(self) -> DataLoader[str, WithdrawalView | None]:
        return self._by_id(read_withdrawal, WITHDRAWALS.read_all)

    @cached_property
    def repayments(self) -> DataLoader[str, ReceivedRepaymentView | None]:
        return self._by_id(read_received_repayment, RECEIVED_REPAYMENTS.read_all)

    @cached_property
    def refunds(self) -> DataLoader[str, RefundView | None]:
        return self._by_id(read_refund, REFUNDS.read_all)

    @cached_property
    def refunds_of_charges(self) -> DataLoader[str, list[RefundView] | None]:
        return self._by_id(read_refund, refunds_by_charge)

    @cached_property
    def customers(self) -> DataLoader[str, CustomerView | None]:
        return self._by_id(read_customer, CUSTOMERS.read_all)

    @cached_property
    def products(self) -> DataLoader[str, ProductView | None]:
        return self._by_id(read_product, PRODUCTS.read_all)

    @cached_property
    def coupons(self) -> DataLoader[str, CouponView | None]:
        return self._by_id(read_coupon, coupons_by_id)

    @cached_property
    def payment_links(self) -> DataLoader[str, PaymentLinkView | None]:
        return self._by_id(read_payment_link, payment_links_by_id)

    @cached_property
    def subscriptions(self) -> DataLoader[str, SubscriptionView | None]:
        return self._by_id(read_subscription, SUBSCRIPTIONS.read_all)

    @cached_property
    def webhook_endpoints(self) -> DataLoader[str, WebhookEndpointView | None]:
        return self._by_id(read_endpoint, endpoints_by_id)

    @cached_property
    def webhook_health(self) -> DataLoader[str, WebhookEndpointHealthView | None]:
        return self._by_id(read_endpoint, health_by_endpoint)

    @cached_property
    def payloads(self) -> DataLoader[str, str | None]:
        """The body of each event, by the event's id."""
        return self._by_id(read_delivery, payloads_by_event)

    @cached_property
    def deliveries(self) -> DataLoader[str, list[WebhookDeliveryView] | None]:
        """The deliveries of each event, by the event's id."""
        return self._by_id(read_delivery, deliveries_by_event)

    @cached_property
    def charges_of_subscriptions(self) -> DataLoader[ChargesKey, Page[ChargeView]]:
        return self._charges_by("subscription_id")

    @cached_property
    def charges_of_customers(self) -> DataLoader[ChargesKey, Page[ChargeView]]:
        return self._charges_by("customer_id")

    @cached_property
    def paid_of_customers(self) -> DataLoader[str, PaidTotals]:
        return self._paid_by("customer_id")

    @cached_property
    def paid_of_products(self) -> DataLoader[str, PaidTotals]:
        return self._paid_by("product_id")

    @cached_property
    def paid_of_coupons(self) -> DataLoader[str, PaidTotals]:
        return self._paid_by("coupon_id")

    @cached_property
    def paid_of_payment_links(self) -> DataLoader[str, PaidTotals]:
        return self._paid_by("payment_link_id")

    @cached_property
    def paid_of_subscriptions(self) -> DataLoader[str, PaidTotals]:
        return self._paid_by("subscription_id")

    def _paid_by(self, reference: str) -> DataLoader[str, PaidTotals]:
        async def load(ids: list[str]) -> Sequence[PaidTotals]:
            found = await paid_totals_per(await list_charges.admit(self._call), reference, ids)
            return [found[each] for each in ids]

        return DataLoader(load)

    def _by_id(
        self, operation: Operation[Any, Any], find: Callable[[Context, list[str]], Awaitable[Mapping[str, ViewT]]]
    ) -> DataLoader[str, ViewT | None]:
        async def load(ids: list[str]) -> Sequence[ViewT | None]:
            found = await find(await operation.admit(self._call), ids)
            return [found.get(each) for each in ids]

        return DataLoader(load)

    def _charges_by(self, reference: str) -> DataLoader[ChargesKey, Page[ChargeView]]:
        async def load(keys: list[ChargesKey]) -> Sequence[Page[ChargeView] | GatewayError]:
            ctx = await list_charges.admit(self._call)
            parents = defaultdict[ListCharges, list[str]](list)
            for parent, selection in keys:
                parents[selection].append(parent)
            found: dict[ChargesKey, Page[ChargeView] | GatewayError] = {}
            for selection, ids in parents.items():
                pages: Sequence[Page[ChargeView] | GatewayError]
                try:
                    pages = await charges_per(ctx, reference, ids, selection)
                except GatewayError as error:
                    pages = [error] * len(ids)
                found.update(((parent, selection), page) for parent, page in zip(ids, pages, strict=True))
            return [found[key] for key in keys]

        return DataLoader(load)


@dataclass(slots=True)
class GraphQLContext:
    call: Context
    loaders: Loaders = field(init=False)
    list_slots: asyncio.Semaphore = field(init=False)
    """Limits concurrent lists and counts, so that one request can't occupy all connections."""
    costs: Mapping[int, int] = field(default_factory=dict)
    """The cost of each field's selection, by the id of its node."""
    ends: float = inf
    """When no further mutation starts (monotonic clock)."""
    rows: int = 0
    cost: int = 0

    def __post_init__(self) -> None:
        self.loaders = Loaders(self.call)
        self.list_slots = asyncio.Semaphore(self.call.database.share)

    @classmethod
    def shielded(cls, call: Context, costs: Mapping[int, int]) -> "GraphQLContext":
        """For concurrent fields: a failed one cancels the others, but not their SQL statements."""
        return cls(call.using(ShieldedDatabase(call.database)), costs)

    async def end(self) -> None:
        """Wait for statements of cancelled fields."""
        if isinstance(self.call.database, ShieldedDatabase):
            await self.call.database.finished()

    def spend(self, rows: int, nodes: list[FieldNode], *, weight: int = 1) -> None:
        """Count the rows that a list may return, and their fields, against the limits of the request. Each row counts
        as `weight` rows.
        """
        self.rows += rows * weight
        self.cost += rows * sum(self.costs.get(id(node), 1) for node in nodes)
        if self.rows > MAX_ROWS:
            raise InvalidInput(
                message=f"As listas desta requisição somam mais de {MAX_ROWS} itens, que com qrCodeUrl contam dez vezes: "
                "peça menos de cada vez."
            )
        if self.cost > MAX_LIST_COST:
            raise InvalidInput(
                message="As listas desta requisição têm campos demais para tantos itens: peça menos de cada vez."
            )


Info: TypeAlias = strawberry.Info[GraphQLContext, None]

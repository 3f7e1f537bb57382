"""Follow the changes of the store, for live pages."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field

from gateway.resolvers.changes.feed import DELIVERY, Follower, ResourceChange, StoreKey
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import View
from gateway.values.ids import Id


class ResourceType(StrEnum):
    """The resources whose changes are reported."""

    charge = "charge"
    customer = "customer"
    product = "product"
    coupon = "coupon"
    payment_link = "payment_link"
    subscription = "subscription"
    refund = "refund"
    withdrawal = "withdrawal"
    repayment = "repayment"
    webhook_endpoint = "webhook_endpoint"
    delivery = "delivery"
    api_key = "api_key"
    member = "member"
    production = "production"
    receiving_account = "receiving_account"
    test_clock = "test_clock"


TYPES = {DELIVERY if each is ResourceType.delivery else each.value: each for each in ResourceType}
"""By the resource type of the feed."""


class WatchChanges(Input):
    """Which changes to follow."""

    of: Annotated[list[ResourceType], Field(max_length=50)] = Field(
        default_factory=list, description="Tipos de registro; vazio segue todos."
    )


class ChangeView(View):
    """Uma mudança em um registro da loja.

    A change of one of the store's resources.
    """

    type: ResourceType = Field(description="Tipo do registro.")
    id: Id = Field(description="Identificador do registro.")
    action: str = Field(
        description="O que ocorreu, como na trilha de auditoria: `charge.paid`; ou `delivery.delivered`."
    )
    at: datetime = Field(description="Quando.")

    @classmethod
    def from_change(cls, change: ResourceChange) -> Self:
        return cls.of({"type": TYPES[change.type], "id": change.id, "action": change.action, "at": change.at})


class Changes:
    """The changes of one stream. `aclose` ends it."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> ChangeView:
        return ChangeView.from_change(await anext(self._follower))

    async def aclose(self) -> None:
        self._follower.close()


@operation("changes.watch", Permission.read)
async def watch_changes(ctx: Context, request: WatchChanges) -> Changes:
    """Follow the changes of the store from now on, in the environment of the credential."""
    types = [name for name, each in TYPES.items() if not request.of or each in request.of]
    key = StoreKey(ctx.store_id, ctx.environment)
    return Changes(await ctx.services.changes.follow(ctx.services.database, ctx.real_clock, key, types))

"""Live changes over GraphQL. `gateway.schema.event_stream` sends them."""

from collections.abc import AsyncIterator
from typing import Annotated

import strawberry

from gateway.resolvers.changes import watch
from gateway.resolvers.changes.watch import ChangeView, ResourceType
from gateway.resolvers.charges import read as charges
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.webhooks import deliveries
from gateway.resolvers.webhooks.views import WebhookDeliveryView
from gateway.resolvers.withdrawals import read as withdrawals
from gateway.resolvers.withdrawals.types import WithdrawalView
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_output


async def _charge(change: strawberry.Parent[ChangeView], info: Info) -> ChargeView | None:
    is_charge = change.type is ResourceType.charge
    return await charges.read_charge(info.context.call, {"id": change.id}) if is_charge else None


async def _delivery(change: strawberry.Parent[ChangeView], info: Info) -> WebhookDeliveryView | None:
    if change.type is not ResourceType.delivery:
        return None
    return await deliveries.delivery_by_id(await deliveries.read_delivery.admit(info.context.call), change.id)


async def _withdrawal(change: strawberry.Parent[ChangeView], info: Info) -> WithdrawalView | None:
    is_withdrawal = change.type is ResourceType.withdrawal
    return await withdrawals.read_withdrawal(info.context.call, {"id": change.id}) if is_withdrawal else None


define_enum(
    ResourceType,
    "Tipo de registro cujas mudanças se pode seguir.",
    charge="Cobranças.",
    customer="Clientes.",
    product="Produtos.",
    coupon="Cupons.",
    payment_link="Links de pagamento.",
    subscription="Assinaturas.",
    refund="Devoluções.",
    withdrawal="Saques.",
    repayment="Repasses.",
    webhook_endpoint="Endpoints de webhook.",
    delivery="Entregas a endpoints: criadas, tentadas e encerradas.",
    api_key="Chaves de API.",
    member="A equipe da loja.",
    production="A liberação do ambiente live.",
    receiving_account="A conta de recebimento.",
    test_clock="O relógio de teste.",
)
define_output(
    ChangeView,
    "Change",
    charge=strawberry.field(resolver=_charge, description="A cobrança como está agora, se o tipo é `charge`."),
    delivery=strawberry.field(resolver=_delivery, description="A entrega como está agora, se o tipo é `delivery`."),
    withdrawal=strawberry.field(resolver=_withdrawal, description="O saque como está agora, se o tipo é `withdrawal`."),
)

Of = Annotated[
    list[ResourceType] | None, strawberry.argument(description="Só mudanças destes tipos; sem ele, de todos.")
]


@strawberry.type(
    description="O que muda enquanto se olha, por `POST /graphql` com `Accept: text/event-stream` (protocolo GraphQL over SSE)."
)
class Live:
    @strawberry.subscription(description="Cada mudança na loja e no ambiente da credencial, a partir de agora.")
    async def changes(self, info: Info, of: Of = None) -> AsyncIterator[ChangeView]:
        return await watch.watch_changes(info.context.call, {"of": [each.value for each in of or ()]})

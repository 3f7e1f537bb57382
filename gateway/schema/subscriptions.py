"""Subscriptions over GraphQL."""

from datetime import datetime
from typing import Annotated

import strawberry

from gateway.models.subscriptions import Interval, Method, SubscriptionStatus
from gateway.resolvers.charges.inputs import ListCharges
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.listing.inputs import Slice
from gateway.resolvers.customers.types import CustomerView
from gateway.resolvers.subscriptions import billing_job, charge, operations
from gateway.resolvers.subscriptions.figures import (
    SubscriptionFiguresView,
    read_subscription_figures,
    upcoming_charges,
)
from gateway.resolvers.subscriptions.summary import BillingDetailView, BillingResult, BillingSummaryView
from gateway.resolvers.subscriptions.types import (
    DEFAULT_UPCOMING,
    CreateSubscription,
    SubscriptionFilter,
    SubscriptionOrder,
    SubscriptionView,
    UpcomingChargeView,
    UpdateSubscription,
)
from gateway.schema.connections import charges_field, export_field, list_field, spend
from gateway.schema.context import Info
from gateway.schema.paid_totals import paid_fields
from gateway.schema.strawberry_types import define_enum, define_input, define_output

_NEWEST = ListCharges(slice=Slice(first=1))


async def _customer(subscription: strawberry.Parent[SubscriptionView], info: Info) -> CustomerView | None:
    known = subscription.customer_id
    return await info.context.loaders.customers.load(known) if known else None


async def _last_charge(subscription: strawberry.Parent[SubscriptionView], info: Info) -> ChargeView | None:
    spend(info, 1)
    page = await info.context.loaders.charges_of_subscriptions.load((subscription.id, _NEWEST))
    return page.items[0] if page.items else None


define_enum(
    Interval,
    "De quanto em quanto tempo uma assinatura cobra; `intervalCount` diz a cada quantos intervalos.",
    weekly="Toda semana.",
    monthly="Todo mês.",
    quarterly="Todo trimestre: de três em três meses.",
    semiannual="Todo semestre: de seis em seis meses.",
    yearly="Todo ano.",
)
define_enum(
    Method,
    "Como uma assinatura é paga.",
    pix="Uma cobrança Pix a cada ciclo.",
)
define_enum(
    SubscriptionStatus,
    "Situação de uma assinatura.",
    active="Cobra nas datas.",
    paused="Não cobra até ser retomada.",
    canceled="Não cobra mais; pode ser reativada.",
)
define_enum(SubscriptionOrder, "Ordem de uma lista de assinaturas.")
define_enum(
    BillingResult,
    "O que uma execução da cobrança fez de uma assinatura.",
    cobrada="Uma cobrança foi gerada.",
    ja_cobrada="O ciclo já tinha a sua cobrança.",
    falha="A cobrança não pôde ser gerada; será tentada de novo.",
    sem_data="Não tinha data e ganhou uma, sem cobrança.",
    encerrada="Chegou ao fim.",
)
define_output(
    SubscriptionView,
    "SubscriptionContract",
    customer=strawberry.field(resolver=_customer, description="O cliente cadastrado, se houver e ainda existir."),
    charges=charges_field(
        lambda loaders: loaders.charges_of_subscriptions, description="As cobranças desta assinatura."
    ),
    last_charge=strawberry.field(resolver=_last_charge, description="A cobrança mais nova desta assinatura."),
    **paid_fields(lambda loaders: loaders.paid_of_subscriptions),
)
define_output(SubscriptionFiguresView, "SubscriptionFigures")
define_output(UpcomingChargeView, "UpcomingCharge")
define_output(BillingDetailView, "BillingDetail")
define_output(BillingSummaryView, "BillingSummary")
define_input(SubscriptionFilter, "SubscriptionContractFilter")
define_input(CreateSubscription, "CreateSubscriptionContractInput")
define_input(UpdateSubscription, "UpdateSubscriptionContractInput")

Upcoming = Annotated[int, strawberry.argument(description="Quantas: padrão 12, máximo 60.")]
AsOf = Annotated[
    datetime | None, strawberry.argument(description="Cobra o que vence até este momento em vez de agora.")
]
DryRun = Annotated[bool, strawberry.argument(description="Só conta, sem cobrar nada.")]


@strawberry.type
class SubscriptionsQuery:
    @strawberry.field(description="Uma assinatura.")
    async def subscription(self, info: Info, id: strawberry.ID) -> SubscriptionView:
        return await operations.read_subscription(info.context.call, {"id": id})

    subscriptions = list_field(operations.list_subscriptions, SubscriptionFilter, description="As assinaturas da loja.")

    @strawberry.field(description="O que as assinaturas da loja somam agora.")
    async def subscription_figures(self, info: Info) -> SubscriptionFiguresView:
        return await read_subscription_figures(info.context.call, {})

    @strawberry.field(
        description="As próximas cobranças de uma assinatura, nenhuma se não está ativa; sem `id`, as de todas as da loja."
    )
    async def upcoming_charges(
        self, info: Info, id: strawberry.ID | None = None, count: Upcoming = DEFAULT_UPCOMING
    ) -> list[UpcomingChargeView]:
        return (await upcoming_charges(info.context.call, {"id": id, "count": count})).items


@strawberry.type
class SubscriptionsMutation:
    @strawberry.mutation(description="Cria uma assinatura; nada é cobrado antes da primeira data.")
    async def create_subscription(self, info: Info, input: CreateSubscription) -> SubscriptionView:
        return await operations.create_subscription(info.context.call, input)

    @strawberry.mutation(description="Altera os campos enviados de uma assinatura.")
    async def update_subscription(self, info: Info, input: UpdateSubscription) -> SubscriptionView:
        return await operations.update_subscription(info.context.call, input)

    @strawberry.mutation(description="Exclui uma assinatura e desvincula as cobranças dela.")
    async def delete_subscription(self, info: Info, id: strawberry.ID) -> Deleted:
        return await operations.delete_subscription(info.context.call, {"id": id})

    @strawberry.mutation(description="Cobra uma assinatura agora; a próxima data não muda.")
    async def charge_subscription(self, info: Info, id: strawberry.ID) -> ChargeView:
        return await charge.charge_subscription(info.context.call, {"id": id})

    @strawberry.mutation(description="Executa a cobrança de assinaturas de todas as lojas. Só a equipe do serviço.")
    async def bill_subscriptions(self, info: Info, as_of: AsOf = None, dry_run: DryRun = False) -> BillingSummaryView:
        return await billing_job.bill_subscriptions(info.context.call, {"as_of": as_of, "dry_run": dry_run})

    export_subscriptions = export_field(
        operations.export_subscriptions,
        SubscriptionFilter,
        description="Exporta as assinaturas da loja.",
    )

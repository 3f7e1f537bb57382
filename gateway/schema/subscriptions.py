"""Subscriptions over GraphQL."""

from datetime import datetime
from typing import Annotated

import strawberry

from gateway.models.subscriptions import Interval, Method, SubscriptionStatus
from gateway.resolvers.charges.inputs import ListCharges
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.listing.inputs import Slice
from gateway.resolvers.customers.operations import ROWS as CUSTOMERS
from gateway.resolvers.customers.operations import read_customer
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
from gateway.schema.fields import mutation_field, paid_fields, query_field, relation
from gateway.schema.strawberry_types import define_enum, define_input, define_output, define_outputs

_NEWEST = ListCharges(slice=Slice(first=1))


async def _last_charge(subscription: strawberry.Parent[SubscriptionView], info: Info) -> ChargeView | None:
    spend(info, 1)
    page = await info.context.loaders.charges("subscription_id").load((subscription.id, _NEWEST))
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
    customer=relation(
        read_customer, CUSTOMERS.read_all, "customer_id", "O cliente cadastrado, se houver e ainda existir."
    ),
    charges=charges_field("subscription_id", "As cobranças desta assinatura."),
    last_charge=strawberry.field(resolver=_last_charge, description="A cobrança mais nova desta assinatura."),
    **paid_fields("subscription_id"),
)
define_outputs(SubscriptionFiguresView, UpcomingChargeView, BillingDetailView, BillingSummaryView)
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
    subscription = query_field(operations.read_subscription, "Uma assinatura.", id=strawberry.ID)
    subscriptions = list_field(operations.list_subscriptions, SubscriptionFilter, "As assinaturas da loja.")
    subscription_figures = query_field(read_subscription_figures, "O que as assinaturas da loja somam agora.")

    @strawberry.field(
        description="As próximas cobranças de uma assinatura, nenhuma se não está ativa; sem `id`, as de todas as da loja."
    )
    async def upcoming_charges(
        self, info: Info, id: strawberry.ID | None = None, count: Upcoming = DEFAULT_UPCOMING
    ) -> list[UpcomingChargeView]:
        return (await upcoming_charges(info.context.call, {"id": id, "count": count})).items


@strawberry.type
class SubscriptionsMutation:
    create_subscription = mutation_field(
        operations.create_subscription,
        "Cria uma assinatura; nada é cobrado antes da primeira data.",
        input=CreateSubscription,
    )
    update_subscription = mutation_field(
        operations.update_subscription, "Altera os campos enviados de uma assinatura.", input=UpdateSubscription
    )
    delete_subscription = mutation_field(
        operations.delete_subscription, "Exclui uma assinatura e desvincula as cobranças dela.", id=strawberry.ID
    )
    charge_subscription = mutation_field(
        charge.charge_subscription, "Cobra uma assinatura agora; a próxima data não muda.", id=strawberry.ID
    )

    @strawberry.mutation(description="Executa a cobrança de assinaturas de todas as lojas. Só a equipe do serviço.")
    async def bill_subscriptions(self, info: Info, as_of: AsOf = None, dry_run: DryRun = False) -> BillingSummaryView:
        return await billing_job.bill_subscriptions(info.context.call, {"as_of": as_of, "dry_run": dry_run})

    export_subscriptions = export_field(
        operations.export_subscriptions,
        SubscriptionFilter,
        "Exporta as assinaturas da loja.",
    )

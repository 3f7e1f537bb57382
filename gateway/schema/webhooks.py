"""Webhook endpoints and deliveries over GraphQL."""

from typing import Annotated

import strawberry
from strawberry.scalars import JSON

from gateway.errors import NotFound
from gateway.models.webhooks import CanceledReason, DisabledReason
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.listing.inputs import ByCreation
from gateway.resolvers.core.views import serialize
from gateway.resolvers.webhooks import deliveries, endpoint_commands, endpoints, event_types, events, resend
from gateway.resolvers.webhooks.inputs import (
    CreateWebhookEndpoint,
    DeliveryFilter,
    EndpointStatus,
    EventFilter,
    ReplayDeliveries,
    RotateSecret,
    UpdateWebhookEndpoint,
    WebhookDeliveryFilter,
    WebhookEndpointFilter,
)
from gateway.resolvers.webhooks.views import (
    DeliveryStatus,
    NewWebhookEndpointView,
    StoreEventView,
    WebhookAttemptView,
    WebhookDeliveryView,
    WebhookEndpointHealthView,
    WebhookEndpointView,
    WebhookEventView,
    WebhookReplayView,
)
from gateway.schema.connections import (
    FILTER,
    ORDER,
    After,
    Before,
    Connection,
    First,
    Last,
    connection,
    export_field,
    list_field,
    list_input,
)
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output


async def _payload(delivery: strawberry.Parent[WebhookDeliveryView], info: Info) -> str:
    payload = await info.context.loaders.payloads.load(delivery.event_id)
    if payload is None:
        raise NotFound("O evento não está mais guardado.")
    return payload


def _request_headers(delivery: strawberry.Parent[WebhookDeliveryView]) -> dict[str, str]:
    return delivery.attempts[-1].request_headers if delivery.attempts else {}


async def _endpoint(delivery: strawberry.Parent[WebhookDeliveryView], info: Info) -> WebhookEndpointView | None:
    return await info.context.loaders.webhook_endpoints.load(delivery.endpoint_id)


async def _health(endpoint: strawberry.Parent[WebhookEndpointView], info: Info) -> WebhookEndpointHealthView | None:
    return await info.context.loaders.webhook_health.load(endpoint.id)


async def _deliveries(event: strawberry.Parent[StoreEventView], info: Info) -> list[WebhookDeliveryView]:
    return await info.context.loaders.deliveries.load(event.id) or []


define_enum(
    DeliveryStatus,
    "Situação de uma entrega.",
    pending="Espera a vez ou uma nova tentativa.",
    delivered="O endpoint confirmou.",
    exhausted="As tentativas acabaram sem sucesso.",
    canceled="Não será mais tentada, a menos que seja reenviada.",
)
define_enum(
    DisabledReason,
    "Por que o serviço desativou um endpoint.",
    gone="O endpoint respondeu 410.",
    failing="Passou dias sem nenhum sucesso.",
)
define_enum(
    CanceledReason,
    "Por que uma entrega foi cancelada.",
    gone="O endpoint respondeu 410.",
    failing="O serviço desativou o endpoint depois de dias sem sucesso.",
    inactive="A loja desativou o endpoint.",
)
define_enum(
    EndpointStatus,
    "Se um endpoint recebe eventos.",
    active="Recebe eventos.",
    inactive="Está desativado.",
)
define_input(WebhookEndpointFilter, "WebhookEndpointFilter")
define_input(WebhookDeliveryFilter, "WebhookDeliveryFilter")
define_input(DeliveryFilter, "DeliveryFilter")
define_input(EventFilter, "EventFilter")
define_output(WebhookEndpointHealthView, "WebhookEndpointHealth")
define_output(
    WebhookEndpointView,
    "WebhookEndpoint",
    health=strawberry.field(resolver=_health, description="Como vão as entregas; nulo, se acabou de ser excluído."),
)
define_output(NewWebhookEndpointView, "NewWebhookEndpoint")
define_output(WebhookEventView, "WebhookEvent")
define_output(WebhookAttemptView, "WebhookAttempt")
define_output(
    WebhookDeliveryView,
    "WebhookDelivery",
    payload=strawberry.field(
        resolver=_payload, description="O corpo exato, que as assinaturas cobrem; sempre os mesmos bytes, em UTF-8."
    ),
    request_headers=strawberry.field(
        resolver=_request_headers, description="Cabeçalhos da última tentativa; vazio antes da primeira."
    ),
    endpoint=strawberry.field(resolver=_endpoint, description="O endpoint de destino, se ainda existir."),
)
define_output(
    StoreEventView,
    "Event",
    deliveries=strawberry.field(resolver=_deliveries, description="As entregas do evento, uma por endpoint."),
)
define_output(WebhookReplayView, "WebhookReplay")
define_input(CreateWebhookEndpoint, "CreateWebhookEndpointInput")
define_input(UpdateWebhookEndpoint, "UpdateWebhookEndpointInput")
define_input(RotateSecret, "RotateSecretInput")
define_input(ReplayDeliveries, "ReplayWebhooksInput")

EndpointId = Annotated[strawberry.ID, strawberry.argument(description="O endpoint.")]
DeliveryId = Annotated[strawberry.ID, strawberry.argument(description="A entrega.")]
Event = Annotated[str, strawberry.argument(description="O tipo do evento, do catálogo.")]


@strawberry.type
class WebhooksQuery:
    webhook_endpoints = list_field(
        endpoints.list_endpoints, WebhookEndpointFilter, description="Os endpoints de webhook do ambiente."
    )

    @strawberry.field(description="Um endpoint de webhook.")
    async def webhook_endpoint(self, info: Info, id: strawberry.ID) -> WebhookEndpointView:
        return await endpoints.read_endpoint(info.context.call, {"id": id})

    @strawberry.field(description="O catálogo de eventos.")
    async def webhook_events(self, info: Info) -> list[WebhookEventView]:
        return (await event_types.list_event_types(info.context.call, {})).items

    events = list_field(
        events.list_events, EventFilter, description="O que ocorreu no ambiente, haja ou não endpoints."
    )

    @strawberry.field(description="Um evento.")
    async def event(self, info: Info, id: strawberry.ID) -> StoreEventView:
        return await events.read_event(info.context.call, {"id": id})

    deliveries = list_field(
        deliveries.list_all_deliveries, DeliveryFilter, description="As entregas a todos os endpoints do ambiente."
    )

    @strawberry.field(description="Um exemplo do corpo de um evento, com dados fictícios.")
    async def webhook_sample(self, info: Info, event: Event) -> JSON:
        return JSON(serialize(await event_types.sample_event(info.context.call, {"event": event})))

    @strawberry.field(description="As entregas de um endpoint, com suas tentativas.")
    async def webhook_deliveries(
        self,
        info: Info,
        endpoint_id: EndpointId,
        first: First = None,
        after: After = None,
        last: Last = None,
        before: Before = None,
        filter: Annotated[WebhookDeliveryFilter | None, FILTER] = None,
        order: Annotated[ByCreation, ORDER] = ByCreation.created_at_desc,
    ) -> Connection[WebhookDeliveryView]:
        request = list_input(info, first=first, after=after, last=last, before=before, filter=filter, order=order)
        async with info.context.list_slots:
            return connection(await deliveries.list_deliveries(info.context.call, request | {"id": endpoint_id}))

    @strawberry.field(description="Uma entrega, com suas tentativas.")
    async def webhook_delivery(
        self, info: Info, endpoint_id: EndpointId, delivery_id: DeliveryId
    ) -> WebhookDeliveryView:
        which = {"id": endpoint_id, "delivery_id": delivery_id}
        return await deliveries.read_delivery(info.context.call, which)


@strawberry.type
class WebhooksMutation:
    @strawberry.mutation(description="Cria um endpoint; a resposta é a única vez em que o segredo aparece.")
    async def create_webhook_endpoint(self, info: Info, input: CreateWebhookEndpoint) -> NewWebhookEndpointView:
        return await endpoint_commands.create_endpoint(info.context.call, input)

    @strawberry.mutation(
        description="Abre no próprio serviço um endpoint que recebe tudo do ambiente de teste, por 24 horas; as entregas "
        "mostram o que ele recebeu."
    )
    async def open_test_receiver(self, info: Info) -> NewWebhookEndpointView:
        return await endpoint_commands.open_test_receiver(info.context.call, {})

    @strawberry.mutation(description="Altera, desativa ou reativa um endpoint.")
    async def update_webhook_endpoint(self, info: Info, input: UpdateWebhookEndpoint) -> WebhookEndpointView:
        return await endpoint_commands.update_endpoint(info.context.call, input)

    @strawberry.mutation(description="Exclui um endpoint e, aos poucos, o seu histórico.")
    async def delete_webhook_endpoint(self, info: Info, id: strawberry.ID) -> Deleted:
        return await endpoint_commands.delete_endpoint(info.context.call, {"id": id})

    @strawberry.mutation(description="Troca o segredo; o anterior ainda assina por `graceHours`.")
    async def rotate_webhook_secret(self, info: Info, input: RotateSecret) -> NewWebhookEndpointView:
        return await endpoint_commands.rotate_secret(info.context.call, input)

    @strawberry.mutation(description="Envia um evento de exemplo a um endpoint.")
    async def try_webhook_endpoint(
        self, info: Info, id: strawberry.ID, event: Event = "charge.paid"
    ) -> WebhookDeliveryView:
        return await event_types.send_test_event(info.context.call, {"id": id, "event": event})

    @strawberry.mutation(description="Reenvia um evento a um endpoint.")
    async def redeliver_webhook(
        self, info: Info, endpoint_id: EndpointId, delivery_id: DeliveryId
    ) -> WebhookDeliveryView:
        order = {"id": endpoint_id, "delivery_id": delivery_id}
        return await resend.redeliver(info.context.call, order)

    @strawberry.mutation(description="Reenvia tudo o que um endpoint perdeu desde um momento, até 10000 por vez.")
    async def replay_webhooks(self, info: Info, input: ReplayDeliveries) -> WebhookReplayView:
        return await resend.replay(info.context.call, input)

    export_webhook_endpoints = export_field(
        endpoints.export_endpoints,
        WebhookEndpointFilter,
        description="Exporta os endpoints de webhook do ambiente.",
    )

    export_events = export_field(
        events.export_events, EventFilter, description="Exporta os eventos do ambiente, sem os seus corpos."
    )

    export_deliveries = export_field(
        deliveries.export_all_deliveries,
        DeliveryFilter,
        description="Exporta as entregas a todos os endpoints do ambiente, sem as suas tentativas.",
    )

"""Webhook endpoints and deliveries over GraphQL."""

from typing import Annotated

import strawberry
from strawberry.scalars import JSON

from gateway.errors import NotFound
from gateway.models.webhooks import CanceledReason, DisabledReason
from gateway.resolvers.core.views import serialize
from gateway.resolvers.webhooks import deliveries, endpoint_commands, endpoints, event_types, events, resend
from gateway.resolvers.webhooks.deliveries import deliveries_by_event, list_deliveries, payloads_by_event, read_delivery
from gateway.resolvers.webhooks.endpoint_health import health_by_endpoint
from gateway.resolvers.webhooks.endpoints import endpoints_by_id, read_endpoint
from gateway.resolvers.webhooks.events import read_event
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
    export_field,
    list_field,
)
from gateway.schema.context import Info
from gateway.schema.fields import mutation_field, query_field, relation
from gateway.schema.strawberry_types import define_enum, define_input, define_inputs, define_output, define_outputs


async def _payload(delivery: strawberry.Parent[WebhookDeliveryView], info: Info) -> str:
    payload = await info.context.loaders.by_id(read_delivery, payloads_by_event).load(delivery.event_id)
    if payload is None:
        raise NotFound("O evento não está mais guardado.")
    return payload


def _request_headers(delivery: strawberry.Parent[WebhookDeliveryView]) -> dict[str, str]:
    return delivery.attempts[-1].request_headers if delivery.attempts else {}


async def _health(endpoint: strawberry.Parent[WebhookEndpointView], info: Info) -> WebhookEndpointHealthView | None:
    return await info.context.loaders.by_id(read_endpoint, health_by_endpoint).load(endpoint.id)


async def _deliveries(event: strawberry.Parent[StoreEventView], info: Info) -> list[WebhookDeliveryView]:
    return await info.context.loaders.by_id(read_delivery, deliveries_by_event).load(event.id) or []


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
define_output(
    WebhookEndpointView,
    "WebhookEndpoint",
    health=strawberry.field(resolver=_health, description="Como vão as entregas; nulo, se acabou de ser excluído."),
)
define_output(
    WebhookDeliveryView,
    "WebhookDelivery",
    payload=strawberry.field(
        resolver=_payload, description="O corpo exato, que as assinaturas cobrem; sempre os mesmos bytes, em UTF-8."
    ),
    request_headers=strawberry.field(
        resolver=_request_headers, description="Cabeçalhos da última tentativa; vazio antes da primeira."
    ),
    endpoint=relation(read_endpoint, endpoints_by_id, "endpoint_id", "O endpoint de destino, se ainda existir."),
)
define_output(
    StoreEventView,
    "Event",
    deliveries=strawberry.field(resolver=_deliveries, description="As entregas do evento, uma por endpoint."),
)
define_outputs(
    WebhookEndpointHealthView, NewWebhookEndpointView, WebhookEventView, WebhookAttemptView, WebhookReplayView
)
define_inputs(
    WebhookEndpointFilter,
    WebhookDeliveryFilter,
    DeliveryFilter,
    EventFilter,
    CreateWebhookEndpoint,
    UpdateWebhookEndpoint,
    RotateSecret,
)
define_input(ReplayDeliveries, "ReplayWebhooksInput")

EndpointId = Annotated[strawberry.ID, strawberry.argument(name="endpointId", description="O endpoint.")]
DeliveryId = Annotated[strawberry.ID, strawberry.argument(description="A entrega.")]
Event = Annotated[str, strawberry.argument(description="O tipo do evento, do catálogo.")]


@strawberry.type
class WebhooksQuery:
    webhook_endpoints = list_field(
        endpoints.list_endpoints, WebhookEndpointFilter, "Os endpoints de webhook do ambiente."
    )
    webhook_endpoint = query_field(endpoints.read_endpoint, "Um endpoint de webhook.", id=strawberry.ID)
    webhook_events = query_field(event_types.list_event_types, "O catálogo de eventos.")
    events = list_field(events.list_events, EventFilter, "O que ocorreu no ambiente, haja ou não endpoints.")
    event = query_field(read_event, "Um evento.", id=strawberry.ID)
    deliveries = list_field(
        deliveries.list_all_deliveries, DeliveryFilter, "As entregas a todos os endpoints do ambiente."
    )

    @strawberry.field(description="Um exemplo do corpo de um evento, com dados fictícios.")
    async def webhook_sample(self, info: Info, event: Event) -> JSON:
        return JSON(serialize(await event_types.sample_event(info.context.call, {"event": event})))

    webhook_deliveries = list_field(
        list_deliveries,
        WebhookDeliveryFilter,
        "As entregas de um endpoint, com suas tentativas.",
        id=EndpointId,
    )
    webhook_delivery = query_field(
        read_delivery, "Uma entrega, com suas tentativas.", id=EndpointId, delivery_id=DeliveryId
    )


@strawberry.type
class WebhooksMutation:
    create_webhook_endpoint = mutation_field(
        endpoint_commands.create_endpoint,
        "Cria um endpoint; a resposta é a única vez em que o segredo aparece.",
        input=CreateWebhookEndpoint,
    )
    open_test_receiver = mutation_field(
        endpoint_commands.open_test_receiver,
        "Abre no próprio serviço um endpoint que recebe tudo do ambiente de teste, por 24 horas; as entregas "
        "mostram o que ele recebeu.",
    )
    update_webhook_endpoint = mutation_field(
        endpoint_commands.update_endpoint, "Altera, desativa ou reativa um endpoint.", input=UpdateWebhookEndpoint
    )
    delete_webhook_endpoint = mutation_field(
        endpoint_commands.delete_endpoint, "Exclui um endpoint e, aos poucos, o seu histórico.", id=strawberry.ID
    )
    rotate_webhook_secret = mutation_field(
        endpoint_commands.rotate_secret,
        "Troca o segredo; o anterior ainda assina por `graceHours`.",
        input=RotateSecret,
    )

    @strawberry.mutation(description="Envia um evento de exemplo a um endpoint.")
    async def try_webhook_endpoint(
        self, info: Info, id: strawberry.ID, event: Event = "charge.paid"
    ) -> WebhookDeliveryView:
        return await event_types.send_test_event(info.context.call, {"id": id, "event": event})

    redeliver_webhook = mutation_field(
        resend.redeliver, "Reenvia um evento a um endpoint.", id=EndpointId, delivery_id=DeliveryId
    )
    replay_webhooks = mutation_field(
        resend.replay,
        "Reenvia tudo o que um endpoint perdeu desde um momento, até 10000 por vez.",
        input=ReplayDeliveries,
    )
    export_webhook_endpoints = export_field(
        endpoints.export_endpoints,
        WebhookEndpointFilter,
        "Exporta os endpoints de webhook do ambiente.",
    )
    export_events = export_field(
        events.export_events, EventFilter, "Exporta os eventos do ambiente, sem os seus corpos."
    )
    export_deliveries = export_field(
        deliveries.export_all_deliveries,
        DeliveryFilter,
        "Exporta as entregas a todos os endpoints do ambiente, sem as suas tentativas.",
    )

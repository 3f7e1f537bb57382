"""Views of webhook endpoints, deliveries and attempts."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from pydantic import Field

from gateway.models.base import Environment
from gateway.models.webhooks import CanceledReason, DisabledReason, webhook_endpoints
from gateway.resolvers.core.views import View, columns_of_view
from gateway.values.ids import Id


class DeliveryStatus(StrEnum):
    """The status of a delivery."""

    pending = "pending"
    delivered = "delivered"
    exhausted = "exhausted"
    canceled = "canceled"


class WebhookEndpointView(View):
    """Um endpoint de webhook. Seu segredo nunca mais é mostrado depois da criação.

    A webhook endpoint. Its secret is never shown again after its creation.
    """

    id: Id = Field(description="Identificador do endpoint (UUID).")
    name: str = Field(description="Nome do endpoint no painel.")
    url: str = Field(description="Endereço que recebe os eventos; `gateway:test-receiver` é um receptor de teste.")
    environment: Environment = Field(description="Ambiente cujos eventos recebe, fixo na criação.")
    events: list[str] = Field(description="Eventos recebidos; vazio recebe todos.")
    version: str = Field(description="Versão do formato dos eventos: `v1`.")
    secret_preview: str = Field(description="Primeiros 12 caracteres do segredo.")
    previous_secret_until: datetime | None = Field(
        description="Até quando o segredo anterior ainda assina; nulo se não assina mais."
    )
    active: bool = Field(description="Se recebe eventos.")
    disabled_reason: DisabledReason | None = Field(
        description="Por que o serviço o desativou: `gone` (respondeu 410) ou `failing` (dias sem sucesso)."
    )
    disabled_at: datetime | None = Field(description="Desde quando está desativado; nulo enquanto ativo.")
    expires_at: datetime | None = Field(
        description="Quando um receptor de teste é excluído; nulo nos demais endpoints."
    )
    created_at: datetime = Field(description="Quando foi criado.")
    updated_at: datetime = Field(description="Última mudança.")

    def as_of(self, now: datetime) -> Self:
        """The endpoint, without a previous secret that no longer signs."""
        signs = self.previous_secret_until is not None and now < self.previous_secret_until
        return self if signs else self.replaced(previous_secret_until=None)


class NewWebhookEndpointView(WebhookEndpointView):
    """Um endpoint com um segredo novo, mostrado só desta vez.

    An endpoint with a new secret, which only this response contains.
    """

    secret: str = Field(description="Segredo das assinaturas. Guarde agora: ele não será mostrado de novo.")


class WebhookEndpointHealthView(View):
    """Como vão as entregas a um endpoint. Os momentos podem atrasar um minuto.

    The health of an endpoint. Its timestamps may be a minute old.
    """

    last_success_at: datetime | None = Field(description="Última entrega; nulo, se nenhuma.")
    last_attempt_at: datetime | None = Field(description="Última tentativa; nulo, se nenhuma.")
    first_failure_at: datetime | None = Field(description="Desde quando falha sem parar; nulo, se a última deu certo.")
    consecutive_failures: int = Field(description="Tentativas seguidas que falharam.")
    delivered_24h: int = Field(description="Dos eventos das últimas 24 horas, quantos foram entregues; conta até 3000.")
    failed_24h: int = Field(
        description="Dos eventos das últimas 24 horas, quantos não foram entregues na última tentativa; conta até 3000."
    )


class WebhookEventView(View):
    """Um evento que o serviço emite.

    An event that the service emits.
    """

    event: str = Field(description="Nome do evento.")
    description: str = Field(description="Quando é emitido.")
    version: str = Field(description="Versão do formato: `v1`.")


class EventSampleView(View):
    """Um exemplo do corpo de um evento, com dados fictícios.

    An example of an event's body, with fictitious data.
    """

    id: Id = Field(description="Identificador do evento.")
    event: str = Field(description="Nome do evento.")
    version: str = Field(description="Versão do formato: `v1`.")
    environment: Environment = Field(description="Ambiente da credencial.")
    created_at: str = Field(description="Quando ocorreu.")
    sequence: int = Field(description="Momento em microssegundos; o maior é o mais novo.")
    data: dict[str, Any] = Field(description="De que o evento trata.")
    test: bool = Field(description="Sempre `true`, como em um evento de teste.")


class WebhookAttemptView(View):
    """Uma requisição que foi enviada, ou recusada antes de sair.

    One request that was sent, or refused to be.
    """

    number: int = Field(description="Número da tentativa, como em `X-Service-Attempt`.")
    started_at: datetime = Field(description="Quando começou.")
    duration_ms: int = Field(description="Duração, em milissegundos.")
    address: str | None = Field(description="Endereço IP contatado.")
    status: int | None = Field(description="Status HTTP da resposta.")
    error_code: str | None = Field(description="Por que falhou; nulo se entregue.")
    request_headers: dict[str, str] = Field(description="Cabeçalhos que o serviço assinou e enviou.")
    response_headers: dict[str, str] = Field(
        description="Até 4 KiB dos cabeçalhos da resposta, com nomes em minúsculas."
    )
    response: str | None = Field(description="Até 2 KiB do corpo da resposta; bytes que não são UTF-8 viram �.")


class WebhookDeliveryView(View):
    """Um evento a caminho de um endpoint, com todas as tentativas.

    One event on its way to one endpoint, with every attempt.
    """

    id: Id = Field(description="Identificador da entrega, como em `X-Service-Delivery`.")
    endpoint_id: Id = Field(description="Endpoint de destino.")
    event_id: Id = Field(description="Identificador do evento, como em `webhook-id`.")
    event: str = Field(description="Nome do evento.")
    resource_id: Id | None = Field(
        description="De que o evento trata: a cobrança (`charge.*` e `subscription.charged`) ou o saque (`withdrawal.*`). Nulo "
        "em um teste."
    )
    test: bool = Field(description="Se é um evento de exemplo, enviado a pedido.")
    status: DeliveryStatus = Field(description="Situação da entrega.")
    next_attempt_at: datetime | None = Field(description="Próxima tentativa; nulo em andamento ou encerrada.")
    last_status: int | None = Field(description="Status HTTP da última resposta.")
    last_error: str | None = Field(description="Por que a última tentativa falhou.")
    canceled_reason: CanceledReason | None = Field(
        description="Por que foi cancelada, ou nem chegou a ser enviada: o endpoint respondeu 410 (`gone`), foi "
        "desativado após dias sem sucesso (`failing`) ou estava desativado pelo lojista (`inactive`)."
    )
    created_at: datetime = Field(description="Quando o evento ocorreu.")
    finished_at: datetime | None = Field(description="Quando foi entregue ou encerrada.")
    attempts_count: int = Field(description="Tentativas iniciadas.")
    attempts: list[WebhookAttemptView] = Field(description="As tentativas concluídas, da primeira à última.")


class StoreEventView(View):
    """Algo que ocorreu na loja, haja ou não um endpoint que o receba.

    Something that happened in the store, whether or not an endpoint receives it.
    """

    id: Id = Field(description="Identificador do evento, como em `webhook-id`.")
    type: str = Field(description="Nome do evento.")
    created_at: datetime = Field(description="Quando ocorreu.")
    resource_id: Id | None = Field(
        description="De que o evento trata: a cobrança (`charge.*` e `subscription.charged`) ou o saque (`withdrawal.*`). Nulo "
        "em um teste."
    )
    test: bool = Field(description="Se é um evento de exemplo, enviado a pedido.")
    payload: str = Field(
        description="O corpo exato que os endpoints recebem, em JSON. O de `charge.created` não tem a imagem do QR code, se a "
        "loja não tinha nenhum endpoint."
    )


class WebhookReplayView(View):
    """O que um reenvio em massa pôs na fila.

    The result of a replay.
    """

    endpoint_id: Id = Field(description="Endpoint de destino.")
    since: datetime = Field(description="Momento a partir do qual se reenviou.")
    replayed: int = Field(description="Entregas postas na fila.")
    has_more: bool = Field(description="Se restam outras; repita a requisição com outra `Idempotency-Key`.")


ENDPOINT_COLUMNS = columns_of_view(WebhookEndpointView, webhook_endpoints)

"""Inputs of the operations on webhook endpoints and deliveries."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt, StringConstraints
from pydantic.json_schema import WithJsonSchema

from gateway.errors import NotFound
from gateway.models.webhooks import EventType
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import (
    Flag,
    IdText,
    Input,
    Integral,
    Name,
    NeverNull,
    Start,
    in_context,
    parse_integer,
)
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, PageNumber, Period, SearchText
from gateway.resolvers.webhooks.views import DeliveryStatus

MAX_GRACE_HOURS = 168
_SECRET = re.compile(r"whsec_[0-9a-fA-F]{32}")
_EVENTS = tuple(event.value for event in EventType)


def _secret(text: str) -> str:
    if not _SECRET.fullmatch(text):
        raise ValueError("use whsec_ seguido de 32 caracteres hexadecimais")
    return text


def _event(text: str) -> str:
    if text not in _EVENTS:
        raise ValueError(f"evento desconhecido; use um destes: {', '.join(_EVENTS)}")
    return text


def _deduplicate(events: list[str]) -> list[str]:
    return list(dict.fromkeys(events))


def _empty_if_none(value: Any) -> Any:
    return [] if value is None else value


def _check_url(url: str, ctx: Context) -> None:
    ctx.services.addresses.check(url, test=ctx.environment == "test")


EventName = Annotated[
    str,
    StringConstraints(max_length=64),
    AfterValidator(_event),
    WithJsonSchema({"type": "string", "enum": list(_EVENTS)}),
]
Events = Annotated[list[EventName], Field(max_length=50), AfterValidator(_deduplicate), BeforeValidator(_empty_if_none)]
Secret = Annotated[
    str,
    # Not trimmed: with a blank more or less, no signature matches.
    StringConstraints(max_length=64, strip_whitespace=False),
    AfterValidator(_secret),
    WithJsonSchema({"type": "string", "pattern": f"^{_SECRET.pattern}$"}),
]
Address = Annotated[
    str,
    # Not trimmed, unlike other texts: two parsers may read a blank in different ways.
    StringConstraints(min_length=1, max_length=2048, strip_whitespace=False),
    in_context(_check_url),
    WithJsonSchema({"type": "string", "format": "uri", "maxLength": 2048}),
]


HttpStatus = Annotated[int, Field(ge=100, le=599), BeforeValidator(parse_integer)]


class CreateWebhookEndpoint(Input):
    """Um novo endpoint, no ambiente da sessão que o cria.

    `POST /webhook-endpoints`. The endpoint belongs to the environment of the session that creates it.
    """

    name: Name = Field(description="Nome do endpoint no painel.")
    url: Address = Field(description="Endereço público https://; em teste também http://.")
    events: Events = Field(default_factory=list, description="Eventos desejados; vazio recebe todos.")
    secret: Secret | None = Field(None, description="`whsec_` e 32 caracteres hexadecimais; padrão: sorteado.")


class UpdateWebhookEndpoint(Input):
    """Mudanças em um endpoint; só os campos enviados mudam.

    `PUT /webhook-endpoints/{id}`: only sent fields change.
    """

    id: IdText = Field(description="Identificador do endpoint.")
    name: Annotated[Name | None, NeverNull] = Field(None, description="Novo nome.")
    url: Annotated[Address | None, NeverNull] = Field(None, description="Novo endereço.")
    events: Events = Field(default_factory=list, description="Novos eventos; vazio recebe todos.")
    active: Annotated[Flag | None, NeverNull] = Field(None, description="Se o endpoint recebe eventos.")


class WhichWebhookEndpoint(Input):
    """One webhook endpoint."""

    id: IdText = Field(description="Identificador do endpoint.")


class RotateSecret(Input):
    """A troca do segredo de um endpoint.

    `POST /webhook-endpoints/{id}/rotate-secret`.
    """

    id: IdText = Field(description="Identificador do endpoint.")
    grace_hours: Annotated[StrictInt, Field(ge=0, le=MAX_GRACE_HOURS), Integral] = Field(
        24,
        description="Por quantas horas o segredo anterior ainda assina o `webhook-signature`; 0 o encerra já.",
    )


class SendTestEvent(Input):
    """`POST /webhook-endpoints/{id}/test`."""

    id: IdText = Field(description="Identificador do endpoint.")
    event: EventName = Field(EventType.charge_paid.value, description="Evento de exemplo a enviar.")


class WhichEventType(Input):
    """One type of event."""

    event: str = Field(description="Nome do evento.")


class EndpointStatus(StrEnum):
    """Whether an endpoint receives events."""

    active = "active"
    inactive = "inactive"


class WebhookEndpointFilter(Period):
    """Filtros de endpoints de webhook; todos os enviados valem juntos."""

    status: EndpointStatus | None = Field(None, description="Só os ativos ou só os inativos.")


class ListWebhookEndpoints(WebhookEndpointFilter, ListInput):
    """`GET /webhook-endpoints`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class WebhookDeliveryFilter(Period):
    """Filtros de entregas; todos os enviados valem juntos."""

    q: SearchText = Field(
        None, description="Busca um id inteiro, da entrega ou do evento, ou parte do erro da última tentativa."
    )
    status: DeliveryStatus | None = Field(None, description="Só as entregas nesta situação.")
    http_status: HttpStatus | None = Field(
        None, description="Só as que receberam este status HTTP na última tentativa."
    )
    event: EventName | None = Field(None, description="Só as de eventos deste tipo.")
    event_id: IdText | None = Field(None, description="Só as deste evento, o `webhook-id` que o endpoint recebe.")
    resource_id: IdText | None = Field(None, description="Só as do que ocorreu com esta cobrança ou este saque.")


class ListDeliveries(WebhookDeliveryFilter, ListInput):
    """`GET /webhook-endpoints/{id}/deliveries`. Without a window, the newest page: a log may be long."""

    id: IdText = Field(description="Identificador do endpoint.")
    page: PageNumber | None = Field(1, description="Página, a partir de 1.")
    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class DeliveryFilter(WebhookDeliveryFilter):
    """Filtros das entregas de todos os endpoints; todos os enviados valem juntos."""

    endpoint_id: IdText | None = Field(None, description="Só as deste endpoint.")


class ListAllDeliveries(DeliveryFilter, ListInput):
    """`GET /webhook-deliveries`. Without a window, the newest page: a log may be long."""

    page: PageNumber | None = Field(1, description="Página, a partir de 1.")
    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class EventFilter(Period):
    """Filtros de eventos; todos os enviados valem juntos."""

    q: SearchText = Field(
        None, description="Busca um id inteiro, do evento, da cobrança ou do saque, ou parte do nome do evento."
    )
    type: EventName | None = Field(None, description="Só os deste tipo.")
    resource_id: IdText | None = Field(None, description="Só o que ocorreu com esta cobrança ou este saque.")


class ListEvents(EventFilter, ListInput):
    """`GET /events`. Without a window, the newest page: the list may be long."""

    page: PageNumber | None = Field(1, description="Página, a partir de 1.")
    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class WhichEvent(Input):
    """One event."""

    id: IdText = Field(description="Identificador do evento, o `webhook-id` que os endpoints recebem.")


class WhichDelivery(Input):
    """One delivery of one endpoint."""

    unknown: ClassVar[Mapping[str, str]] = {**Input.unknown, "delivery_id": NotFound.default_message}

    id: IdText = Field(description="Identificador do endpoint.")
    delivery_id: IdText = Field(description="Identificador da entrega.")


class ReplayDeliveries(Input):
    """O reenvio do que um endpoint deixou de receber.

    `POST /webhook-endpoints/{id}/replay`.
    """

    id: IdText = Field(description="Identificador do endpoint.")
    since: Start = Field(description="Reenvia o que ocorreu a partir deste momento, de até 30 dias atrás.")

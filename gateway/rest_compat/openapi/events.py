"""The `webhooks` section: what is sent to a merchant's endpoints (specification section 6, contract section 5)."""

from typing import Any

from gateway.models.base import Environment
from gateway.models.webhooks import EventType
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.subscriptions.charge import Trigger
from gateway.resolvers.subscriptions.types import SubscriptionView
from gateway.resolvers.webhooks.event_types import DESCRIPTIONS
from gateway.resolvers.withdrawals.types import WithdrawalView
from gateway.rest_compat.openapi.components import EVENTS_TAG
from gateway.rest_compat.openapi.examples import CHARGE, PAID
from gateway.rest_compat.openapi.schemas import Schema, Schemas

_HEADERS = {
    "X-Service-Signature": "HMAC-SHA256 do corpo, em hexadecimal minúsculo; a chave é o segredo inteiro, com `whsec_`.",
    "X-Service-Event": "Nome do evento.",
    "X-Service-Delivery": "Identificador da entrega, o mesmo em toda tentativa.",
    "X-Service-Attempt": "Número desta tentativa, a partir de 1.",
    "X-Service-Timestamp": "Momento do envio, em segundos Unix.",
    "webhook-id": "Identificador da mensagem (Standard Webhooks).",
    "webhook-timestamp": "Momento do envio, em segundos Unix (Standard Webhooks).",
    "webhook-signature": "Assinatura `v1,…` (Standard Webhooks).",
}
_ABOUT = (
    "Confira a assinatura sobre os **bytes exatos** do corpo antes de confiar nele, e use `id` para reconhecer uma "
    "repetição. Responda 2xx em até 10 segundos; qualquer outra resposta é tentada de novo."
)


def webhooks(schemas: Schemas) -> dict[EventType, Any]:
    """The OpenAPI webhook of each event type."""
    return {event: {"post": _event(schemas, event)} for event in EventType}


def name_of(event: EventType) -> str:
    """The event's name as a class name."""
    return "".join(part.capitalize() for part in event.value.split("."))


def _event(schemas: Schemas, event: EventType) -> dict[str, Any]:
    return {
        "tags": [EVENTS_TAG],
        "operationId": f"on{name_of(event)}",
        "summary": DESCRIPTIONS[event].removesuffix("."),
        "description": _ABOUT,
        "security": [],
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": text, "schema": {"type": "string"}}
            for name, text in _HEADERS.items()
        ],
        "requestBody": {"required": True, "content": {"application/json": _body(schemas, event)}},
        "responses": {"2XX": {"description": "Recebido. O corpo da resposta é ignorado."}},
    }


def _body(schemas: Schemas, event: EventType) -> Schema:
    example = {EventType.charge_created: CHARGE, EventType.charge_paid: PAID}.get(event)
    body: Schema = {"schema": schemas.add(f"{name_of(event)}Event", _envelope(schemas, event))}
    if example is not None:
        body["example"] = {
            "id": "0198f3c2-6001-7b10-a412-3f0c9f105d0e",
            "event": event.value,
            "version": "v1",
            "environment": example["environment"],
            "created_at": example["updated_at"],
            "sequence": 1795262400000000,
            "data": example,
        }
    return body


def _envelope(schemas: Schemas, event: EventType) -> Schema:
    properties: Schema = {
        "id": {"type": "string", "format": "uuid", "description": "Identificador do evento, igual em toda tentativa."},
        "event": {"type": "string", "const": event.value},
        "version": {"type": "string", "const": "v1"},
        "environment": {"type": "string", "enum": [each.value for each in Environment], "description": "Ambiente."},
        "created_at": {"type": "string", "format": "date-time", "description": "Quando aconteceu."},
        "sequence": {"type": "integer", "description": "Cresce com o tempo: de dois eventos, o maior é o mais novo."},
        "data": _data(schemas, event),
    }
    return {"type": "object", "required": list(properties), "properties": properties}


def _data(schemas: Schemas, event: EventType) -> Schema:
    charge = schemas.reference(ChargeView, "serialization")
    if event in {EventType.charge_created, EventType.charge_paid}:
        return charge
    if event is EventType.subscription_charged:
        properties: Schema = {
            "subscription": schemas.reference(SubscriptionView, "serialization"),
            "charge": charge,
            "trigger": {
                "type": "string",
                "enum": [each.value for each in Trigger],
                "description": "O que a cobrou: o agendamento ou uma requisição.",
            },
        }
        return {"type": "object", "required": list(properties), "properties": properties}
    return schemas.reference(WithdrawalView, "serialization")

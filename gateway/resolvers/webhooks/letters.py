"""What mails about an endpoint have in common: whose it is, and what is told of it."""

from typing import Any

from gateway.models.database import Row
from gateway.resolvers.email.outbox import EmailMessage
from gateway.resolvers.email.webhook_templates import EndpointData

# What the mail shows as "Último problema"; an answer that came is told by its status instead.
PROBLEMS = {
    "timeout": "tempo esgotado",
    "dns_failure": "domínio não encontrado",
    "blocked_address": "o domínio aponta para uma rede interna",
    "tls_failure": "certificado ou conexão TLS inválidos",
    "connection_refused": "conexão recusada",
    "connection_failed": "conexão interrompida",
    "protocol_error": "resposta que não é HTTP",
    "invalid_url": "endereço inválido",
}


def about(endpoint: Row) -> dict[str, Any]:
    """The facts that every mail about an endpoint tells."""
    told = {name: endpoint[name] for name in ("name", "url", "environment")}
    return told | {"endpoint_id": endpoint["id"]}


def letter(facts: EndpointData, endpoint: Row) -> EmailMessage:
    """To the holder of the endpoint's store."""
    return EmailMessage(facts, store_id=endpoint["user_id"], environment=endpoint["environment"])


def problem(status: int | None, error: str | None) -> str | None:
    """Why a delivery failed, in Portuguese, in a few words; None where there is nothing to tell a merchant."""
    return f"resposta {status}" if status else PROBLEMS.get(error or "")

"""Tickets: addresses that carry out one operation once, without a credential in the request.

A browser downloads by an address and can't send a header with it. So the caller gets an address with a ticket, which is
good for a minute and once. The ticket is encrypted and holds the session, not its token: the operation authenticates
and authorizes the caller again when it is redeemed.
"""

import base64
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from pydantic import Field

from gateway.errors import NotFound
from gateway.resolvers.core.authentication import RequestAuthenticator
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.operation import Operation
from gateway.resolvers.core.views import View
from gateway.security import SessionClaims
from gateway.values.ids import new_id

DOWNLOAD_LIFETIME = timedelta(seconds=60)
UPLOAD_LIFETIME = timedelta(minutes=10)
INVALID = "Este endereço já foi usado ou não vale mais; peça outro."


class Ticket(Struct, frozen=True):
    """What the address of a ticket contains."""

    id: str
    operation: str
    arguments: dict[str, Any]
    session: SessionClaims
    store_id: str
    expires_at: datetime


class WhichTicket(Input):
    """The ticket of an address."""

    ticket: str = Field(description="O que o endereço do arquivo contém.")


class DownloadView(View):
    """O endereço de um arquivo, que vale uma vez.

    The address of a file, good once.
    """

    url: str = Field(description="Endereço do arquivo; vale uma vez, por 60 segundos, sem cabeçalho de credencial.")
    file_name: str = Field(description="Nome do arquivo.")
    expires_at: datetime = Field(description="Até quando o endereço vale.")


class UploadTicketView(View):
    """O endereço para enviar um arquivo, que vale uma vez.

    The address to send a file to, good once.
    """

    url: str = Field(description="Endereço que recebe os bytes por `PUT`; vale uma vez, por 10 minutos.")
    expires_at: datetime = Field(description="Até quando o endereço vale.")


def issue_ticket(
    ctx: Context, operation: Operation[Any, Any], arguments: dict[str, Any], lifetime: timedelta
) -> tuple[str, datetime]:
    """A ticket for this call of an operation by the caller's session, and until when it is valid."""
    actor, expires_at = ctx.actor, ctx.real_clock.now() + lifetime
    session = SessionClaims(actor.user_id, actor.environment, actor.session_version, actor.session_id)
    ticket = Ticket(new_id(), operation.name, arguments, session, actor.store_id, expires_at)
    encrypted = ctx.services.vault.encrypt_bytes(msgspec.json.encode(ticket))
    return base64.urlsafe_b64encode(encrypted).decode().rstrip("="), expires_at


def read_ticket(ctx: Context, text: str, *operations: Operation[Any, Any]) -> Ticket:
    """The ticket for one of these operations, or `NotFound`. It may have been used."""
    try:
        encrypted = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        ticket = msgspec.json.decode(ctx.services.vault.decrypt(encrypted), type=Ticket)
    except (ValueError, msgspec.DecodeError):
        raise NotFound(INVALID) from None
    if ticket.operation not in {each.name for each in operations} or ticket.expires_at <= ctx.real_clock.now():
        raise NotFound(INVALID)
    return ticket


async def redeem_ticket(ctx: Context, text: str, *operations: Operation[Any, Any]) -> tuple[Context, Ticket]:
    """The context of the session and the ticket. Raises `NotFound` if the ticket is invalid or was used.

    Without Redis each process remembers for itself which tickets were used in it.
    """
    ticket = read_ticket(ctx, text, *operations)
    if await ctx.services.tickets.count(f"ticket:{ticket.id}", int(UPLOAD_LIFETIME.total_seconds()) + 1) > 1:
        raise NotFound(INVALID)
    token = ctx.services.tokens.issue(ticket.session)
    authenticator = RequestAuthenticator(ctx.services, f"Bearer {token}", ticket.store_id)
    return replace(ctx, authenticator=authenticator), ticket

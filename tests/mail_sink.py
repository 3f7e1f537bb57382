"""An SMTP server on loopback that stores the messages it accepts and fails on request."""

import asyncio
import ssl
import warnings
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword

CREDENTIALS = ("gateway", "s3nha do relé")


@dataclass
class Accepted:
    """One message accepted with 250."""

    sender: str
    recipient: str
    message: EmailMessage
    encrypted: bool


# ruff: noqa: N802  # aiosmtpd finds its hooks by these names.


@dataclass
class Sink:
    """Listens on `port`. It rejects recipients `reject@…` and defers `grey@…`.

    `replies` replace 250 for the next messages. `hold` delays the reply to a message until it is set, or with `silent`
    the reply to a recipient. `holding` is set once a reply is delayed.
    """

    port: int = 0
    accepted: list[Accepted] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    offers: Counter[str] = field(default_factory=Counter)
    grey: int = 1
    sender_reply: str = "250 OK"
    hold: asyncio.Event | None = None
    holding: asyncio.Event = field(default_factory=asyncio.Event)
    hang_up: bool = False
    silent: bool = False

    async def handle_MAIL(
        self, _server: Any, _session: Any, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.sender_reply.startswith("250"):
            envelope.mail_from = address
            envelope.mail_options.extend(options)
        return self.sender_reply

    async def handle_RCPT(self, server: SMTP, _session: Any, envelope: Envelope, address: str, _options: Any) -> str:
        self.offers[address] += 1
        if address.startswith("reject@"):
            return "550 5.1.1 no such user"
        if address.startswith("grey@") and self.offers[address] <= self.grey:
            return "451 4.7.1 try again later"
        if address.startswith("hangup@"):
            server.transport.abort()
            return "421 bye"
        if self.silent:
            await self._hold()
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Envelope) -> str:
        reply = self.replies.pop(0) if self.replies else "250 2.0.0 queued"
        if reply.startswith("250"):
            message = message_from_bytes(envelope.original_content, policy=default)
            (recipient,) = envelope.rcpt_tos
            self.accepted.append(Accepted(envelope.mail_from, recipient, message, session.ssl is not None))
        await self._hold()
        if self.hang_up:
            server.transport.abort()
        return reply

    async def _hold(self) -> None:
        self.holding.set()
        if self.hold is not None:
            await self.hold.wait()

    def recipients(self) -> list[str]:
        return [mail.recipient for mail in self.accepted]


def _authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, received: LoginPassword) -> AuthResult:
    correct = (received.login.decode(), received.password.decode()) == CREDENTIALS
    return AuthResult(success=correct, handled=False)


@asynccontextmanager
async def open_sink(
    *, port: int = 0, tls: ssl.SSLContext | None = None, implicit: bool = False, auth: bool = False, **options: Any
) -> AsyncIterator[Sink]:
    """A running server. `tls` offers STARTTLS, or with `implicit` starts TLS at the first byte."""
    sink, loop = Sink(**options), asyncio.get_running_loop()
    sessions: set[SMTP] = set()

    def session() -> SMTP:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # It warns of AUTH without TLS, which these tests need.
            smtp = SMTP(
                sink,
                enable_SMTPUTF8=True,
                tls_context=None if implicit else tls,
                authenticator=_authenticate if auth else None,
                auth_required=auth,
                auth_require_tls=False,
                ident="sink",
                hostname="sink.test",
                loop=loop,
            )
        sessions.add(smtp)
        return smtp

    server = await loop.create_server(session, "127.0.0.1", port, ssl=tls if implicit else None)
    sink.port = server.sockets[0].getsockname()[1]
    try:
        yield sink
    finally:
        server.close()
        for smtp in sessions:
            if smtp.transport is not None:
                smtp.transport.abort()
        await server.wait_closed()

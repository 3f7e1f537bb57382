"""One conversation with the relay, split where it matters: `offer` is safe to repeat, `hand_over` is not.

SMTP has no way to ask whether a message was accepted. Until the message itself is under way, any failure means that it
was not; after that, only a reply tells (RFC 5321 section 4.5.3.2.6), and without one nobody knows.
"""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from aiosmtplib import (
    SMTP,
    SMTPDataError,
    SMTPException,
    SMTPRecipientRefused,
    SMTPResponseException,
)
from msgspec import Struct

from gateway.integrations.smtp.address import RelayAddress

T = TypeVar("T")
_SERVICE_NOT_AVAILABLE = 421
_LONGEST_REPLY = 300
_UNTOLD = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


class Deadlines(Struct, frozen=True):
    """Seconds. `connect` is for everything up to authentication, `reply` for one command.

    `hand_over` is long: a relay may scan a message before it says yes, and giving up makes a mail uncertain.
    """

    connect: float = 20.0
    reply: float = 20.0
    hand_over: float = 60.0


class RelayError(Exception):
    """The relay can't be reached, or doesn't serve us: no mail's fault. `str()` is one line for an operator."""


class MailRefused(Exception):
    """The relay refuses this mail for good (5xx)."""


class MailDeferred(Exception):
    """The relay refuses this mail for now (4xx)."""


class MailUncertain(Exception):
    """The connection ended while the message was under way, without a reply."""


class Relay:
    """Where mails are handed to."""

    def __init__(
        self,
        address: RelayAddress,
        *,
        helo: str,
        tls: ssl.SSLContext | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        """`helo`: the name that we give ourselves, a domain. `tls`: another trust than the system's, for tests."""
        self.address = address
        self._helo = helo
        self._tls = tls
        self._deadlines = deadlines or Deadlines()

    @asynccontextmanager
    async def conversation(self) -> AsyncIterator["Conversation"]:
        """A connection, greeted, encrypted and authenticated as the address says. Raises `RelayError`."""
        client = self._client()
        try:
            await _talking(self.address, client.connect(), self._deadlines.connect)
            yield Conversation(self.address, client, self._deadlines)
        finally:
            await _leave(client)

    def _client(self) -> SMTP:
        at = self.address
        return SMTP(
            hostname=at.host,
            port=at.port,
            use_tls=at.tls,
            start_tls=at.starttls,
            username=at.username,
            password=at.password,
            local_hostname=self._helo,
            tls_context=self._tls,
            timeout=self._deadlines.connect,
        )


class Conversation:
    """An open connection. After `MailRefused` or `MailDeferred` it serves for the next mail."""

    def __init__(self, address: RelayAddress, client: SMTP, deadlines: Deadlines) -> None:
        self._address = address
        self._client = client
        self._deadlines = deadlines

    async def greet(self, sender: str) -> None:
        """Ask whether we may send as `sender`, and take it back. Raises `RelayError`."""
        await self._ask(self._client.mail(sender))
        await self._ask(self._client.rset())

    async def offer(self, sender: str, recipient: str) -> None:
        """Name sender and recipient. Raises `MailRefused`, `MailDeferred`, or `RelayError`: nothing was sent.

        What the relay says of the sender it says of every mail of ours, so that is a `RelayError`.
        """
        international = not recipient.isascii()
        if international and not self._client.supports_extension("smtputf8"):
            raise MailRefused("the relay doesn't take addresses with letters beyond ASCII (SMTPUTF8)")
        options, encoding = (["SMTPUTF8"], "utf-8") if international else (None, "ascii")
        await self._ask(self._client.mail(sender, options=options, encoding=encoding))
        try:
            await _within(self._client.rcpt(recipient, encoding=encoding), self._deadlines.reply)
        except SMTPRecipientRefused as error:
            if error.code == _SERVICE_NOT_AVAILABLE:
                raise _fault(self._address, error) from None
            await self._forget(error)
            raise _judged(error) from None
        except (SMTPException, OSError, TimeoutError) as error:
            raise _fault(self._address, error) from None

    async def hand_over(self, message: bytes) -> str:
        """Give the message. Returns the relay's yes; raises `MailRefused`, `MailDeferred`, or `MailUncertain`."""
        seconds = self._deadlines.hand_over
        try:
            reply = await _within(self._client.data(message, timeout=seconds), seconds)
        except SMTPDataError as error:
            await self._forget(error)
            raise _judged(error) from None
        except (SMTPException, OSError, TimeoutError) as error:
            raise MailUncertain(_told(error)) from None
        return _line(f"{reply.code} {reply.message}")

    async def withdraw(self) -> None:
        """Take back an offer. Raises `RelayError`."""
        await self._ask(self._client.rset())

    async def _ask(self, command: Awaitable[T]) -> T:
        return await _talking(self._address, command, self._deadlines.reply)

    async def _forget(self, error: SMTPResponseException) -> None:
        if error.code == _SERVICE_NOT_AVAILABLE:
            self._client.close()
            return
        with suppress(SMTPException, OSError, TimeoutError):
            await _within(self._client.rset(), self._deadlines.reply)

    @property
    def open(self) -> bool:
        return self._client.is_connected


async def _talking(address: RelayAddress, command: Awaitable[T], seconds: float) -> T:
    try:
        return await _within(command, seconds)
    except (SMTPException, OSError, TimeoutError, ValueError) as error:
        raise _fault(address, error) from None


async def _within(command: Awaitable[T], seconds: float) -> T:
    # The library's time-outs are per read: a relay that drips a reply would never reach them.
    async with asyncio.timeout(seconds):
        return await command


async def _leave(client: SMTP) -> None:
    if client.is_connected:
        with suppress(SMTPException, OSError, TimeoutError):
            await _within(client.quit(), 1.0)
    client.close()


def _judged(error: SMTPResponseException) -> MailRefused | MailDeferred:
    return MailRefused(_told(error)) if 500 <= error.code < 600 else MailDeferred(_told(error))


def _fault(address: RelayAddress, error: BaseException) -> RelayError:
    return RelayError(f"{address}: {_told(error)}")


def _told(error: BaseException) -> str:
    if isinstance(error, SMTPResponseException):
        return _line(f"{error.code} {error.message}")
    return _line(str(error)) or type(error).__name__


def _line(text: str) -> str:
    return _UNTOLD.sub(" ", text).strip()[:_LONGEST_REPLY]

"""A connection to the relay. `prepare` is safe to repeat, `send_data` is not.

SMTP can't query whether a message was accepted. Before `send_data`, a failure means that it was not. After that,
without a response, the outcome is unknown (RFC 5321 section 4.5.3.2.6).
"""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from aiosmtplib import SMTP, SMTPDataError, SMTPException, SMTPRecipientRefused, SMTPResponseException
from msgspec import Struct

from gateway.integrations.smtp.address import RelayAddress

T = TypeVar("T")
_SERVICE_NOT_AVAILABLE = 421
_MAX_RESPONSE_LENGTH = 300
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


class Timeouts(Struct, frozen=True):
    """In seconds. `connect`: until authenticated. `command`: for each command. `data`: for the message.

    `data` is long: a relay may scan a message before it responds, and a timeout makes the email's state unknown.
    """

    connect: float = 20.0
    command: float = 20.0
    data: float = 60.0


class RelayError(Exception):
    """The relay is unreachable, or refuses all our emails. `str()` is one line for an operator."""


class MessageRejected(Exception):
    """The relay rejects this message (5xx)."""


class MessageDeferred(Exception):
    """The relay defers this message (4xx)."""


class OutcomeUnknown(Exception):
    """The connection ended during the message, without a response."""


class Relay:
    """The operator's SMTP server."""

    def __init__(
        self,
        address: RelayAddress,
        *,
        helo: str,
        tls: ssl.SSLContext | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        """`helo`: our domain. `tls`: other trusted certificates than the system's, for tests."""
        self.address = address
        self._helo = helo
        self._tls = tls
        self._timeouts = timeouts or Timeouts()

    @asynccontextmanager
    async def connect(self) -> AsyncIterator["Connection"]:
        """Open a connection, encrypted and authenticated according to the address. Raises `RelayError`."""
        at = self.address
        client = SMTP(
            hostname=at.host,
            port=at.port,
            use_tls=at.tls,
            start_tls=at.starttls,
            username=at.username,
            password=at.password,
            local_hostname=self._helo,
            tls_context=self._tls,
            timeout=self._timeouts.connect,
        )
        try:
            await _run(self.address, client.connect(), self._timeouts.connect)
            yield Connection(self.address, client, self._timeouts)
        finally:
            if client.is_connected:
                with suppress(SMTPException, OSError, TimeoutError):
                    await _within(client.quit(), 1.0)
            client.close()


class Connection:
    """An open connection. After `MessageRejected` or `MessageDeferred` it can send the next message."""

    def __init__(self, address: RelayAddress, client: SMTP, timeouts: Timeouts) -> None:
        self._address = address
        self._client = client
        self._timeouts = timeouts

    async def check_sender(self, sender: str) -> None:
        """Check that we may send as `sender`, without sending. Raises `RelayError`."""
        await self._command(self._client.mail(sender))
        await self._command(self._client.rset())

    async def prepare(self, sender: str, recipient: str) -> None:
        """Send the envelope. Raises `MessageRejected`, `MessageDeferred`, or `RelayError`: nothing was sent.

        An error about the sender concerns all our emails, so it is a `RelayError`.
        """
        international = not recipient.isascii()
        if international and not self._client.supports_extension("smtputf8"):
            raise MessageRejected("the relay doesn't take addresses with letters beyond ASCII (SMTPUTF8)")
        options, encoding = (["SMTPUTF8"], "utf-8") if international else (None, "ascii")
        await self._command(self._client.mail(sender, options=options, encoding=encoding))
        try:
            await _within(self._client.rcpt(recipient, encoding=encoding), self._timeouts.command)
        except SMTPRecipientRefused as error:
            if error.code == _SERVICE_NOT_AVAILABLE:
                raise _relay_error(self._address, error) from None
            await self._reset(error)
            raise _rejection(error) from None
        except (SMTPException, OSError, TimeoutError) as error:
            raise _relay_error(self._address, error) from None

    async def send_data(self, message: bytes) -> str:
        """Send the message. Returns the response. Raises `MessageRejected`, `MessageDeferred` or `OutcomeUnknown`."""
        seconds = self._timeouts.data
        try:
            response = await _within(self._client.data(message, timeout=seconds), seconds)
        except SMTPDataError as error:
            await self._reset(error)
            raise _rejection(error) from None
        except (SMTPException, OSError, TimeoutError) as error:
            raise OutcomeUnknown(_describe(error)) from None
        return _line(f"{response.code} {response.message}")

    async def cancel(self) -> None:
        """Cancel a prepared message. Raises `RelayError`."""
        await self._command(self._client.rset())

    async def _command(self, command: Awaitable[T]) -> T:
        return await _run(self._address, command, self._timeouts.command)

    async def _reset(self, error: SMTPResponseException) -> None:
        if error.code == _SERVICE_NOT_AVAILABLE:
            self._client.close()
            return
        with suppress(SMTPException, OSError, TimeoutError):
            await _within(self._client.rset(), self._timeouts.command)

    @property
    def is_open(self) -> bool:
        return self._client.is_connected


async def _run(address: RelayAddress, command: Awaitable[T], seconds: float) -> T:
    try:
        return await _within(command, seconds)
    except (SMTPException, OSError, TimeoutError, ValueError) as error:
        raise _relay_error(address, error) from None


async def _within(command: Awaitable[T], seconds: float) -> T:
    # The library's timeouts are per read: a slow response would never reach them.
    async with asyncio.timeout(seconds):
        return await command


def _rejection(error: SMTPResponseException) -> MessageRejected | MessageDeferred:
    return MessageRejected(_describe(error)) if 500 <= error.code < 600 else MessageDeferred(_describe(error))


def _relay_error(address: RelayAddress, error: BaseException) -> RelayError:
    return RelayError(f"{address}: {_describe(error)}")


def _describe(error: BaseException) -> str:
    if isinstance(error, SMTPResponseException):
        return _line(f"{error.code} {error.message}")
    return _line(str(error)) or type(error).__name__


def _line(text: str) -> str:
    return _CONTROLS.sub(" ", text).strip()[:_MAX_RESPONSE_LENGTH]

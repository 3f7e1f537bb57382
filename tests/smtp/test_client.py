"""The SMTP client with a real relay on loopback."""

import asyncio
import ssl
from pathlib import Path

import pytest

from gateway.integrations.smtp.address import relay_address
from gateway.integrations.smtp.client import (
    MessageDeferred,
    MessageRejected,
    OutcomeUnknown,
    Relay,
    RelayError,
    Timeouts,
)
from tests.egress.receivers import Authority
from tests.mail_sink import CREDENTIALS, Sink, open_sink
from tests.ports import free_port

SENDER, RECIPIENT = "recibos@example.com", "jose@example.com"
MESSAGE = b"Subject: x\r\n\r\n.a line that begins with a dot\r\n"
CREDENTIALS_IN_URL = "gateway:s3nha%20do%20rel%C3%A9@"


def relay(
    sink: Sink, scheme: str = "smtp", credentials: str = "", tls: ssl.SSLContext | None = None, query: str = ""
) -> Relay:
    return Relay(relay_address(f"{scheme}://{credentials}127.0.0.1:{sink.port}{query}"), helo="example.com", tls=tls)


async def send(to: Relay, recipient: str = RECIPIENT) -> str:
    async with to.connect() as session:
        await session.prepare(SENDER, recipient)
        return await session.send_data(MESSAGE)


async def test_a_message_arrives_unchanged() -> None:
    async with open_sink() as sink:
        assert (await send(relay(sink))).startswith("250")
    (email,) = sink.accepted
    assert (email.sender, email.recipient) == (SENDER, RECIPIENT)
    assert email.message.get_content() == ".a line that begins with a dot\r\n"


async def test_starttls_is_used_if_offered(tmp_path: Path) -> None:
    authority = Authority()
    async with open_sink(tls=authority.server_context(tmp_path, "127.0.0.1")) as sink:
        await send(relay(sink, tls=authority.client_context()))
    assert [email.encrypted for email in sink.accepted] == [True]


async def test_tls_from_the_first_byte_with_a_password(tmp_path: Path) -> None:
    authority = Authority()
    tls = authority.server_context(tmp_path, "127.0.0.1")
    async with open_sink(tls=tls, implicit=True, auth=True) as sink:
        await send(relay(sink, "smtps", CREDENTIALS_IN_URL, authority.client_context()))
    assert sink.recipients() == [RECIPIENT]


async def test_nothing_is_sent_to_an_untrusted_certificate(tmp_path: Path) -> None:
    async with open_sink(tls=Authority().server_context(tmp_path, "127.0.0.1")) as sink:
        with pytest.raises(RelayError):
            await send(relay(sink, tls=Authority().client_context()))
    assert sink.accepted == []


async def test_nothing_is_sent_without_required_encryption() -> None:
    async with open_sink(auth=True) as sink:
        with pytest.raises(RelayError):
            await send(relay(sink, credentials=CREDENTIALS_IN_URL, query="?starttls=required"))
    assert sink.offers == {}


@pytest.mark.parametrize("credentials", [CREDENTIALS_IN_URL.replace("s3nha", "outra"), ""])
async def test_a_failed_login_is_a_relay_error(credentials: str) -> None:
    async with open_sink(auth=True) as sink:
        with pytest.raises(RelayError, match=r"53[05]") as refused:
            await send(relay(sink, credentials=credentials))
    assert CREDENTIALS[1] not in str(refused.value)


async def test_a_refused_sender_is_a_relay_error() -> None:
    async with open_sink(sender_reply="553 5.7.1 sender not allowed") as sink:
        with pytest.raises(RelayError, match="553"):
            await send(relay(sink))


async def test_an_unreachable_relay_is_a_relay_error() -> None:
    with pytest.raises(RelayError, match=r"127.0.0.1"):
        await send(relay(Sink(port=free_port())))


@pytest.mark.parametrize(("recipient", "error"), [("reject@x.co", MessageRejected), ("grey@x.co", MessageDeferred)])
async def test_after_a_rejection_the_connection_sends_the_next_message(recipient: str, error: type[Exception]) -> None:
    async with open_sink() as sink, relay(sink).connect() as session:
        with pytest.raises(error, match=r"5.1.1|4.7.1"):
            await session.prepare(SENDER, recipient)
        await session.prepare(SENDER, RECIPIENT)
        await session.send_data(MESSAGE)
    assert sink.recipients() == [RECIPIENT]


@pytest.mark.parametrize(("reply", "error"), [("554 5.6.0 spam", MessageRejected), ("452 4.3.1 full", MessageDeferred)])
async def test_after_a_refused_message_the_connection_sends_the_next_message(
    reply: str, error: type[Exception]
) -> None:
    async with open_sink(replies=[reply]) as sink, relay(sink).connect() as session:
        await session.prepare(SENDER, RECIPIENT)
        with pytest.raises(error, match=reply[:3]):
            await session.send_data(MESSAGE)
        await session.prepare(SENDER, RECIPIENT)
        await session.send_data(MESSAGE)
    assert sink.recipients() == [RECIPIENT]


async def test_a_hang_up_after_the_message_is_an_unknown_outcome() -> None:
    async with open_sink(hang_up=True) as sink:
        with pytest.raises(OutcomeUnknown):
            await send(relay(sink))
    assert sink.recipients() == [RECIPIENT]


async def test_a_non_ascii_address_is_sent_with_smtputf8() -> None:
    async with open_sink() as sink:
        await send(relay(sink), "josé@example.com")
    assert sink.recipients() == ["josé@example.com"]


# Only the timeout under test is short.
SHORT_COMMAND_TIMEOUT = Timeouts(connect=60.0, command=0.3, data=60.0)
SHORT_DATA_TIMEOUT = Timeouts(connect=60.0, command=60.0, data=0.3)


async def test_a_slow_relay_is_waited_for() -> None:
    hold = asyncio.Event()
    async with open_sink(hold=hold) as sink:
        sending = asyncio.create_task(send(relay(sink)))
        await sink.holding.wait()
        hold.set()
        assert (await sending).startswith("250")


async def test_a_relay_silent_after_the_recipient_is_a_relay_error() -> None:
    async with open_sink(hold=asyncio.Event(), silent=True) as sink:
        slow = Relay(relay_address(f"smtp://127.0.0.1:{sink.port}"), helo="example.com", timeouts=SHORT_COMMAND_TIMEOUT)
        with pytest.raises(RelayError):
            await send(slow)
    assert sink.accepted == []


async def test_a_relay_silent_after_the_message_is_an_unknown_outcome() -> None:
    async with open_sink(hold=asyncio.Event()) as sink:
        slow = Relay(relay_address(f"smtp://127.0.0.1:{sink.port}"), helo="example.com", timeouts=SHORT_DATA_TIMEOUT)
        with pytest.raises(OutcomeUnknown):
            await send(slow)

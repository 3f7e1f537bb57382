"""`gateway listen`: verifying, displaying and forwarding webhooks, and registering an endpoint."""

import io
import re
import time
from collections.abc import Callable

import pytest
from rich.console import Console

from gateway.cli.webhook_listener import ListenError, ListenOptions, listen, receiver, verify
from gateway.values.webhook_signatures import delivery_headers
from tests.api_client import Api
from tests.workers.receivers import answer, receiving

SECRET = "whsec_0123456789abcdef0123456789abcdef"
BODY = (
    '{"event":"charge.paid","data":{"id":"01a1-charge","amount":49.9,"status":"paid","name":"José [bold]","qr":"%s"}}'
).encode() % (b"x" * 500)


def signed(secret: str = SECRET, age: int = 0) -> dict[str, str]:
    return delivery_headers(
        body=BODY,
        event="charge.paid",
        event_id="01931e7e-event",
        delivery_id="01931e7e-delivery",
        attempt=2,
        timestamp=int(time.time()) - age,
        secret=secret,
    )


async def sent(
    secret: str | None, headers: dict[str, str], body: bytes = BODY, *, forward: str | None = None, full: bool = False
) -> tuple[int, str]:
    """The status and the terminal's output."""
    screen = io.StringIO()
    app = receiver(secret, Console(file=screen, width=200, soft_wrap=True), forward=forward, full=full)
    async with Api.of(app) as api:
        response = await api.client.post("/any/path", content=body, headers=headers)
    return response.status_code, screen.getvalue()


async def test_a_genuine_webhook_is_one_line() -> None:
    status, screen = await sent(SECRET, signed())
    assert status == 200
    (line,) = screen.splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d  charge\.paid  01a1-charge  R\$ 49\.90  paid  signature ✓  attempt 2", line)


async def test_full_prints_headers_and_body() -> None:
    _, screen = await sent(SECRET, signed(), full=True)
    assert "x" * 500 in screen
    for line in ("webhook-id: 01931e7e-event", "x-service-delivery: 01931e7e-delivery", "José [bold]"):
        assert line in screen


async def test_it_is_forwarded_unchanged_and_the_response_is_returned() -> None:
    sent_headers = signed()
    async with receiving(lambda _path, _n: answer(418)) as receiver:
        status, screen = await sent(SECRET, sent_headers, forward=receiver.url("/hook"))
        assert (status, "signature ✓  attempt 2 → 418" in screen) == (418, True)
        (request,) = receiver.requests
    assert request.body == BODY
    headers = {name.lower(): value for name, value in sent_headers.items()}
    assert {name: request.headers.get(name) for name in headers} == headers


async def test_an_address_that_does_not_respond_is_reported() -> None:
    status, screen = await sent(SECRET, signed(), forward="http://127.0.0.1:1/hook")
    assert status == 502
    assert screen.rstrip().endswith("→ http://127.0.0.1:1/hook doesn't answer (ConnectError)")


@pytest.mark.parametrize(
    ("headers", "invalid"),
    [
        (lambda: signed("whsec_" + "f" * 32), ["X-Service-Signature", "webhook-signature"]),
        (lambda: signed(age=600), ["webhook-signature"]),
        (lambda: signed() | {"webhook-id": "another"}, ["webhook-signature"]),
        (lambda: signed() | {"X-Service-Signature": "0"}, ["X-Service-Signature"]),
        (dict, ["X-Service-Signature", "webhook-signature"]),
    ],
    ids=["another secret", "old", "another id", "another signature", "unsigned"],
)
async def test_a_forged_or_old_webhook_is_refused(headers: Callable[[], dict[str, str]], invalid: list[str]) -> None:
    # Signed now: a signature from the collection of tests would be too old in a long run.
    status, screen = await sent(SECRET, headers())
    assert status == 401
    assert f"signature ✗ ({', '.join(invalid)})" in screen


async def test_without_a_secret_nothing_is_verified_and_any_bytes_are_printed() -> None:
    status, screen = await sent(None, {}, b"\x00\xff not json")
    assert status == 200
    assert "not verified" in screen
    assert "11 bytes that aren't an event" in screen


def test_verification_takes_any_header_text() -> None:
    headers = signed() | {"webhook-timestamp": "٣", "webhook-signature": "é"}
    assert verify(SECRET, {k.lower(): v for k, v in headers.items()}, BODY, time.time()) == {
        "X-Service-Signature": True,
        "webhook-signature": False,
    }


def test_an_invalid_secret_and_an_unreachable_api_are_errors_of_one_line() -> None:
    console = Console(file=io.StringIO())
    with pytest.raises(ListenError, match="--secret must be"):
        listen(ListenOptions(18299, secret="whsec_!"), console)
    with pytest.raises(ListenError, match="doesn't answer"):
        listen(ListenOptions(18299, register="eyJ", api="http://127.0.0.1:1"), console)
    for forward, message in {"ftp://x": "--forward must be", "http://localhost:18299/x": "leads back"}.items():
        with pytest.raises(ListenError, match=message):
            listen(ListenOptions(18299, forward=forward), console)

"""`gateway listen`: a merchant's server in one command. It receives webhooks on loopback, prints each and verifies both
signatures, as a real receiver should.
"""

import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import httpx
import orjson
from msgspec import Struct
from rich.console import Console, Group
from rich.json import JSON
from rich.panel import Panel
from rich.text import Text
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, Router
from uvicorn import Config, Server

from gateway.mendable import Mendable
from gateway.serve import open_listener
from gateway.webhook_signatures import verify_service_signature, verify_standard_signature

HOST = "127.0.0.1"
TOLERANCE_SECONDS = 5 * 60
LONGEST_SHOWN = 96


class ListenError(Mendable):
    """The endpoint can't be registered, or the secret can't be one. The message is one line."""


class ListenOptions(Struct, frozen=True):
    """Where to listen, and what to verify with: a `secret`, or the one that registering with a session token gives."""

    port: int
    secret: str | None = None
    register: str | None = None
    api: str = "http://127.0.0.1:8000"

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/"


def listen(options: ListenOptions, console: Console | None = None) -> None:
    """Receive until Ctrl-C. Raises `ListenError` and `ServeError`."""
    console = console or Console()
    with open_listener(HOST, options.port) as listener, suppress(KeyboardInterrupt):
        # uvicorn raises the signal again once it has stopped; either one then ends the block below in order.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with _registered(options, console) as secret:
            app = receiver(secret, console)
            server = Server(Config(app, log_level="warning", access_log=False, lifespan="off", ws="none"))
            server.run(sockets=[listener])


def receiver(secret: str | None, console: Console) -> Router:
    """The ASGI application: 200 for what is genuine, 401 for what isn't."""

    async def receive(request: Request) -> Response:
        body = await request.body()
        verdicts = verify(secret, request.headers, body, time.time()) if secret else {}
        console.print(shown(request.headers, body, verdicts))
        genuine = all(verdicts.values())
        return PlainTextResponse("ok" if genuine else "invalid signature", 200 if genuine else 401)

    return Router([Route("/{path:path}", receive, methods=["POST"])])


def verify(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> dict[str, bool]:
    """Whether each signature header is right; `now` in Unix seconds, for the age of the second."""
    text = headers.get("webhook-timestamp", "")
    timestamp = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else 0
    recent = abs(now - timestamp) <= TOLERANCE_SECONDS
    standard = verify_standard_signature(
        secret, headers.get("webhook-id", ""), timestamp, body, headers.get("webhook-signature", "")
    )
    return {
        "X-Service-Signature": verify_service_signature(secret, body, headers.get("x-service-signature", "")),
        "webhook-signature": standard and recent,
    }


def shown(headers: Mapping[str, str], body: bytes, verdicts: Mapping[str, bool]) -> Panel:
    """One webhook for the terminal. Long texts, such as a QR code's image, are cut."""
    genuine = all(verdicts.values())
    colour = "yellow" if not verdicts else "green" if genuine else "red"
    lines = [
        Text(f"{'✓' if valid else '✗'} {name}: {'valid' if valid else 'INVALID'}") for name, valid in verdicts.items()
    ]
    if not verdicts:
        lines = [Text("not verified: pass --secret or --register")]
    facts = Text(
        f"webhook-id {headers.get('webhook-id', '?')} · delivery {headers.get('x-service-delivery', '?')}"
        f" · attempt {headers.get('x-service-attempt', '?')}",
        style="dim",
    )
    title = Text(f"{time.strftime('%H:%M:%S')} {headers.get('x-service-event', 'unknown event')}", style="bold")
    return Panel(Group(facts, *lines, _pretty(body)), title=title, title_align="left", border_style=colour)


def _pretty(body: bytes) -> JSON | Text:
    try:
        return JSON.from_data(_cut(orjson.loads(body)), indent=2)
    except ValueError:
        return Text(repr(body[:1000]))


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _cut(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value]
    if isinstance(value, str) and len(value) > LONGEST_SHOWN:
        return f"{value[:LONGEST_SHOWN]}… ({len(value)} characters)"
    return value


@contextmanager
def _registered(options: ListenOptions, console: Console) -> Iterator[str | None]:
    """The secret to verify with. What was registered here goes again at the end: nobody would have its secret."""
    if options.register is None:
        console.print(f"Receiving at {options.url}", "Register this address as a webhook endpoint.", sep="\n")
        yield _checked(options.secret)
        return
    client = httpx.Client(base_url=options.api, headers={"authorization": f"Bearer {options.register}"}, timeout=10)
    with client:
        endpoint = _call(client, "POST", "/webhook-endpoints", {"name": "gateway listen", "url": options.url})
        console.print(f"Receiving at {options.url}, registered as endpoint {endpoint['id']} until Ctrl-C.")
        try:
            yield endpoint["secret"]
        finally:
            _unregister(client, endpoint["id"], console)


def _checked(secret: str | None) -> str | None:
    try:
        if secret is not None:
            verify(secret, {}, b"", 0)
    except ValueError:
        raise ListenError("--secret must be whsec_ and 32 hexadecimal characters") from None
    return secret


def _unregister(client: httpx.Client, endpoint_id: str, console: Console) -> None:
    try:
        _call(client, "DELETE", f"/webhook-endpoints/{endpoint_id}")
    except ListenError as error:
        console.print(f"The endpoint stays registered: {error}")


def _call(client: httpx.Client, method: str, path: str, body: Any = None) -> dict[str, Any]:
    try:
        response = client.request(method, path, json=body)
        answer = response.json()
    except (httpx.HTTPError, ValueError) as error:
        raise ListenError(f"the API at {client.base_url} doesn't answer ({type(error).__name__})") from None
    if response.is_error:
        said = answer.get("error")
        raise ListenError(f"the API refused: {said.get('message') if isinstance(said, dict) else said}")
    data: dict[str, Any] = answer["data"]
    return data

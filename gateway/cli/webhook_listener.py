"""`gateway listen`: a merchant's server in one command. It receives webhooks on loopback, prints a line for each,
verifies both signatures, and forwards it to the address of `--forward`.
"""

import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
from msgspec import Struct
from rich.console import Console
from rich.json import JSON
from rich.text import Text
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, Router
from uvicorn import Config, Server

from gateway.server.serve import open_listener
from gateway.values.user_error import UserError
from gateway.values.webhook_signatures import verify_service_signature, verify_standard_signature

HOST = "127.0.0.1"
TOLERANCE_SECONDS = 5 * 60
FORWARD_TIMEOUT_SECONDS = 15
HOP_HEADERS = {"host", "connection", "content-length", "transfer-encoding", "keep-alive"}
"""Headers of one connection, which are not forwarded."""


class ListenError(UserError):
    """The endpoint can't be registered, or an option is invalid. The message is one line."""


class ListenOptions(Struct, frozen=True):
    """Where to listen, and the `secret` to verify with. With a session token in `register`, registering returns it."""

    port: int
    secret: str | None = None
    register: str | None = None
    api: str = "http://127.0.0.1:8000"
    forward: str | None = None
    full: bool = False

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/"


def listen(options: ListenOptions, console: Console | None = None) -> None:
    """Receive until Ctrl-C. Raises `ListenError` and `ServeError`."""
    console = console or Console(soft_wrap=True, highlight=False)
    _check_forward(options)
    server = Server(Config(Router(), log_level="warning", access_log=False, lifespan="off", ws="none"))

    def stop(*_: object) -> None:
        server.should_exit = True  # Python ignores an exception that a signal raises in some callbacks.
        raise KeyboardInterrupt

    with open_listener(HOST, options.port) as listener, suppress(KeyboardInterrupt):
        # uvicorn raises the signal again once it has stopped. Either signal then ends this block in order.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        with _registered(options, console) as secret:
            server.config.app = receiver(secret, console, forward=options.forward, full=options.full)
            server.run(sockets=[listener])


def receiver(secret: str | None, console: Console, *, forward: str | None = None, full: bool = False) -> Router:
    """The ASGI application: 200 for a valid signature, otherwise 401; with `forward`, the response of that address."""

    async def receive(request: Request) -> Response:
        body = await request.body()
        verdicts = verify(secret, request.headers, body, time.time()) if secret else {}
        genuine = all(verdicts.values())
        response = PlainTextResponse("ok" if genuine else "invalid signature", 200 if genuine else 401)
        outcome = ""
        if forward is not None:
            response, outcome = await _forward(forward, request, body)
        console.print(line(request.headers, body, verdicts, outcome))
        if full:
            console.print(_details(request.headers, body))
        return response

    return Router([Route("/{path:path}", receive, methods=["POST"])])


async def _forward(url: str, request: Request, body: bytes) -> tuple[PlainTextResponse, str]:
    """Forward the same bytes and headers. Returns the response for the gateway, and the text to print."""
    headers = [(name, value) for name, value in request.headers.raw if name.decode().lower() not in HOP_HEADERS]
    try:
        async with httpx.AsyncClient(timeout=FORWARD_TIMEOUT_SECONDS) as client:
            client.headers.clear()  # httpx would add its own.
            response = await client.post(url, content=body, headers=headers)
    except httpx.HTTPError as error:
        return PlainTextResponse("not forwarded", 502), f" → {url} doesn't answer ({type(error).__name__})"
    return PlainTextResponse(response.text[:1000], response.status_code), f" → {response.status_code}"


def line(headers: Mapping[str, str], body: bytes, verdicts: Mapping[str, bool], outcome: str = "") -> Text:
    """One webhook in one line: time, event, id, amount, status, signature, and the result of forwarding."""
    if not verdicts:
        style, signature = "yellow", "signature not verified (pass --secret or --register)"
    elif all(verdicts.values()):
        style, signature = "green", "signature ✓"
    else:
        wrong = ", ".join(name for name, valid in verdicts.items() if not valid)
        style, signature = "red", f"signature ✗ ({wrong})"
    event = headers.get("x-service-event", "unknown event")
    parts = [time.strftime("%H:%M:%S"), event, *_facts(body), signature]
    attempt = headers.get("x-service-attempt", "1")
    if attempt != "1":
        parts.append(f"attempt {attempt}")
    return Text("  ".join(parts) + outcome, style=style)


def _facts(body: bytes) -> list[str]:
    """Id, amount and status of the event's subject."""
    try:
        data = orjson.loads(body)["data"]
        data = data.get("charge") or data
        facts = [data.get("id"), data.get("amount"), data.get("status")]
    except (ValueError, KeyError, TypeError, AttributeError):
        return [f"{len(body)} bytes that aren't an event"]
    texts = [f"R$ {fact:.2f}" if isinstance(fact, int | float) else str(fact) for fact in facts if fact is not None]
    return [text if text.isprintable() else ascii(text) for text in texts]


def _details(headers: Mapping[str, str], body: bytes) -> Text:
    """All of a webhook: its headers and its body."""
    lines = "\n".join(f"{name}: {value}" for name, value in headers.items())
    try:
        content = JSON.from_data(orjson.loads(body), indent=2).text
    except ValueError:
        content = Text(repr(body))
    return Text(f"{lines}\n\n", style="dim").append_text(content)


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


def _check_forward(options: ListenOptions) -> None:
    if options.forward is None:
        return
    try:
        url = urlsplit(options.forward)
        good = url.scheme in {"http", "https"} and bool(url.hostname) and (url.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise ListenError("--forward must be a URL that starts with http:// or https://")
    if url.hostname in {HOST, "localhost"} and url.port == options.port:
        raise ListenError("--forward leads back to this listener; choose another port")


@contextmanager
def _registered(options: ListenOptions, console: Console) -> Iterator[str | None]:
    """The secret to verify with. An endpoint that was registered here is deleted at the end."""
    if options.register is None:
        secret = _checked(options.secret)
        console.print(f"Receiving at {options.url}")
        if secret is None:
            console.print("Signatures aren't verified: pass --secret, or --register with a session token.")
        yield secret
        return
    client = httpx.Client(base_url=options.api, headers={"authorization": f"Bearer {options.register}"}, timeout=10)
    with client:
        endpoints = _call(client, "GET", "/webhook-endpoints")
        if known := [each["id"] for each in endpoints if each["url"] == options.url and each["active"]]:
            console.print(f"Receiving at {options.url}, already registered as endpoint {known[0]}.")
            if options.secret is None:
                console.print(
                    "Its secret was shown when it was registered: pass it with --secret to verify signatures."
                )
            yield _checked(options.secret)
            return
        endpoint = _call(client, "POST", "/webhook-endpoints", {"name": "gateway listen", "url": options.url})
        console.print(f"Receiving at {options.url}, registered as endpoint {endpoint['id']} until Ctrl-C.")
        try:
            yield endpoint["secret"]
        finally:
            try:
                _call(client, "DELETE", f"/webhook-endpoints/{endpoint['id']}")
            except ListenError as error:
                console.print(f"The endpoint stays registered: {error}")


def _checked(secret: str | None) -> str | None:
    try:
        if secret is not None:
            verify(secret, {}, b"", 0)
    except ValueError:
        raise ListenError("--secret must be whsec_ and 32 hexadecimal characters") from None
    return secret


def _call(client: httpx.Client, method: str, path: str, body: Any = None) -> Any:
    try:
        response = client.request(method, path, json=body)
        body_json = response.json()
    except (httpx.HTTPError, ValueError) as error:
        raise ListenError(f"the API at {client.base_url} doesn't answer ({type(error).__name__})") from None
    if response.status_code == 401:
        raise ListenError(
            "the API doesn't accept this token; --register takes the token of a session, as login answers it"
        )
    if response.is_error:
        refusal = body_json.get("error")
        reason = refusal.get("message") if isinstance(refusal, dict) else refusal
        raise ListenError(f"the API refused {method} {path} with status {response.status_code}: {reason}")
    return body_json["data"]

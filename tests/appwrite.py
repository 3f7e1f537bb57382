"""A fake Appwrite on loopback: the three routes that a login requests, people with sessions, and failures.

It sets a cookie in every response and refuses requests with one, as the real one refuses a token with a cookie.
"""

import asyncio
import base64
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Self

import jwt

PROJECT = "loja"
KEY = "a key that only Appwrite knows, of 32 bytes or more"
_numbers = itertools.count(1)
PEOPLE: dict[str, "Person"] = {}
"""People with a session, by their account id."""


@dataclass
class Person:
    """A person with a session: the responses of the three routes, which a test may change."""

    account: dict[str, Any]
    session: dict[str, Any]
    identities: list[dict[str, Any]]
    requested: list[str] = field(default_factory=list)

    def token(self, **claims: Any) -> str:
        """A session token as Appwrite signs them."""
        payload = {"userId": self.account["$id"], "sessionId": self.session["$id"], "exp": 4102444800}
        return jwt.encode(payload | claims, KEY, algorithm="HS256")


def arrive(email: str = "", *, uid: str = "") -> Person:
    """A person who has just signed in with Google."""
    number = next(_numbers)
    email, uid = email or f"gui{number}@gmail.com", uid or f"1000{number}"
    account_id = f"user{number}"
    google = {"userId": account_id, "provider": "google", "providerUid": uid}
    secret = {"providerAccessToken": "ya29.google-access", "providerRefreshToken": "1//google-refresh"}
    person = Person(
        {"$id": account_id, "name": "Gui Google", "status": True, "email": email, "emailVerification": True},
        google | secret | {"$id": f"session{number}", "current": False},
        [google | secret | {"$id": f"identity{number}", "providerEmail": email}],
    )
    PEOPLE[account_id] = person
    return person


@dataclass
class FakeAppwrite:
    """`answers["/account"] = (503, b"…")` sets the response of a route.

    Status None closes the connection; a negative one never responds.
    """

    port: int = 0
    calls: int = 0
    answers: dict[str, tuple[int | None, bytes]] = field(default_factory=dict)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncIterator[Self]:
        fake = cls()
        server = await asyncio.start_server(fake._serve, "127.0.0.1", 0)
        fake.port = server.sockets[0].getsockname()[1]
        try:
            yield fake
        finally:
            server.close()
            for task in list(fake._tasks):
                task.cancel()
            await asyncio.gather(*fake._tasks, return_exceptions=True)
            await server.wait_closed()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                while True:
                    path, headers = _parse_head(await reader.readuntil(b"\r\n\r\n"))
                    status, body = self._answer(path, headers)
                    if status is None:
                        return
                    if status < 0:
                        await asyncio.Event().wait()
                    writer.write(_http_response(status, body))
                    await writer.drain()
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    def _answer(self, path: str, headers: dict[str, str]) -> tuple[int | None, bytes]:
        self.calls += 1
        planned = next((answer for end, answer in self.answers.items() if path.endswith(end)), None)
        return planned or _encoded(*_respond(path.removeprefix("/v1"), headers))


def _respond(path: str, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
    if headers.get("x-appwrite-project") != PROJECT:
        return 404, {"type": "project_not_found"}
    if "cookie" in headers:
        return 403, {"type": "user_jwt_and_cookie_set"}
    try:
        claims = jwt.decode(headers.get("x-appwrite-jwt", ""), KEY, algorithms=["HS256"])
    except jwt.InvalidTokenError:
        return 401, {"type": "user_jwt_invalid", "message": "Failed to verify JWT."}
    person = PEOPLE.get(claims["userId"])
    if person is None:
        return 401, {"type": "general_unauthorized_scope"}
    person.requested.append(path)
    routes = {
        "/account": person.account,
        "/account/identities": {"total": len(person.identities), "identities": person.identities},
        f"/account/sessions/{claims.get('sessionId')}": person.session,
    }
    known = path in routes and not (path.startswith("/account/sessions/") and path[18:] != person.session["$id"])
    return (200, routes[path]) if known else (404, {"type": "user_session_not_found"})


def unsigned(payload: object) -> str:
    """An unsigned token with that payload."""
    head, body = (base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in ({}, payload))
    return f"{head}.{body}.AAAA"


def _encoded(status: int, body: dict[str, Any]) -> tuple[int, bytes]:
    return status, json.dumps(body).encode()


def _parse_head(head: bytes) -> tuple[str, dict[str, str]]:
    request, *lines = head.decode("latin-1").split("\r\n")
    return request.split(" ")[1], {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}


def _http_response(status: int, body: bytes) -> bytes:
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"content-length: {len(body)}",
        "content-type: application/json",
        "location: https://elsewhere.example/",
        f"set-cookie: a_session_{PROJECT}=of-a-person; path=/",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

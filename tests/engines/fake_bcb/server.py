"""The fake bank over HTTPS, with the token endpoint; it validates what comes in and goes out."""

import base64
import json
import re
import secrets
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, unquote

import jsonschema_rs

from tests.engines.certificates import Authority
from tests.engines.fake_bcb import schemas
from tests.engines.fake_bcb.bank import ROUTES, Bank, Manners, Refusal, Route
from tests.engines.fake_bcb.faults import problem_body
from tests.engines.fake_http import JSON_TYPE, Call, FakeServer, Json, Response

BASE, TOKEN = re.compile(r"/pix/v\d"), "/oauth/token"
PROBLEM_TYPE = {"content-type": "application/problem+json"}


def violations(schema: Json, value: Any) -> list[str]:
    """What a value violates. Formats are validated, as most banks do."""
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    return [f"{'.'.join(map(str, error.instance_path))}: {error.message}" for error in validator.iter_errors(value)]


class FakeBcb(FakeServer):
    """`refused` has what our requests violated, `mistakes` what the fake's own answers and callbacks did."""

    def __init__(self, manners: Manners | None = None) -> None:
        super().__init__()
        self.bank = Bank(manners)
        self.authority = Authority()
        self.refused: list[str] = []
        self.mistakes: list[str] = []
        self.traffic: list[tuple[Route, Json | None, Json | None]] = []
        """Requests and answers that conform."""
        self.clock_offset = timedelta()
        """How far the bank's clock is ahead, in the `Date` of its answers."""

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path, manners: Manners | None = None) -> AsyncIterator[Self]:
        """`folder` receives the certificates: `ca.pem`, and `client.pem` with its key."""
        fake = cls(manners)
        server = fake.authority.server().write(folder / "server.pem")
        (folder / "ca.pem").write_bytes(fake.authority.root.pem)
        fake.authority.client().write(folder / "client.pem")
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(folder / "ca.pem"))
        tls.load_cert_chain(server)
        tls.verify_mode = ssl.CERT_REQUIRED
        async with fake.listening(tls):
            yield fake

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}/pix/v2"

    @property
    def token_url(self) -> str:
        return f"https://127.0.0.1:{self.port}{TOKEN}"

    def callback(self, *pix: Json) -> Json:
        """The body that the bank sends to `{webhookUrl}/pix`."""
        body = {"pix": [dict(each) for each in pix]}
        self.mistakes += violations(schemas.CALLBACK, body)
        return body

    def route(self, call: Call) -> None:
        if call.path.endswith(TOKEN):
            call.route = TOKEN
            return
        base = BASE.match(call.path)
        path = call.path[base.end() :] if base else ""
        for route in ROUTES:
            match = route.pattern.fullmatch(path)
            if route.method == call.method and match:
                call.route, call.holder = route.path, route
                call.ids = {name: unquote(value) for name, value in match.groupdict().items()}
                call.id = call.ids.get("id", "")
                return

    def execute(self, call: Call) -> Response:
        if call.route == TOKEN:
            return self._token(call)
        try:
            if call.holder is None:
                return 404, b"<html>no Route matched</html>", {"content-type": "text/html"}
            self._admit(call)
            return self._handle(call.holder, call)
        except Refusal as refused:
            self.mistakes += violations(schemas.PROBLEM, refused.body)
            return refused.status, json.dumps(refused.body).encode(), PROBLEM_TYPE

    def revoke_tokens(self) -> None:
        """Make all tokens invalid."""
        self.bank.tokens.clear()

    async def _answer(self, call: Call) -> Response:
        status, body, headers = await super()._answer(call)
        date = format_datetime(datetime.now(UTC) + self.clock_offset, usegmt=True)
        return status, body, {"date": date, **headers}

    def _handle(self, route: Route, call: Call) -> Response:
        if route.request is not None and (found := violations(route.request, call.body)):
            self.refused += found
            kind = "RequisicaoInvalida"
            return 400, json.dumps(problem_body(kind, 400, "; ".join(found))).encode(), PROBLEM_TYPE
        answer = route.handler(self.bank, call)
        if answer is not None and route.answer is not None:
            self.mistakes += violations(route.answer, answer)
        self.traffic.append((route, call.body, answer))
        status = self.bank.manners.created_status if route.status == 201 else route.status
        return status, b"" if answer is None else json.dumps(answer).encode(), {} if answer is None else JSON_TYPE

    def _admit(self, call: Call) -> None:
        kind, _, token = call.headers.get("authorization", "").partition(" ")
        scopes = self.bank.tokens.get(token) if kind == "Bearer" else None
        manners = self.bank.manners
        if scopes is None:
            raise Refusal("AcessoNegado", 401, "Token inválido.")
        missing = manners.required_query and manners.required_query not in call.query
        if call.holder.scope not in scopes.split() or missing:
            raise Refusal("AcessoNegado", 403)
        if manners.required_header and manners.required_header not in call.headers:
            raise Refusal("AcessoNegado", 403)

    def _token(self, call: Call) -> Response:
        sent = call.body if call.body is not None else dict(parse_qsl(call.data.decode()))
        if not self._authenticates(call, sent) or sent.get("grant_type") != "client_credentials":
            return 401, b'{"error": "invalid_client"}', JSON_TYPE
        token, manners = secrets.token_urlsafe(24), self.bank.manners
        wanted = sent.get("scope", manners.scopes).split()
        granted = " ".join(scope for scope in wanted if scope in manners.scopes.split())
        self.bank.tokens[token] = granted
        answer = {
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": manners.token_seconds,
            "scope": granted,
        }
        self.mistakes += violations(schemas.TOKEN, answer)
        return 200, json.dumps(answer).encode(), JSON_TYPE

    def _authenticates(self, call: Call, sent: Json) -> bool:
        known = (self.bank.client_id, self.bank.client_secret)
        how = self.bank.manners.token_auth
        if how == "body":
            return (sent.get("client_id"), sent.get("client_secret")) == known
        if how == "certificate":
            return sent.get("client_id") == known[0] and "client_secret" not in sent
        basic = base64.b64encode(":".join(known).encode()).decode()
        is_json = call.body is not None
        return call.headers.get("authorization") == f"Basic {basic}" and is_json is (how == "json")

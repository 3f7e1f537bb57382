"""The fake Asaas over HTTP."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self
from urllib.parse import unquote

from tests.engines.fake_asaas.bank import PATTERNS, Bank, Refusal
from tests.engines.fake_http import JSON_TYPE, Call, FakeServer, Json, Response

HANDLERS = {(method, route): handler for method, route, _, handler in PATTERNS}


class FakeAsaas(FakeServer):
    """A `Bank` behind the routes of Asaas."""

    def __init__(self, bank: Bank) -> None:
        super().__init__()
        self.bank = bank

    @classmethod
    @asynccontextmanager
    async def running(cls, environment: str = "hmlg") -> AsyncIterator[Self]:
        fake = cls(Bank(environment))
        async with fake.listening():
            yield fake

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v3"

    def route(self, call: Call) -> None:
        for method, route, pattern, _ in PATTERNS:
            match = pattern.fullmatch(call.path)
            if method == call.method and match:
                call.route, call.id = route, unquote(match.groupdict().get("id", ""))
                return

    def execute(self, call: Call) -> Response:
        try:
            self._admit(call)
            handler = HANDLERS.get((call.method, call.route), _unknown)
            return 200, json.dumps(handler(self.bank, call)).encode(), JSON_TYPE
        except Refusal as refused:
            return refused.status, refused.body, JSON_TYPE

    def _admit(self, call: Call) -> None:
        key = call.headers.get("access_token", "")
        if "user-agent" not in call.headers or (call.method == "GET" and call.body is not None):
            raise Refusal(403)
        if not key:
            raise Refusal(401, "access_token_not_found")
        if f"_{'prod' if self.bank.environment == 'hmlg' else 'hmlg'}_" in key:
            raise Refusal(401, "invalid_environment")
        call.holder = self.bank.holders.get(key)
        if call.holder is None:
            raise Refusal(401, "invalid_access_token", "A chave de API fornecida é inválida")


def _unknown(_bank: Bank, _call: Call) -> Json:
    raise Refusal(404)

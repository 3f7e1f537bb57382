"""Tokens of engines, jobs and metrics: wrong ones are rate-limited by network, right ones never."""

from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from gateway.app import Gateway
from gateway.rate_limits import WRONG_TOKENS
from gateway.resolvers.core.context import Services
from tests.api_client import Api

RIGHT = "0123456789abcdef0123456789abcdef"
MAX_WRONG = WRONG_TOKENS[0]
Call = Callable[[Api, str], Awaitable[httpx.Response]]


async def _engine(api: Api, token: str) -> httpx.Response:
    return await api.post("/engine/notifications/simulator", {"event": "PING"}, asaas_access_token=token)


async def _transfer(api: Api, token: str) -> httpx.Response:
    return await api.post("/engine/transfers/simulator", {"transfer": {"id": "x"}}, asaas_access_token=token)


async def _job(api: Api, token: str) -> httpx.Response:
    return await api.post("/jobs/subscriptions?dry_run=true", x_job_token=token)


async def _metrics(api: Api, token: str) -> httpx.Response:
    return await api.get("/metrics", token=token)


@asynccontextmanager
async def from_address(services: Services, address: str) -> Any:
    names = ("job_token", "metrics_token", "engine_test_token")
    settings = services.settings.model_copy(update=dict.fromkeys(names, SecretStr(RIGHT)))
    async with Api.of(Gateway(settings, replace(services, settings=settings)), address=address) as api:
        yield api


@pytest.mark.parametrize("call", [_engine, _transfer, _job, _metrics])
async def test_wrong_tokens_are_limited_by_network(services: Services, call: Call) -> None:
    async with from_address(services, "203.0.113.5") as stranger:
        answers = [await call(stranger, f"guess {number}") for number in range(MAX_WRONG + 5)]
    assert [answer.status_code for answer in answers] == [401] * MAX_WRONG + [429] * 5
    refused = answers[-1]
    assert 0 < int(refused.headers["retry-after"]) <= WRONG_TOKENS[1]
    assert (refused.headers["ratelimit-limit"], refused.headers["ratelimit-remaining"]) == (str(MAX_WRONG), "0")
    assert refused.json()["error"]["message"].startswith("Muitas tentativas")
    async with from_address(services, "203.0.113.99") as neighbour:
        assert (await call(neighbour, "guess")).status_code == 429
        assert (await call(neighbour, RIGHT)).status_code == 200, "a right token is never limited"
    async with from_address(services, "198.51.100.7") as elsewhere:
        assert (await call(elsewhere, "guess")).status_code == 401


@pytest.mark.parametrize("call", [_engine, _transfer, _job, _metrics])
async def test_right_tokens_are_never_limited(services: Services, call: Call) -> None:
    async with from_address(services, "203.0.113.5") as engine:
        assert {(await call(engine, RIGHT)).status_code for _ in range(3 * MAX_WRONG)} == {200}

"""The log of a real `gateway serve`: one JSON object a line, without payer data or credentials."""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import orjson
import pytest

from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from gateway.telemetry import _without_values
from tests.api_client import PASSWORD, VALID_CNPJ, Api, charge_order
from tests.ports import free_port
from tests.subprocesses import CLEAN, Fork, Forks

ROOT = Path(__file__).resolve().parents[1]
TOKEN = "a secret token of test notifications"
LIVE_TOKEN = "a secret token of live notifications, another one"
GUESSER = "203.0.113.9"
METRICS = "a secret token of the metrics endpoint"


@dataclass
class Server:
    """A process of the API: its address and its log file."""

    address: str
    lines: Path
    process: Fork

    def log_text(self) -> str:
        """Stop the process and return its whole log."""
        self.process.terminate()
        self.process.wait(60)
        return self.lines.read_text()


@pytest.fixture(params=[{}])
def served(
    settings: Settings, services: Services, forks: Forks, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Server]:
    """A running server; parameters are more settings. It uses the tests' Redis, which `services` empties afterwards."""
    port = free_port()
    variables = {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key.get_secret_value(),
        "ENGINE_TEST_TOKEN": TOKEN,
        "ENGINE_LIVE_TOKEN": LIVE_TOKEN,
        "METRICS_TOKEN": METRICS,
        "LOG_LEVEL": "debug",
        "TRUSTED_PROXIES": "127.0.0.0/8",
        "WEBHOOK_ALLOWED_NETWORKS": "10.1.0.0/16",
        **request.param,
    }
    lines = tmp_path / "lines"
    with lines.open("wb") as output:
        process = forks.start(
            *("serve", "--port", str(port), "--workers", "1"),
            env=CLEAN | {f"GATEWAY_{name}": value for name, value in variables.items()},
            cwd=tmp_path,
            stdout=output.fileno(),
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _await(address, process)
        yield Server(address, lines, process)
    finally:
        process.terminate()
        process.wait(60)


def _await(address: str, process: Fork) -> None:
    deadline = time.monotonic() + 60
    with httpx.Client(base_url=address) as client:
        while time.monotonic() < deadline and process.poll() is None:
            try:
                client.get("/health/live")
            except httpx.TransportError:
                time.sleep(0.1)
            else:
                return
    raise AssertionError("the API did not start")


async def _scenario(address: str) -> list[str]:
    """A merchant's usual requests, some of them invalid. Returns the texts that must not be in the log."""
    async with httpx.AsyncClient(base_url=address) as client:
        api = Api(client)
        merchant = await api.register_merchant(email="ana.secreta@example.com")
        charge = await merchant.issue(metadata={"segredo": "do lojista"})
        for answer in (
            await api.post("/auth/login", {"email": merchant.email, "password": "a senha errada"}),
            await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD}),
            await api.post("/pix", charge_order(customer_cpf="111.111.111-11"), token=merchant.key),
            await api.get("/pix?q=jose@example.com", token=merchant.key),
            await api.get("/auth/me", token="service_test_unknownunknownunknown", x_forwarded_for=GUESSER),
            await api.get("/metrics", token=METRICS),
            await api.get("/metrics", token="wrong"),
            await api.post("/customers", {"name": "José", "cpf": "529.982.247-25"}, token=merchant.key),
            await client.post(
                "/engine/notifications/simulator",
                content=orjson.dumps(
                    {
                        "id": "evt_1",
                        "event": "PAYMENT_RECEIVED",
                        "payment": {"externalReference": charge["id"], "value": 1.0},
                    }
                ),
                headers={"asaas-access-token": TOKEN},
            ),
            await client.post(f"/engine/notifications/bcb/{TOKEN}/pix", json={"pix": []}),
            await client.get(f"/exports/{TOKEN}"),
            await client.put(f"/uploads/{TOKEN}", content=b"x"),
            await client.post(f"{address}//Engine/Notifications/BCB/{TOKEN}/", json={"pix": []}),
        ):
            assert answer.status_code < 500, answer.text
        await api.graphql('mutation { login(input: {email: "x@y.example", password: "z"}) { accessToken } }')
        await merchant.pay(charge["id"])
        return [
            *(merchant.email, merchant.key, merchant.token, merchant.token.split(".")[1]),
            *(PASSWORD, "a senha errada", "jose@example.com", "José", "52998224725", "529.982.247-25"),
            *("11.222.333/0001-81", VALID_CNPJ, "11222333000181", "11111111111", "do lojista", "x@y.example"),
            *(TOKEN, LIVE_TOKEN, METRICS, charge["pix_code"], "unknownunknown"),
        ]


async def test_json_log_has_no_secret(served: Server) -> None:
    secrets = await _scenario(served.address)
    text = await asyncio.to_thread(served.log_text)
    lines = [json.loads(line) for line in text.splitlines()]
    assert all({"event", "level", "timestamp"} <= set(line) for line in lines)
    assert [line["allowed_networks"] for line in lines if line["event"] == "api_started"] == [["10.1.0.0/16"]]
    requests = [line for line in lines if line["event"] == "request"]
    assert len(requests) >= 12
    assert all(set(line) >= {"request_id", "ip", "method", "path", "status", "ms"} for line in requests)
    assert {line["ip"] for line in requests} == {"127.0.0.1", GUESSER}
    assert [(line["path"], line["status"]) for line in requests if line["ip"] == GUESSER] == [("/auth/me", 401)]
    assert any(line["event"] == "engine_notification_mismatch" for line in lines)
    for secret in secrets:
        assert secret not in text, secret


@pytest.mark.parametrize("served", [{"LOG_FORMAT": "text", "LOG_LEVEL": "info"}], indirect=True)
async def test_text_log_has_requests_and_warnings_and_no_secret(served: Server) -> None:
    secrets = await _scenario(served.address)
    text = await asyncio.to_thread(served.log_text)
    requests = [line for line in text.splitlines() if re.match(r"\d\d:\d\d:\d\d \d{3} [A-Z]+ /", line)]
    assert any(re.fullmatch(r"\d\d:\d\d:\d\d 201 POST /pix \d+ ms", line) for line in requests)
    others = [line for line in text.splitlines() if line not in requests]
    assert others
    assert all(re.search(r"\[(warning|error) ", line) for line in others), others
    assert "/health" not in text
    for secret in secrets:
        assert secret not in text, secret


def test_rows_that_postgresql_quotes_are_removed_from_tracebacks() -> None:
    trace = (
        "Traceback (most recent call last):\n  File …\n"
        'asyncpg.exceptions.UniqueViolationError: duplicate key value violates unique constraint "uq"\n'
        "DETAIL:  Key (lower(email))=(ana@example.com) already exists.\n\n"
        "During handling of the above exception, another exception occurred:\n…"
    )
    logged = _without_values(None, "error", {"exception": trace})["exception"]
    assert "ana@example.com" not in logged
    assert "uq" in logged
    assert "another exception" in logged

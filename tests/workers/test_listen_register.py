"""`gateway listen --register` receives and verifies the webhooks of a charge."""

import asyncio
import signal
import socket
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from uvicorn import Config, Server

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from tests.api_client import Merchant
from tests.ports import free_port
from tests.workers.conftest import Dispatching


@asynccontextmanager
async def served(settings: Settings, services: Services) -> AsyncIterator[str]:
    """The API on a loopback port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # Connections before the server's start wait.
        server = Server(Config(Gateway(settings, services), lifespan="off", log_level="warning"))
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


async def test_listen_registers_receives_verifies_and_unregisters(
    settings: Settings, services: Services, merchant: Merchant, dispatching: Dispatching
) -> None:
    async with served(settings, services) as api, dispatching():
        words = ["listen", "--port", str(free_port()), "--register", merchant.token, "--api", api]
        process = await asyncio.create_subprocess_exec(sys.executable, "-m", "gateway", *words, stdout=PIPE)
        assert process.stdout is not None
        async with asyncio.timeout(60):
            assert b"registered as endpoint" in await process.stdout.readline()
            charge = await merchant.issue()
            await merchant.pay(charge["id"])
            screen = ""
            while screen.count("signature ✓") < 2:
                line = await process.stdout.readline()
                assert line, screen
                screen += line.decode()
            process.send_signal(signal.SIGTERM)
            await process.communicate()
        assert process.returncode == 0
    assert "charge.created" in screen
    assert "charge.paid" in screen
    assert "✗" not in screen
    assert (await merchant.api.get("/webhook-endpoints", token=merchant.key)).json() == {"data": []}

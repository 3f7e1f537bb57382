"""Serves an application with the real HTTP server in the test's process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

from gateway.http.protocol import HttpProtocol


@asynccontextmanager
async def served(app: ASGIApp, protocol: type[HttpProtocol] = HttpProtocol) -> AsyncIterator[tuple[str, int]]:
    """Serve `app`; yields host and port."""
    config = uvicorn.Config(app, port=0, http=protocol, ws="none", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  # uvicorn has a flag and no event.
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()
    finally:
        server.should_exit = True
        await task

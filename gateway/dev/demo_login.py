"""The demo merchant's login for the panel of `gateway dev`."""

import asyncio
from pathlib import Path

from gateway.dev.demo import read_demo
from gateway.dev.this_machine import is_this_machine
from gateway.resolvers.core.context import DemoLogin


class DemoFile:
    """Reads the login from `demo.json`, which is written after the API has started. Without a path there is none."""

    def __init__(self, path: Path | None, base_url: str) -> None:
        self._path = path
        self._base_url = base_url

    async def demo_login(self, host: str | None) -> DemoLogin | None:
        if self._path is None or not is_this_machine(host, self._base_url):
            return None
        demo = await asyncio.to_thread(read_demo, self._path)
        return None if demo is None else DemoLogin(demo.email, demo.password)

"""The application of `gateway dev`: the gateway, with an inbox for emails if there is no relay.

It is separate from `gateway.app`, so that `gateway serve` never imports the inbox.
"""

import asyncio
import os
from pathlib import Path

from starlette.routing import Mount

from gateway.app import Gateway
from gateway.dev.demo import read_demo
from gateway.dev.inbox.app import InboxApp
from gateway.dev.this_machine import is_this_machine
from gateway.resolvers.core.context import DemoLogin, Services
from gateway.settings import Settings, load_settings
from gateway.telemetry import configure_logging

DEMO_FILE = "GATEWAY_DEV_DEMO_FILE"
"""Where the supervisor leaves the path of `demo.json` for the API. It is no setting."""


def create_app() -> Gateway:
    """The application with the settings of the environment."""
    settings = load_settings()
    configure_logging(settings.log_level, settings.log_format)
    demo_file = os.environ.get(DEMO_FILE)
    return dev_application(settings, demo_file=Path(demo_file) if demo_file else None)


def dev_application(settings: Settings, services: Services | None = None, *, demo_file: Path | None = None) -> Gateway:
    """The application, with its own services or those passed."""
    pages = [Mount("/dev", app=InboxApp())] if settings.relay is None else []
    return Gateway(settings, services, pages=pages, development=DemoFile(demo_file, settings.base_url))


class DemoFile:
    """Reads the demo merchant's login from `demo.json`, which is written after the API has started. Without a path
    there is none.
    """

    def __init__(self, path: Path | None, base_url: str) -> None:
        self._path = path
        self._base_url = base_url

    async def demo_login(self, host: str | None) -> DemoLogin | None:
        if self._path is None or not is_this_machine(host, self._base_url):
            return None
        demo = await asyncio.to_thread(read_demo, self._path)
        return None if demo is None else DemoLogin(demo.email, demo.password)

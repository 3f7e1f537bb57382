"""The application of `gateway dev`: the gateway, with an inbox for emails if there is no relay.

It is separate from `gateway.app`, so that `gateway serve` never imports the inbox.
"""

import os
from pathlib import Path

from starlette.routing import Mount

from gateway.app import Gateway
from gateway.dev.demo_login import DemoFile
from gateway.dev.inbox.app import InboxApp
from gateway.resolvers.core.context import Services
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

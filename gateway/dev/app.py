"""The application of `gateway dev`: the product's, and where no relay takes the mails, an inbox to read them in.

Apart from `gateway.app`, so that what `gateway serve` runs doesn't even know the inbox.
"""

from starlette.routing import Mount

from gateway.app import Gateway
from gateway.dev.inbox.door import InboxDoor
from gateway.resolvers.core.context import Services
from gateway.settings import Settings, load_settings
from gateway.telemetry import configure_logging


def create_app() -> Gateway:
    """The application with the settings of the environment."""
    settings = load_settings()
    configure_logging(settings.log_level, settings.log_format)
    return dev_application(settings)


def dev_application(settings: Settings, services: Services | None = None) -> Gateway:
    """The application, on services of its own unless some are given."""
    pages = [Mount("/dev", app=InboxDoor())] if settings.relay is None else []
    return Gateway(settings, services, pages=pages)

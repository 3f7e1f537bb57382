"""A worker process with short leases, which tests can wait for: `python -m tests.workers.short_lease`."""

import uvloop

from gateway.server.worker import work
from gateway.settings import load_settings
from gateway.telemetry import configure_logging
from gateway.workers.webhook_dispatcher import DispatcherConfig

if __name__ == "__main__":
    configure_logging("info")
    uvloop.run(work(load_settings(), DispatcherConfig(lease=1.5, poll=0.05)))

"""Free ports for servers that start in other processes."""

import os
import random
import socket

_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_PORTS = range(20_000 + _WORKER % 6 * 1_000, 21_000 + _WORKER % 6 * 1_000)
"""Below the ephemeral ports, where an outgoing connection could take the port before the server starts.

Each xdist worker has its own range. Webhook URLs may have these ports.
"""
_random = random.SystemRandom()


def free_port() -> int:
    """A free port of loopback, which the system assigns to no other process by itself."""
    while True:
        port = _random.choice(_PORTS)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port

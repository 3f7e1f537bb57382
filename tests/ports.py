"""Ports for servers in processes of their own, which are told one before they take it."""

import os
import random
import socket

_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_OURS = range(20_000 + _WORKER % 6 * 1_000, 21_000 + _WORKER % 6 * 1_000)
"""Below what any system hands out by itself: one of those, let go, may be somebody's outgoing connection by the time
that the server has started. Nor are they those of the other workers. None of them is refused for webhooks.
"""
_chance = random.SystemRandom()


def free_port() -> int:
    """A port of loopback that nobody has, and that nobody is given without asking for it by number."""
    while True:
        port = _chance.choice(_OURS)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port

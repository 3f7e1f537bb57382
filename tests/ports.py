"""Ports for servers in processes of their own, which are told one before they take it."""

import random
import socket

_OURS = range(20_000, 26_000)
"""Below what any system hands out by itself: one of those, let go, may be somebody's outgoing connection by the time that
the server has started. None of them is refused for webhooks."""
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

"""A process that has imported what the gateway's processes import, and forks for each order: `tests/subprocesses.py`
starts it with one end of a socket, and orders.

An order is a line of JSON (`module`, `words`, `env`, `cwd`) that brings four files: the standard input, output and
error of the new process, and where its life is told, in two lines: its process id, and when it has ended its exit code.
"""

import json
import os
import runpy
import signal
import socket
import sys
from typing import Any

from gateway.server.startup import gc_disabled

with gc_disabled():
    import gateway.app
    import gateway.cli.billing
    import gateway.cli.context
    import gateway.doctor
    import gateway.server.serve
    import gateway.server.worker  # noqa: F401  # What takes long; each is also started from nothing by some test.


def take(orders: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next order and its files; None when there will be none."""
    line, files = b"", []
    while not line.endswith(b"\n"):
        part, brought, _, _ = socket.recv_fds(orders, 1 << 16, 4)
        if not part:
            return None
        line += part
        files += brought
    return json.loads(line), files


def fork_kept(life: int, streams: list[int]) -> bool:
    """Part in two: false in the new process; true, when that has ended, in the one that has told of its life."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if not child:
        return False
    for stream in streams:
        os.close(stream)  # Whoever reads what the process says waits for the last who could say something.
    os.write(life, b"%d\n" % child)
    os.write(life, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return True


def become(order: dict[str, Any], streams: list[int]) -> None:
    """The process that was ordered: what belonged to the one that it was forked from is gone."""
    os.setsid()
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.argv = [order["module"], *order["words"]]


def serve(orders: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Who keeps a process is nobody's to be waited for.
    while taken := take(orders):
        order, (*streams, life) = taken
        if os.fork():
            for file in (*streams, life):
                os.close(file)
            continue
        orders.close()
        if fork_kept(life, streams):
            os._exit(0)
        os.close(life)
        become(order, streams)
        runpy.run_module(order["module"], run_name="__main__", alter_sys=True)
        return


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))

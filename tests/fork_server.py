"""A process with the gateway's modules imported, which forks for each request from `tests/subprocesses.py`.

A request is a line of JSON (`module`, `words`, `env`, `cwd`) with four file descriptors: stdin, stdout and stderr of
the new process, and a pipe for its status. The status is two lines: the process id, then the exit code.
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
    import gateway.server.worker  # noqa: F401  # Slow imports; some test also starts each in a new interpreter.


def receive_request(requests: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next request and its files; None after the last one."""
    line, files = b"", []
    while not line.endswith(b"\n"):
        part, received, _, _ = socket.recv_fds(requests, 1 << 16, 4)
        if not part:
            return None
        line += part
        files += received
    return json.loads(line), files


def fork_and_report(status: int, streams: list[int]) -> bool:
    """Fork. Returns false in the child, and true in the parent once the child has exited and its status is written."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if not child:
        return False
    for stream in streams:
        os.close(stream)  # A reader sees the end of the output only when all copies are closed.
    os.write(status, b"%d\n" % child)
    os.write(status, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return True


def apply_request(request: dict[str, Any], streams: list[int]) -> None:
    """Turn the fork into the requested process: session, directory, environment, streams and arguments."""
    os.setsid()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.argv = [request["module"], *request["words"]]


def serve(requests: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # The kernel reaps the reporting parents.
    while received := receive_request(requests):
        request, (*streams, status) = received
        if os.fork():
            for file in (*streams, status):
                os.close(file)
            continue
        requests.close()
        if fork_and_report(status, streams):
            os._exit(0)
        os.close(status)
        apply_request(request, streams)
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
        return


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))

"""A process that has imported what commands import, and forks one for each command that it is asked for.

`tests/commands.py` starts it and asks: a line of JSON each, answered by the exit code.
"""

import gc
import json
import os
import signal
import sys
from typing import Any

from gateway import billing, cli, console, doctor, serve, worker

IMPORTED = (billing, console, doctor, serve, worker)
"""What takes long; each is also started from nothing by some test. A command's own rooms it imports itself."""
LONGEST_SECONDS = 90


def become(order: dict[str, Any]) -> None:
    """The process of a command: what belonged to the one that it was forked from is gone."""
    signal.alarm(LONGEST_SECONDS)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    for number, path in enumerate((os.devnull, order["stdout"], order["stderr"])):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.argv = ["gateway", *order["words"]]


if __name__ == "__main__":
    gc.freeze()
    for line in sys.stdin:
        if child := os.fork():
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            sys.stdout.write(f"{code}\n")
            sys.stdout.flush()
        else:
            become(json.loads(line))
            cli.main()
            break

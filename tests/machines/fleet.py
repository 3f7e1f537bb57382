"""Several processes of the gateway for the price of one: `python -m tests.machines.fleet`, with a list of commands as
JSON on standard input: `[{"words": ["serve", "--port", "8001"], "log": "/tmp/api.log"}, …]`.

Each runs what `python -m gateway WORDS` runs, in a process of its own; only the modules are imported once, before they
part. Their process ids are told in one line. They live until they are killed or standard input ends.
"""

import json
import os
import signal
import sys
import traceback
from contextlib import suppress

from gateway.cli import main
from gateway.start_up import collector_resting, without_unused

with collector_resting(), without_unused():
    import gateway.app
    import gateway.worker  # noqa: F401  # What the commands would import one by one.


def start(words: list[str], log: str) -> int:
    """The process id of a new process of the gateway."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for stream in (1, 2):
            os.dup2(output, stream)
        sys.argv = ["gateway", *words]
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    except BaseException:  # noqa: BLE001  # A process that is forked must never go on as its parent.
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    pids = [start(**command) for command in json.loads(sys.stdin.readline())]
    sys.stdout.write(json.dumps(pids) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

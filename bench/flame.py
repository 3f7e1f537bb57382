"""A flame graph of one operation: `python -m bench.flame "REST issue" issue.svg`.

py-spy (https://github.com/benfred/py-spy, MIT) samples `gateway serve` from outside while the load generator sends the
operation over 32 connections. It is no dependency: `uv tool install py-spy`. Reading another process takes root or
CAP_SYS_PTRACE.
"""

import argparse
import shutil
import subprocess
from pathlib import Path

from bench.load import Load, send_load
from bench.operations import OPERATIONS, open_subject


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.flame", description=__doc__)
    parser.add_argument("operation", choices=[operation.name for operation in OPERATIONS])
    parser.add_argument("output", type=Path)
    parser.add_argument("--seconds", type=int, default=12)
    options = parser.parse_args()
    py_spy = shutil.which("py-spy") or parser.error("py-spy is not installed: uv tool install py-spy")
    (operation,) = (operation for operation in OPERATIONS if operation.name == options.operation)
    with open_subject() as subject:
        requests = operation.gateway(subject)
        send_load(Load(subject.api_port, requests, 2.0))
        args = ["--duration", str(options.seconds), "--rate", "250", "--output", str(options.output)]
        with subprocess.Popen([py_spy, "record", "--pid", str(subject.api_pid), *args]) as sampler:
            measured = send_load(Load(subject.api_port, requests, options.seconds + 1.0))
    if sampler.returncode or not measured.succeeded:
        raise SystemExit(f"py-spy ended with {sampler.returncode}; responses: {measured.statuses}")


if __name__ == "__main__":
    main()

"""A worker in a world that is a little off:
`python -m tests.chaos.faulty_worker '{"lease": 2, "skew": 3600, "names": …}'`.

It is the worker process with a shorter lease, a wall clock that is wrong by `skew` seconds, or other name resolution:
`names` maps a name to its answers, one for each lookup, the last one for all that follow. An answer is a list of
addresses, or a number of seconds without an answer.
"""

import json
import sys
import time
from collections import Counter
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from typing import Any

import time_machine
import uvloop

from gateway.integrations.egress.resolver import Lookup, system_lookup
from gateway.server.worker import work
from gateway.settings import load_settings
from gateway.telemetry import configure_logging
from gateway.workers.webhook_dispatcher import DispatcherConfig


def told_names(names: dict[str, list[Any]]) -> Lookup:
    """A lookup that answers from `names`."""
    asked: Counter[str] = Counter()

    def lookup(host: str) -> list[str]:
        answers = names.get(host)
        if answers is None:
            raise OSError(f"nobody told of {host}")
        asked[host] += 1
        answer = answers[min(asked[host], len(answers)) - 1]
        if isinstance(answer, (int, float)):
            time.sleep(answer)
            raise OSError(f"no answer about {host}")
        return list(answer)

    return lookup


def main(oddities: dict[str, Any]) -> None:
    settings = load_settings()
    configure_logging("info")
    lookup = told_names(oddities["names"]) if "names" in oddities else system_lookup
    skew = timedelta(seconds=oddities.get("skew", 0))
    with time_machine.travel(datetime.now(UTC) + skew, tick=True) if skew else nullcontext():
        uvloop.run(work(settings, DispatcherConfig(lease=oddities.get("lease", 60.0)), lookup))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

"""A worker with faults: `python -m tests.chaos.faulty_worker '{"lease": 2, "skew": 3600, "names": …}'`.

It has a shorter lease, a clock that is wrong by `skew` seconds, or false DNS. `names` maps a name to one answer per
lookup, the last of which repeats. An answer is a list of addresses, or a number of seconds before the lookup fails.
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


def fake_lookup(names: dict[str, list[Any]]) -> Lookup:
    """A lookup that answers from `names`."""
    lookups: Counter[str] = Counter()

    def lookup(host: str) -> list[str]:
        answers = names.get(host)
        if answers is None:
            raise OSError(f"unknown name {host}")
        lookups[host] += 1
        answer = answers[min(lookups[host], len(answers)) - 1]
        if isinstance(answer, (int, float)):
            time.sleep(answer)
            raise OSError(f"no answer about {host}")
        return list(answer)

    return lookup


def main(faults: dict[str, Any]) -> None:
    settings = load_settings()
    configure_logging("info")
    lookup = fake_lookup(faults["names"]) if "names" in faults else system_lookup
    skew = timedelta(seconds=faults.get("skew", 0))
    with time_machine.travel(datetime.now(UTC) + skew, tick=True) if skew else nullcontext():
        uvloop.run(work(settings, DispatcherConfig(lease=faults.get("lease", 60.0)), lookup))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

"""`gateway serve` that counts what it holds: `python -m bench.counted FILE serve …`. For
`bench.steady`, and for nothing else.

At SIGUSR1 it collects its garbage and writes to FILE how many tasks are alive, and how many
objects since start-up was frozen.
"""

import asyncio
import gc
import json
import signal
import sys
from pathlib import Path

from gateway.cli import main


def write_to(target: Path) -> None:
    gc.collect()
    objects = gc.get_objects()
    held = {"tasks": sum(isinstance(one, asyncio.Task) for one in objects), "objects": len(objects)}
    draft = target.with_suffix(".draft")
    draft.write_text(json.dumps(held))
    draft.replace(target)


if __name__ == "__main__":
    file = Path(sys.argv.pop(1))
    signal.signal(signal.SIGUSR1, lambda _signal, _frame: write_to(file))
    main()

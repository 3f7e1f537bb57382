"""The generated tables of `docs/` are what the code says now."""

import subprocess
import sys

from tests.docs.pages import ROOT


def test_the_generated_tables_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "scripts/docs_tables"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")

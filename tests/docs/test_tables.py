"""The generated tables of `docs/` are up to date."""

import subprocess
import sys

from tests.docs.pages import ROOT


def test_the_generated_tables_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "scripts/docs_tables"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, "")

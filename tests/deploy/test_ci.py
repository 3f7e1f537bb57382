"""`.ci/run` fails if a step fails, and prints the suite's summary last. Its installed packages are locked."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

MAKE = """#!/bin/bash
[[ "$1" = test ]] && echo "=== 12 passed, 1 skipped in 3.45s ==="
[[ "$1" = clients ]] && echo "=== 14 passed in 99.00s ==="
echo "$1" >> "$STEPS"
[[ "$1" != "$FAILING" ]]
"""


def ci(tmp_path: Path, failing: str = "") -> "tuple[int, str, list[str]]":
    """Run `.ci/run` with a failing step; return the exit code, the last line, and the executed steps."""
    for name, text in {"make": MAKE, "python3": "#!/bin/bash\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    steps = tmp_path / "steps"
    result = subprocess.run(
        [ROOT / ".ci" / "run"],
        capture_output=True,
        text=True,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "STEPS": str(steps), "FAILING": failing},
        timeout=60,
        check=False,
    )
    return result.returncode, result.stdout.splitlines()[-1], steps.read_text().split()


def test_all_steps_are_run(tmp_path: Path) -> None:
    summary = "=== 12 passed, 1 skipped in 3.45s ==="
    assert ci(tmp_path) == (0, summary, ["setup", "lint", "panel-check", "test", "clients"])


@pytest.mark.parametrize("step", ["lint", "panel-check", "test", "clients"])
def test_a_failed_step_fails_the_run(tmp_path: Path, step: str) -> None:
    code, summary, steps = ci(tmp_path, failing=step)
    assert code != 0
    assert "12 passed" in summary
    assert steps == ["setup", "lint", "panel-check", "test", "clients"]


def test_client_packages_are_locked_by_hash_without_registry() -> None:
    clients = ROOT / "tests" / "clients"
    packages = json.loads((clients / "package-lock.json").read_text())["packages"]
    assert [name for name, package in packages.items() if name and "integrity" not in package] == []
    assert [name for name, package in packages.items() if "resolved" in package] == []
    lock = (clients / "requirements.lock").read_text()
    assert lock.count("==") <= lock.count("--hash=sha256:")
    assert "://" not in lock

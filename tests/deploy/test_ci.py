"""`.ci/run` fails with any of its steps and ends with the closing line of the suite; what it installs is locked."""

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
    """How it ends, the last line that it prints, and its steps, where one of them fails."""
    for name, text in {"make": MAKE, "python3": "#!/bin/bash\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    steps = tmp_path / "steps"
    ended = subprocess.run(
        [ROOT / ".ci" / "run"],
        capture_output=True,
        text=True,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "STEPS": str(steps), "FAILING": failing},
        timeout=60,
        check=False,
    )
    return ended.returncode, ended.stdout.splitlines()[-1], steps.read_text().split()


def test_all_steps_are_run(tmp_path: Path) -> None:
    closing = "=== 12 passed, 1 skipped in 3.45s ==="
    assert ci(tmp_path) == (0, closing, ["setup", "lint", "test", "clients"])


@pytest.mark.parametrize("step", ["lint", "test", "clients"])
def test_a_step_that_fails_fails_all(tmp_path: Path, step: str) -> None:
    code, closing, steps = ci(tmp_path, failing=step)
    assert code != 0
    assert "12 passed" in closing
    assert steps == ["setup", "lint", "test", "clients"]


def test_the_clients_are_locked_by_hashes_and_name_no_registry() -> None:
    clients = ROOT / "tests" / "clients"
    packages = json.loads((clients / "package-lock.json").read_text())["packages"]
    assert [name for name, package in packages.items() if name and "integrity" not in package] == []
    assert [name for name, package in packages.items() if "resolved" in package] == []
    lock = (clients / "requirements.lock").read_text()
    assert lock.count("==") <= lock.count("--hash=sha256:")
    assert "://" not in lock

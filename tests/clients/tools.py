"""The programs of npm and PyPI that the clients need, as `make clients` installs them."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT

HERE = Path(__file__).parent
GENERATED = HERE / "generated"
DOCUMENT = GENERATED / "openapi.json"
PROGRAMS = ROOT / ".venv-clients" / "bin"
NODE = PROGRAMS / "node"
PATH = f"{PROGRAMS}:{HERE / 'node_modules' / '.bin'}:/usr/bin:/bin"
COMPILER = (
    *("tsc", "--strict", "--target", "es2023", "--module", "nodenext", "--types", "node"),
    # The declarations of other packages are theirs; what is generated here is code, and is checked.
    *("--skipLibCheck", "--noEmitOnError", "--rootDir", "."),
)
LONGEST_SECONDS = 540


class Tools:
    """Runs the clients' programs in this folder, and speaks to one gateway."""

    def __init__(self, gateway: str) -> None:
        self.gateway = gateway

    def environment(self, **more: str) -> dict[str, str]:
        """What they run in: nothing that reports to somebody, and nothing of the machine's own Node."""
        silent = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        return kept | silent | {"PATH": PATH, "GATEWAY": self.gateway, "PYTHONPATH": str(GENERATED)} | more

    def start(self, *command: str) -> "subprocess.Popen[str]":
        """A program that goes on running; whoever starts it ends it."""
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE, env=self.environment())

    def run(self, *command: str, codes: tuple[int, ...] = (0,), cwd: Path = HERE, **environment: str) -> str:
        """What a program prints, if it ends with one of these codes."""
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=cwd,
            env=self.environment(**environment),
            timeout=LONGEST_SECONDS,
            check=False,
        )
        assert ended.returncode in codes, f"{' '.join(command)}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def compile(self, circle: str) -> str:
        """The program that a circle in TypeScript becomes, with all that it imports, if `tsc --strict` accepts them."""
        self.run(*COMPILER, "--outDir", "build", f"circles/{circle}.ts")
        return f"build/circles/{circle}.js"

    def circle(self, *command: str) -> dict[str, Any]:
        """The summary that a circle prints."""
        summary: dict[str, Any] = json.loads(self.run(*command).splitlines()[-1])
        return summary

"""The npm and PyPI programs of the clients, which `make clients` installs."""

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
    # Skips declarations of other packages; checks generated code.
    *("--skipLibCheck", "--noEmitOnError", "--rootDir", "."),
)
TIMEOUT_SECONDS = 1100


class Tools:
    """Runs the clients' programs in this folder with one gateway."""

    def __init__(self, gateway: str) -> None:
        self.gateway = gateway

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment without telemetry and without the machine's Node."""
        silent = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
        inherited = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        return inherited | silent | {"PATH": PATH, "GATEWAY": self.gateway, "PYTHONPATH": str(GENERATED)} | more

    def start(self, *command: str) -> "subprocess.Popen[str]":
        """Start a program; the caller ends it."""
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE, env=self.environment())

    def run(self, *command: str, codes: tuple[int, ...] = (0,), cwd: Path = HERE, **environment: str) -> str:
        """Run a program; return its output. Its exit code must be one of `codes`."""
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=cwd,
            env=self.environment(**environment),
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        assert result.returncode in codes, f"{' '.join(command)}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def compile(self, circle: str) -> str:
        """Compile a cycle in TypeScript with `tsc --strict`; return the path of the program."""
        self.run(*COMPILER, "--outDir", "build", f"circles/{circle}.ts")
        return f"build/circles/{circle}.js"

    def circle(self, *command: str) -> dict[str, Any]:
        """Run a cycle; return its summary."""
        summary: dict[str, Any] = json.loads(self.run(*command).splitlines()[-1])
        return summary

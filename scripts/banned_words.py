"""Finds words that the codebase does not use, and names the standard term: see CONTRIBUTING.md, "Style".

Reads code, configuration and Markdown, identifiers included. Exits with 1 if it finds one.
"""

import re
import subprocess
import sys
from pathlib import Path
from shutil import which

ROOT = Path(__file__).parents[1]
BANNED = {
    "anew": "again",
    "asked": "requested, queried",
    "bears?|born|newborn": "insert, create",
    "beside": "together with, next to",
    "doors?": "API, transport",
    "heard": "has_subscribers, received",
    "in vain": "unsuccessfully",
    "judge[ds]?|judging": "validate, check, evaluate",
    "kept": "stored, cached, retained",
    "leftovers?": "unfinished rows, orphans",
    "nobody|somebody": "no client, another transaction",
    "nudge[ds]?": "notification",
    "postman": "email worker",
    "rehears(?:e[ds]?|als?|ing)": "simulation, dry run",
    "strays?": "orphans",
    "told|tells": "returned, reported, logged",
    "whatever|whoever": "any, the caller",
}
PUBLIC = ("account.second_factor_asked", '"nobody"', "`nobody`")
"""An audit action, and the user of Unix."""
PATTERN = re.compile(
    "(?<![A-Za-z])(?:" + "|".join(f"(?P<w{number}>{words})" for number, words in enumerate(BANNED)) + ")(?![A-Za-z])",
    re.IGNORECASE,
)


def main() -> int:
    listed = subprocess.run(
        [
            which("git") or "git",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            *("*.py", "*.sql", "*.md", "*.toml", "*.yaml", "*.ts", "*.tsx", "*.css", "Makefile", "deploy"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = 0
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path == Path(__file__) or not path.is_file():
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            for public in PUBLIC:
                line = line.replace(public, "")  # noqa: PLW2901
            for match in PATTERN.finditer(line):
                found += 1
                term = list(BANNED.values())[int(str(match.lastgroup)[1:])]
                print(f"{name}:{number}: {match[0]!r}: say {term}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

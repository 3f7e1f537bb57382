"""Print `docs/settings.md` from the settings themselves: `make schema` writes it, a test compares."""

import sys

from pydantic_core import PydanticUndefined

from gateway.settings import Settings

HEAD = """\
# Settings

Read once at the start, from the environment or from a `.env` in the working directory; the environment wins. A missing or
malformed setting is one line and exit code 2. Lists are separated by commas; networks are in CIDR notation.

`gateway dev` sets the first three itself, the address, loopback for webhooks and the folder of documents, where you don't. See
[Deployment](deployment.md) for which ones matter when.

This page is written by `make schema` from `gateway/settings.py`.

| setting | default | meaning |
|---|---|---|"""

_SWITCHES = {True: "on", False: "off"}


def default_of(value: object) -> str:
    if value is PydanticUndefined:
        return "**required**"
    if value is None or value in {"", ()}:
        return "–"
    return f"`{_SWITCHES.get(value, value) if isinstance(value, bool) else value}`"


def page() -> str:
    """The page, from the fields in their order."""
    rows = [
        f"| `GATEWAY_{name.upper()}` | {default_of(field.default)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join([HEAD, *rows]) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())

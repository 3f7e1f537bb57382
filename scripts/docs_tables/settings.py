"""The table of `docs/settings.md`: every setting with its default and its description."""

from pydantic_core import PydanticUndefined

from gateway.settings import variables

_SWITCHES = {True: "on", False: "off"}


def settings_table() -> str:
    rows = ["| setting | default | meaning |", "|---|---|---|"]
    for name, field in variables().items():
        if not field.description:
            raise SystemExit(f"the setting {name} has no description")
        rows.append(f"| `{name}` | {default_text(field.default)} | {field.description} |")
    return "\n".join(rows)


def default_text(value: object) -> str:
    if value is PydanticUndefined:
        return "**required**"
    if value is None or value in {"", ()}:
        return "–"
    return f"`{_SWITCHES.get(value, value) if isinstance(value, bool) else value}`"

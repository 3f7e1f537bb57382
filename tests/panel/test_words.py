"""The texts of the panel: each is shown by a page."""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "panel" / "src"
TEXTS = {path: path.read_text() for path in SOURCES.rglob("*.ts*") if "gql" not in path.parts}
FOUND = [
    (name, body)
    for text in TEXTS.values()
    for name, body in re.findall(r"export const (\w*[wW]ords) = \{\n(.*?)\n\}", text, re.DOTALL)
]
WORDS = {name: set(re.findall(r"^  (\w+):", body, re.MULTILINE)) for name, body in FOUND}
BODIES = [f"{body}\n" for _, body in FOUND]
ALL = "\n".join(TEXTS.values())


@pytest.mark.parametrize("name", sorted(WORDS))
def test_each_text_is_shown(name: str) -> None:
    """`clockWords[step]` shows texts that no dot names; `const { tabs } = settingsWords` names them without one."""
    by_dot = set(re.findall(rf"\b{name}\s*\.(\w+)", ALL))
    taken = {key for keys in re.findall(rf"\{{([^}}]*)\}} = {name}\b", ALL) for key in re.findall(r"\w+", keys)}
    computed = set(re.findall(r"'(\w+)'", ALL)) if re.search(rf"\b{name}\[", ALL) else set()
    assert WORDS[name] - by_dot - taken - computed == set()


def test_each_text_of_a_group_is_shown() -> None:
    """`words.frame.store`, `homeWords.periods[value]`, or `tabs.store` of a group that has been taken out."""
    grouped = re.findall(r"^  (\w+): \{\n((?:    .*\n)+)  \}", "\n".join(BODIES), re.MULTILINE)
    groups = {group for group, _ in grouped}
    unused = {
        f"{group}.{key}"
        for group, body in grouped
        for key in re.findall(r"^    (\w+):", body, re.MULTILINE)
        if not re.search(rf"\b{group}(?:\s*\.{key}\b|\[)", ALL)
    }
    assert {"entry", "frame", "failure"} <= groups
    assert unused == set()

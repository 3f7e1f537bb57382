"""The filters of the panel's lists: the address of a list has each of them."""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "panel" / "src"
FILTERS = {
    f"{path.parent.name} {name}": set(re.findall(r"name: '(\w+)'", body))
    for path in SOURCES.rglob("filters.ts")
    for name, body in re.findall(r"(\w+): readonly FilterField\[\] = \[\n(.*?)\n\]", path.read_text(), re.DOTALL)
}
ADDRESSES = [
    set(re.findall(r"'(\w+)'", names))
    for path in SOURCES.rglob("routes.ts")
    for names in re.findall(r"searchOf\(\[(.*?)\]\)", path.read_text(), re.DOTALL)
]


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_a_route_has_the_parameters_of_its_list(name: str) -> None:
    assert any(FILTERS[name] <= address for address in ADDRESSES), FILTERS[name]

"""`docs/lists.md` names every list and every export, with all filters that they have."""

import re

import pytest

from gateway.resolvers.listing.inputs import ListInput
from gateway.rest_compat.routes import ENDPOINTS
from tests.docs.pages import ROOT, Page

PAGE = Page(ROOT / "docs/lists.md")
LISTS = {
    endpoint.path: endpoint.operation.input_type
    for endpoint in ENDPOINTS
    if issubclass(endpoint.operation.input_type, ListInput)
}
NO_FILTERS = {*ListInput.model_fields, "id", "include"}


def named(text: str) -> set[str]:
    return set(re.findall(r"`(?:GET )?([^`]+)`", text))


def part(heading: str) -> str:
    return PAGE.text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_each_list_is_on_the_page_and_no_other() -> None:
    assert {name for name in named(PAGE.text.partition("\n## ")[0]) if name.startswith("/")} == set(LISTS)


@pytest.mark.parametrize("path", LISTS)
def test_each_filter_is_in_the_table(path: str) -> None:
    rows = re.findall(r"^\| (`.+`) \|", part("Filters"), re.MULTILINE)
    assert LISTS[path].model_fields.keys() - NO_FILTERS <= named(" ".join(rows))


def test_each_export_is_on_the_page_and_no_other() -> None:
    exports = {endpoint.path for endpoint in ENDPOINTS if endpoint.export is not None}
    assert {name for name in named(part("CSV")) if name.startswith("/")} == exports

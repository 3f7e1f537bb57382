"""`docs/lists.md` names every list and every export, with all filters that they have."""

import re

import pytest

from gateway.resolvers.listing.exports import Export
from gateway.resolvers.listing.inputs import ListInput
from gateway.rest_compat.routes import ENDPOINTS
from tests.docs.pages import ROOT, Page

PAGE = Page(ROOT / "docs/lists.md")
LISTS = {
    endpoint.path: endpoint.operation.input_type
    for endpoint in ENDPOINTS
    if issubclass(endpoint.operation.input_type, ListInput) and endpoint.operation.result_type is not Export
}
CALLED = {
    "/api-keys": "API keys",
    "/pix": "charges",
    "/charges": "charges",
    "/customers": "customers",
    "/subscriptions": "subscriptions",
    "/payment-links": "payment links",
    "/coupons": "coupons",
    "/products": "products",
    "/withdrawals": "withdrawals",
    "/webhook-endpoints": "webhook endpoints",
    "/webhook-endpoints/{id}/deliveries": "their deliveries",
    "/members": "members",
    "/roadmap": "roadmap",
    "/roadmap/{id}/comments": "comments",
    "/audit": "audit trail",
    "/admin/lojistas": "merchants",
    "/admin/withdrawals": "withdrawals of all stores",
    "/repayments": "repayments",
    "/admin/repayments": "repayments to all stores",
    "/admin/differences": "differences",
}
"""What the table of filters calls each list."""
NO_FILTERS = {*ListInput.model_fields, "id", "include"}


def named(text: str) -> set[str]:
    return set(re.findall(r"`(?:GET )?([^`]+)`", text))


def part(heading: str) -> str:
    return PAGE.text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_each_list_is_on_the_page_and_no_other() -> None:
    assert {name for name in named(PAGE.text.partition("\n## ")[0]) if name.startswith("/")} == set(LISTS)


@pytest.mark.parametrize("path", LISTS)
def test_each_filter_is_in_the_table_and_no_other(path: str) -> None:
    rows = re.findall(r"^\| (`.+?`) \| (.+?) \|", part("Filters"), re.MULTILINE)
    told = {
        name for filters, lists in rows if {"all", CALLED[path]} & set(lists.split(", ")) for name in named(filters)
    }
    assert told == LISTS[path].model_fields.keys() - NO_FILTERS


def test_the_table_is_of_lists_that_there_are() -> None:
    rows = re.findall(r"^\| `.+?` \| (.+?) \|", part("Filters"), re.MULTILINE)
    assert {name for lists in rows for name in lists.split(", ")} <= {"all", *CALLED.values()}
    assert set(CALLED) == set(LISTS)


def test_each_export_is_on_the_page_and_no_other() -> None:
    exports = {endpoint.path for endpoint in ENDPOINTS if endpoint.operation.result_type is Export}
    assert {name for name in named(part("CSV")) if name.startswith("/")} == exports

"""`docs/errors.md` tells every error of the tree, and none that doesn't exist."""

import json
import re
from collections.abc import Iterator

import pytest

from gateway.errors import GatewayError, MinimumAmount, Unauthenticated
from tests.docs.pages import ROOT, Page

PAGE = Page(ROOT / "docs/errors.md")
ROW = re.compile(r"^\| (\d{3}) \| (?:`([A-Z_]+)`|–) \| (.+) \| (.+) \|$", re.MULTILINE)
NOT_IN_THE_TREE = {(408, None), (431, None), (500, None)}


def tree(error: type[GatewayError] = GatewayError) -> Iterator[type[GatewayError]]:
    for child in error.__subclasses__():
        yield child
        yield from tree(child)


def told() -> list[tuple[int, str | None]]:
    return [(int(status), codigo or None) for status, codigo, _, _ in ROW.findall(PAGE.text)]


@pytest.mark.parametrize(
    "error", sorted(set(tree()), key=lambda error: error.__name__), ids=lambda error: error.__name__
)
def test_each_error_is_told_with_its_cause_and_cure(error: type[GatewayError]) -> None:
    assert (error.status, error.codigo) in told()


def test_no_error_is_told_that_does_not_exist() -> None:
    assert set(told()) - {(error.status, error.codigo) for error in tree()} == NOT_IN_THE_TREE


def test_none_is_told_twice_and_they_come_in_the_order_of_their_status() -> None:
    assert len(told()) == len(set(told()))
    assert [status for status, _ in told()] == sorted(status for status, _ in told())


def test_the_three_authentication_texts_are_exact() -> None:
    texts = {error.default_message for error in tree(Unauthenticated)}
    assert len(texts) == 3
    assert all(f"`{text}`" in PAGE.text for text in texts)


def test_the_example_is_what_the_gateway_says() -> None:
    examples = [json.loads(block)["error"] for block in PAGE.blocks("json")]
    assert MinimumAmount().body() in examples

"""The tables of docs/banks.md that are written by hand equal the code."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from gateway.integrations.engines.bcb.failures import error_from_response
from gateway.integrations.engines.bcb.mapping import engine_charge
from gateway.integrations.engines.errors import EngineError
from gateway.integrations.engines.http_client import InvalidResponse, MissingResource
from tests.docs.pages import ROOT, Page
from tests.engines.fake_bcb.faults import PROXY_PAGE

REFERENCE = Page(ROOT / "docs/banks.md")
SOURCES = sorted((ROOT / "gateway/integrations/engines/bcb").glob("*.py"))
TXID = "a" * 32
RETURNED = {"–": 0, "less than paid": 40_00, "all": 100_00}


def table(heading: str) -> Iterator[list[str]]:
    """The rows of a section's table."""
    section = REFERENCE.text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("|"):
            yield [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]


def rows(heading: str) -> list[list[str]]:
    return list(table(heading))[2:]


def test_every_path_of_a_request_is_listed() -> None:
    called = {path for file in SOURCES for path in re.findall(r'"(/(?:cob|pix|webhook)\b[^"]*)"', file.read_text())}
    listed = {request.partition(" ")[2] for request, _ in rows("Requests")}
    assert called
    assert called <= listed


@pytest.mark.parametrize(("status", "payments", "returned", "state"), rows("States of a charge"))
def test_the_state_of_a_charge(status: str, payments: str, returned: str, state: str) -> None:
    data: dict[str, Any] = {"txid": TXID, "status": status, "valor": {"original": "100.00"}}
    if payments == "some":
        refund = {"status": "DEVOLVIDO", "valor": f"{RETURNED[returned] / 100:.2f}"}
        data["pix"] = [{"endToEndId": "E" * 32, "valor": "100.00", "devolucoes": [refund]}]
    try:
        found = engine_charge(data, TXID, "").state.value
    except InvalidResponse as error:
        found = _public(error)
    assert found == state


@pytest.mark.parametrize(("answer", "write", "read"), rows("Errors"))
def test_the_error_of_an_answer(answer: str, write: str, read: str) -> None:
    body = PROXY_PAGE if answer.endswith("of a proxy") else b'{"type": "x/y", "title": "t", "status": 0}'
    for expected, writes in ((write, True), (read, False)):
        error = error_from_response(int(answer[:3]), body, writes=writes)
        none = isinstance(error, MissingResource) and not writes
        assert expected == ("no such charge" if none else _public(error)), (answer, writes)


def _public(error: EngineError) -> str:
    """The name of the error in `gateway.integrations.engines.errors`."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == EngineError.__module__)

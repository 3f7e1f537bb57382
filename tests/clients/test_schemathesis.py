"""Requests that schemathesis makes up from the OpenAPI document: the server does what the document says."""

import base64
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import EMAIL, PASSWORD, register
from tests.clients.tools import Tools
from tests.fuzz.test_document import REFUSED
from tests.quickstart.conftest import running_gateway

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
CHECK_DIGITS = {r"\b(CPF|CNPJ)\b.*(inválido|válido|caracteres)$": "no pattern computes check digits"}
"""Beside what `tests/fuzz/test_document.py` names: there, documents are made up with their check digits."""


@pytest.mark.timeout(1200)
def test_the_server_does_what_the_document_says(tmp_path: Path) -> None:
    """All checks, as they are on by default; other exceptions are in `schemathesis.toml`, with their reasons."""
    report = tmp_path / "report.ndjson"
    # Without limits, for an operation that is called a hundred times a minute would answer 429.
    with running_gateway(GATEWAY_RATE_LIMITS="off") as gateway:
        register(gateway)
        options = ("--config-file", "schemathesis.toml", "run", "--no-color", "--report-ndjson-path", str(report))
        printed = Tools(gateway).run(
            str(SCHEMATHESIS), *options, f"{gateway}/openapi.json", codes=(0, 1), EMAIL=EMAIL, PASSWORD=PASSWORD
        )
    tested = re.search(r"Tested: (\d+)", printed)
    assert tested, printed
    assert int(tested[1]) > 100
    assert " error" not in printed.splitlines()[-1], printed
    wrong = sorted(set(failures(report)))
    assert not wrong, "\n".join(wrong)


def failures(report: Path) -> Iterator[str]:
    """The failed checks that no reason explains."""
    for line in report.read_text(encoding="utf-8").splitlines():
        recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
        for case, checks in recorder.get("checks", {}).items():
            answer = recorder["interactions"][case]["response"]
            for check in checks:
                if check["status"] == "failure" and not (
                    check["name"] == "positive_data_acceptance" and all(map(is_named, reasons(answer)))
                ):
                    yield f"{recorder['label']}: {check['name']}, {answer['status_code']}, {reasons(answer)}"


def reasons(answer: dict[str, Any]) -> list[str]:
    """Why a request was refused, field by field. A rule of business needs no reason: the document tells its code."""
    content = base64.b64decode((answer.get("content") or {}).get("$base64", ""))
    error = json.loads(content)["error"] if answer["status_code"] == 400 else {"message": ""}
    if error.get("codigo"):
        return []
    return [f"{field['campo']}: {field['mensagem']}" for field in error.get("campos", [])] or [error["message"]]


def is_named(reason: str) -> bool:
    return any(re.search(pattern, reason) for pattern in REFUSED | CHECK_DIGITS)

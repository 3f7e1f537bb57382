"""Requests that schemathesis generates from the OpenAPI document: the server conforms to it."""

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
"""In addition to `tests/fuzz/test_document.py`, which generates valid check digits."""


@pytest.mark.timeout(1200)
def test_the_server_conforms_to_the_document(tmp_path: Path) -> None:
    """Runs all default checks. `schemathesis.toml` has the other exceptions and their reasons."""
    report = tmp_path / "report.ndjson"
    # No rate limits, since an operation is called a hundred times a minute.
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
    """Yield the failed checks without a known reason."""
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
    """Return the error texts per field; none for a business rule, whose code is documented."""
    content = base64.b64decode((answer.get("content") or {}).get("$base64", ""))
    error = json.loads(content)["error"] if answer["status_code"] == 400 else {"message": ""}
    if error.get("codigo"):
        return []
    return [f"{field['campo']}: {field['mensagem']}" for field in error.get("campos", [])] or [error["message"]]


def is_named(reason: str) -> bool:
    return any(re.search(pattern, reason) for pattern in REFUSED | CHECK_DIGITS)

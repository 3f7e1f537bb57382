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
from tests.quickstart.conftest import running_gateway

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
REFUSED = {
    r"^after: use page ou after": "query parameters can't depend on one another",
    r"^id: informe id ou txid": "of two query parameters one is needed",
    r"(CPF|CNPJ) inválido$": "no pattern computes check digits",
    r"^phone: informe DDD e número": "no pattern knows all area codes and what may follow them",
    r"^(new_)?password: esta senha é muito comum": "no pattern knows all common passwords",
    r"^password: campo obrigatório": "who has no password need not send it",
    r"^Antes de pedir a liberação": "what a store lacks is in no document",
    r"deve ser depois d|deve estar no futuro|últimos 30 dias|já passou": "dates depend on the clock and on one another",
    r"envie ao menos um dos campos": "which of the fields changes is open",
}
"""What may be refused although it fits the document, and why the document can't say so."""


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
    assert sorted(set(failures(report))) == []


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
    """Why a request was refused: what is wrong with each of its fields."""
    content = base64.b64decode((answer.get("content") or {}).get("$base64", ""))
    error = json.loads(content).get("error", {}) if answer["status_code"] == 400 else {}
    return [f"{field['campo']}: {field['mensagem']}" for field in error.get("campos", [])] or [error.get("message", "")]


def is_named(reason: str) -> bool:
    return any(re.search(pattern, reason) for pattern in REFUSED)

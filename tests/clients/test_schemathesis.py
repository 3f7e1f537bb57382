"""Requests that schemathesis makes up from the OpenAPI document: the server does what the document says."""

import sys
from pathlib import Path

import pytest

from tests.clients.conftest import EMAIL, PASSWORD, register
from tests.clients.tools import Tools
from tests.quickstart.conftest import running_gateway

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")


@pytest.mark.timeout(600)
def test_the_server_does_what_the_document_says() -> None:
    """All checks, as they are on by default; what is excepted is in `schemathesis.toml`, with its reason."""
    # Without limits, for an operation that is called a hundred times a minute would answer 429.
    with running_gateway(GATEWAY_RATE_LIMITS="off") as gateway:
        register(gateway)
        command = (str(SCHEMATHESIS), "--config-file", "schemathesis.toml", "run", "--no-color")
        Tools(gateway).run(*command, f"{gateway}/openapi.json", EMAIL=EMAIL, PASSWORD=PASSWORD)

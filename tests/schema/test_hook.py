"""The compiled executor uses Strawberry's hook, and an incompatible version falls back to graphql-core."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from gateway.schema.compiled import CompiledExecutor
from gateway.schema.schema import SCHEMA
from tests.api_client import Api, Merchant
from tests.commands import Commands
from tests.schema.incompatible_strawberry import CHANGES
from tests.schema.product_requests import answers_to_all


async def test_it_uses_the_hook(api: Api) -> None:
    assert SCHEMA.execution_context_class is CompiledExecutor
    result: Any = await SCHEMA.execute("{ __typename }")
    assert (result.data, result.errors) == ({"__typename": "Query"}, None)


@pytest.mark.parametrize("change", CHANGES)
async def test_an_incompatible_strawberry_serves_the_same_responses(
    api: Api, merchant: Merchant, gateway: Commands, tmp_path: Path, change: str
) -> None:
    expected = await answers_to_all(api, merchant.key)
    completed = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "tests.schema.incompatible_strawberry", change],
        capture_output=True,
        env=gateway.environment({}) | {"TOKEN": merchant.key},
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr.decode()
    found = orjson.loads(completed.stdout.splitlines()[-1])
    assert found["answers"] == expected
    if change == "no parameter":
        assert found["startup_error"] is None, "the gateway doesn't pass the parameter"
    else:
        assert "GATEWAY_GRAPHQL_FAST_PATH" in found["startup_error"]

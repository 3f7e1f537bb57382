"""The compiled executor stands behind Strawberry's hook, and a version that refuses it keeps nobody from working."""

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
from tests.schema.incompatible_strawberry import WAYS
from tests.schema.product_requests import answers_to_all


async def test_it_stands_behind_the_hook(api: Api) -> None:
    assert SCHEMA.execution_context_class is CompiledExecutor
    result: Any = await SCHEMA.execute("{ __typename }")
    assert (result.data, result.errors) == ({"__typename": "Query"}, None)


@pytest.mark.parametrize("way", WAYS)
async def test_a_strawberry_that_refuses_it_serves_all_the_same(
    api: Api, merchant: Merchant, gateway: Commands, tmp_path: Path, way: str
) -> None:
    expected = await answers_to_all(api, merchant.key)
    ran = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "tests.schema.incompatible_strawberry", way],
        capture_output=True,
        env=gateway.environment({}) | {"TOKEN": merchant.key},
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    found = orjson.loads(ran.stdout.splitlines()[-1])
    assert found["answers"] == expected
    if way == "no parameter":
        assert found["told"] is None, "the hook is no parameter of ours"
    else:
        assert "GATEWAY_GRAPHQL_FAST_PATH" in found["told"]

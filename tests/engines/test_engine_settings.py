"""An incomplete engine configuration prevents the start, with one line that names the missing setting."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.settings import SettingsError, load_settings

ROOT = Path(__file__).resolve().parents[2]
REQUIRED = {"database_url": "postgresql://x", "redis_url": "redis://x", "secret_key": "k" * 32}
TEST = {"engine_test": "asaas", "asaas_test_api_key": "$aact_hmlg_x", "engine_test_token": "test" * 8}
LIVE = {"engine_live": "asaas", "asaas_live_api_key": "$aact_prod_x", "engine_live_token": "live" * 8}


@pytest.mark.parametrize(
    "values",
    [
        *(TEST, LIVE, TEST | LIVE, TEST | {"asaas_test_api_key": "0123456789abcdef" * 4}),
        # Three equal letters, four equal digits and four digits in order are allowed.
        TEST | {"engine_test_token": "aaa-1234-6789-1111-" + "test" * 8},
    ],
    ids=str,
)
def test_a_complete_engine_is_accepted(values: dict[str, str]) -> None:
    assert load_settings(_env_file=None, **REQUIRED, **values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (TEST | {"asaas_test_api_key": None}, "GATEWAY_ASAAS_TEST_API_KEY is not set, and Asaas is the test engine"),
        (LIVE | {"asaas_live_api_key": ""}, "GATEWAY_ASAAS_LIVE_API_KEY is not set, and Asaas is the live engine"),
        (TEST | {"asaas_test_api_key": "aact_hmlg_x"}, "GATEWAY_ASAAS_TEST_API_KEY has lost the $"),
        (TEST | {"asaas_test_api_key": "$aact_prod_x"}, "GATEWAY_ASAAS_TEST_API_KEY is a key of the other"),
        (LIVE | {"asaas_live_api_key": "$aact_hmlg_x"}, "GATEWAY_ASAAS_LIVE_API_KEY is a key of the other"),
        (TEST | {"engine_test_token": None}, "GATEWAY_ENGINE_TEST_TOKEN: Asaas needs one of 32 to 255 characters"),
        (LIVE | {"engine_live_token": "short"}, "GATEWAY_ENGINE_LIVE_TOKEN: Asaas needs one of 32 to 255 characters"),
        (LIVE | {"engine_live_token": "l l" * 20}, "GATEWAY_ENGINE_LIVE_TOKEN: Asaas needs one of 32 to 255"),
        (
            LIVE | {"engine_live_token": "a" * 4 + "live" * 8},
            "GATEWAY_ENGINE_LIVE_TOKEN: Asaas takes none with four equal",
        ),
        (
            LIVE | {"engine_live_token": "live" * 8 + "x23456x"},
            "GATEWAY_ENGINE_LIVE_TOKEN: Asaas takes none with a run",
        ),
        (TEST | {"engine_test_token": "$aact_hmlg_" + "test" * 8}, "GATEWAY_ENGINE_TEST_TOKEN is a key of Asaas"),
        (
            TEST | dict.fromkeys(("asaas_test_api_key", "engine_test_token"), "0f1e2d3c" * 8),
            "GATEWAY_ENGINE_TEST_TOKEN is",
        ),
        (TEST | {"asaas_test_url": "https://api.asaas.com/v3"}, "GATEWAY_ASAAS_TEST_URL is production's"),
        (LIVE | {"asaas_live_url": "https://api-sandbox.asaas.com/v3"}, "GATEWAY_ASAAS_LIVE_URL is the sandbox's"),
        (LIVE | {"asaas_live_url": "http://api.asaas.com/v3"}, "GATEWAY_ASAAS_LIVE_URL must be an https address"),
        (TEST | {"asaas_test_url": "sandbox"}, "GATEWAY_ASAAS_TEST_URL: must be a URL"),
    ],
)
def test_an_incomplete_engine_is_refused(values: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        load_settings(_env_file=None, **REQUIRED, **values)
    assert str(refusal.value).startswith(message)
    assert "aact_hmlg_x" not in str(refusal.value)


def test_all_errors_are_reported_in_one_line() -> None:
    with pytest.raises(SettingsError) as refusal:
        load_settings(_env_file=None, **REQUIRED, engine_test="asaas", engine_live="asaas")
    message = str(refusal.value)
    assert message.count("; ") == 3
    assert "\n" not in message
    assert "Value error" not in message


def test_the_api_does_not_start_with_an_incomplete_engine(tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}
    values = REQUIRED | {"engine_live": "asaas", "engine_live_token": "live" * 8}
    env = clean | {f"GATEWAY_{name.upper()}": value for name, value in values.items()} | {"PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-m", "gateway", "serve"],
        capture_output=True,
        text=True,
        env=env,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert result.returncode == 2
    assert result.stderr == "gateway: GATEWAY_ASAAS_LIVE_API_KEY is not set, and Asaas is the live engine\n"

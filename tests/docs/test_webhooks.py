"""The webhook guide: its code verifies its test vector, and its limits equal the code's."""

import base64
import json
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import WebhookVerificationError

from gateway.resolvers.webhooks.resend import MAX_ATTEMPTS
from gateway.resolvers.webhooks.retry_policy import TEST_DELAYS
from gateway.values.webhook_signatures import service_signature, standard_signature
from tests.docs.pages import ROOT, Page

PAGE = Page(ROOT / "docs/webhooks.md")
(BODY,) = (block.strip().encode() for block in PAGE.blocks("text"))
SECRET, EVENT_ID, TIMESTAMP = (
    "whsec_0123456789abcdef0123456789abcdef",
    "01981f0e-6f3a-7c1e-9a55-3a1c3f0c9f10",
    1795262400,
)


def sample(name: str) -> Any:
    """Return the function of that name in the guide's Python blocks."""
    (block,) = (block for block in PAGE.blocks("python") if f"def {name}(" in block)
    defined: dict[str, Any] = {}
    exec(block, defined)  # noqa: S102  # Tests the guide's code.
    return defined[name]


def test_the_test_vector_is_correct() -> None:
    assert f"the secret\n`{SECRET}`, the id `{EVENT_ID}`, the timestamp `{TIMESTAMP}`" in PAGE.text
    assert f"| `X-Service-Signature` | `{service_signature(SECRET, BODY)}` |" in PAGE.text
    assert f"| `webhook-signature` | `{standard_signature(SECRET, EVENT_ID, TIMESTAMP, BODY)}` |" in PAGE.text


def test_the_guide_s_code_detects_a_forged_webhook() -> None:
    is_genuine = sample("is_genuine")
    assert is_genuine(SECRET, BODY, service_signature(SECRET, BODY))
    assert not is_genuine(SECRET, BODY + b" ", service_signature(SECRET, BODY))


def test_the_guide_s_code_refuses_an_old_webhook() -> None:
    event_of = sample("event_of")
    now = int(datetime.now(UTC).timestamp())
    headers = {"webhook-id": EVENT_ID, "webhook-timestamp": str(now)}
    signed = headers | {"webhook-signature": standard_signature(SECRET, EVENT_ID, now, BODY)}
    assert event_of(SECRET, BODY, signed)["event"] == "charge.paid"
    old = {
        "webhook-timestamp": str(now - 3600),
        "webhook-signature": standard_signature(SECRET, EVENT_ID, now - 3600, BODY),
    }
    with pytest.raises(WebhookVerificationError):
        event_of(SECRET, BODY, signed | old)


def cases() -> list[tuple[bool, bool, dict[str, str], bytes]]:
    """Return cases: validity of `webhook-signature` and of `X-Service-Signature`, headers, body."""
    now = int(datetime.now(UTC).timestamp())
    other = "whsec_" + "ab" * 16

    def signed(timestamp: int, *secrets: str) -> dict[str, str]:
        signatures = " ".join(standard_signature(secret, EVENT_ID, timestamp, BODY) for secret in secrets)
        return {
            "webhook-id": EVENT_ID,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signatures,
            "x-service-signature": service_signature(secrets[0], BODY),
        }

    genuine = signed(now, SECRET)
    return [
        (True, True, genuine, BODY),
        (True, False, signed(now, other, SECRET), BODY),  # During a rotation, the former secret signs too.
        (False, False, genuine, BODY + b" "),
        (False, False, genuine, BODY.replace("é".encode(), b"e")),
        (False, False, signed(now, other), BODY),
        (False, True, signed(now - 3600, SECRET), BODY),
        (False, True, signed(now + 3600, SECRET), BODY),
        (False, True, genuine | {"webhook-id": "another"}, BODY),
        (False, True, genuine | {"webhook-timestamp": "soon"}, BODY),
        (False, True, {name: value for name, value in genuine.items() if name != "webhook-timestamp"}, BODY),
        (False, False, genuine | {"webhook-signature": "v1,", "x-service-signature": ""}, BODY),
        (False, False, {}, BODY),
    ]


def interpreter(name: str) -> str:
    """Return its path, or skip the test."""
    return shutil.which(name) or pytest.skip(f"no {name} on this machine")


def verified_by(command: list[str]) -> list[tuple[bool, bool]]:
    """Pass the cases to a program as JSON with base64 bodies; return its results."""
    inputs = [{"headers": headers, "body": base64.b64encode(body).decode()} for _, _, headers, body in cases()]
    stdin = json.dumps({"secret": SECRET, "cases": inputs})
    result = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""
    return [tuple(pair) for pair in json.loads(result.stdout)]


def test_the_guide_s_code_for_node_verifies(tmp_path: Path) -> None:
    (code,) = PAGE.blocks("js")
    (tmp_path / "verify.mjs").write_text(code)
    runner = tmp_path / "run.mjs"
    runner.write_text(
        """import { readFileSync } from "node:fs";
import { isGenuine, isSigned } from "./verify.mjs";
const { secret, cases } = JSON.parse(readFileSync(0));
const results = cases.map((item) => {
  const body = Buffer.from(item.body, "base64");
  return [isGenuine(secret, item.headers, body), isSigned(secret, item.headers, body)];
});
console.log(JSON.stringify(results));
"""
    )
    assert verified_by([interpreter("node"), str(runner)]) == [case[:2] for case in cases()]


def test_the_guide_s_code_for_php_verifies(tmp_path: Path) -> None:
    (code,) = PAGE.blocks("php")
    runner = tmp_path / "run.php"
    runner.write_text(
        f"""<?php
error_reporting(E_ALL);
ini_set('display_errors', 'stderr');
{code}
$input = json_decode(file_get_contents('php://stdin'), true);
$results = [];
foreach ($input['cases'] as $case) {{
    $body = base64_decode($case['body']);
    $results[] = [is_genuine($input['secret'], $case['headers'], $body), is_signed($input['secret'], $case['headers'], $body)];
}}
echo json_encode($results);
"""
    )
    assert verified_by([interpreter("php"), str(runner)]) == [case[:2] for case in cases()]


def test_the_limits_of_attempts_are_the_code_s() -> None:
    assert f"has had {MAX_ATTEMPTS} attempts" in PAGE.text
    assert f"makes {['', 'one', 'two', 'three', 'four'][len(TEST_DELAYS) + 1]} attempts" in PAGE.text

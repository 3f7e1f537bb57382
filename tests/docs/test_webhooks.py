"""The guide to webhooks: its code verifies its vector, and its schedule is the one that is kept."""

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
    """The function of that name in the guide's Python blocks."""
    (block,) = (block for block in PAGE.blocks("python") if f"def {name}(" in block)
    defined: dict[str, Any] = {}
    exec(block, defined)  # noqa: S102  # The guide's own code is what is tested.
    return defined[name]


def test_the_vector_is_right() -> None:
    assert f"the secret\n`{SECRET}`, the id `{EVENT_ID}`, the timestamp `{TIMESTAMP}`" in PAGE.text
    assert f"| `X-Service-Signature` | `{service_signature(SECRET, BODY)}` |" in PAGE.text
    assert f"| `webhook-signature` | `{standard_signature(SECRET, EVENT_ID, TIMESTAMP, BODY)}` |" in PAGE.text


def test_the_guides_code_tells_genuine_from_forged() -> None:
    is_genuine = sample("is_genuine")
    assert is_genuine(SECRET, BODY, service_signature(SECRET, BODY))
    assert not is_genuine(SECRET, BODY + b" ", service_signature(SECRET, BODY))


def test_the_guides_code_refuses_an_old_webhook() -> None:
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
    """Whether `webhook-signature` and `X-Service-Signature` are genuine, of headers and a body, with `SECRET`."""
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
        (True, False, signed(now, other, SECRET), BODY),  # While a rotation's former secret still signs.
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
    """Where it is; this test is skipped where it isn't."""
    return shutil.which(name) or pytest.skip(f"no {name} on this machine: the guide's code for it was not run")


def verified_by(command: list[str]) -> list[tuple[bool, bool]]:
    """What a program says of the cases, which it gets as JSON, bodies in base64."""
    told = [{"headers": headers, "body": base64.b64encode(body).decode()} for _, _, headers, body in cases()]
    asked = json.dumps({"secret": SECRET, "cases": told})
    done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return [tuple(pair) for pair in json.loads(done.stdout)]


def test_the_guides_code_for_node_verifies(tmp_path: Path) -> None:
    (code,) = PAGE.blocks("js")
    (tmp_path / "verify.mjs").write_text(code)
    runner = tmp_path / "run.mjs"
    runner.write_text(
        """import { readFileSync } from "node:fs";
import { isGenuine, isSigned } from "./verify.mjs";
const { secret, cases } = JSON.parse(readFileSync(0));
const said = cases.map((one) => {
  const body = Buffer.from(one.body, "base64");
  return [isGenuine(secret, one.headers, body), isSigned(secret, one.headers, body)];
});
console.log(JSON.stringify(said));
"""
    )
    assert verified_by([interpreter("node"), str(runner)]) == [case[:2] for case in cases()]


def test_the_guides_code_for_php_verifies(tmp_path: Path) -> None:
    (code,) = PAGE.blocks("php")
    runner = tmp_path / "run.php"
    runner.write_text(
        f"""<?php
error_reporting(E_ALL);
ini_set('display_errors', 'stderr');
{code}
$asked = json_decode(file_get_contents('php://stdin'), true);
$said = [];
foreach ($asked['cases'] as $case) {{
    $body = base64_decode($case['body']);
    $said[] = [is_genuine($asked['secret'], $case['headers'], $body), is_signed($asked['secret'], $case['headers'], $body)];
}}
echo json_encode($said);
"""
    )
    assert verified_by([interpreter("php"), str(runner)]) == [case[:2] for case in cases()]


def test_the_limits_of_attempts_are_those_that_there_are() -> None:
    assert f"has had {MAX_ATTEMPTS} attempts" in PAGE.text
    assert f"makes {['', 'one', 'two', 'three', 'four'][len(TEST_DELAYS) + 1]} attempts" in PAGE.text

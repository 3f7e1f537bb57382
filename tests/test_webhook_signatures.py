import datetime as dt
import hashlib
import hmac

import pytest
from standardwebhooks import Webhook

from gateway.values.webhook_signatures import (
    delivery_headers,
    service_signature,
    standard_signature,
    verify_service_signature,
)

SECRET = "whsec_0123456789abcdef0123456789abcdef"
PREVIOUS = "whsec_fedcba9876543210fedcba9876543210"

BODIES = {
    "plain": b'{"id":"1","event":"charge.paid","data":{"amount":10.5}}',
    "accents": '{"data":{"name":"José Conceição"}}'.encode(),
    "emoji": '{"data":{"description":"Pix 🎉👩‍💻"}}'.encode(),
    "empty data": b'{"data":{}}',
    "nothing": b"",
    "64 KiB": b'{"data":"' + b"x" * (64 * 1024 - 11) + b'"}',
}


def headers(body: bytes, **changes) -> dict[str, str]:
    timestamp = int(dt.datetime.now(dt.UTC).timestamp())
    defaults = {
        "event": "charge.paid", "event_id": "01931e7e-event", "delivery_id": "01931e7e-delivery", "attempt": 3,
        "timestamp": timestamp, "secret": SECRET,
    }  # fmt: skip
    return delivery_headers(body=body, **{**defaults, **changes})


def test_vectors():
    """Computed with `openssl dgst -sha256 -mac HMAC`, so that a change of both sides fails here."""
    body = '{"name":"José 🎉"}'.encode()
    assert service_signature(SECRET, body) == SERVICE_VECTOR
    assert standard_signature(SECRET, "evt_1", 1700000000, body) == STANDARD_VECTOR


SERVICE_VECTOR = "9f932de97c0573b3f4f0172fee5dcb1d8bb5ee1315e757f94a83230a5bd5531c"
STANDARD_VECTOR = "v1,2v1/Sb58ekKdAzfifv8pldlLp4WJN+o0a/jjWTs0Jmc="


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_the_service_signature_is_keyed_with_the_whole_secret_text(body):
    signature = service_signature(SECRET, body)
    assert signature == hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert signature == signature.lower()
    assert verify_service_signature(SECRET, body, signature)


def test_verification_refuses_everything_else():
    body = BODIES["plain"]
    signature = service_signature(SECRET, body)
    for header in ("", signature[:-1], signature.upper(), f"{signature} ", f"sha256={signature}", "é" * 64, "\ud800"):
        assert not verify_service_signature(SECRET, body, header)
    assert not verify_service_signature(PREVIOUS, body, signature)
    assert not verify_service_signature(SECRET, body + b" ", signature)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_the_official_verifier_accepts_current_and_previous_secret(body):
    sent = headers(body, previous_secret=PREVIOUS)
    for secret in (SECRET, PREVIOUS):
        if body:  # The library parses the body as JSON once the signature holds.
            Webhook(secret).verify(body, sent)
    assert len(sent["webhook-signature"].split(" ")) == 2


def test_the_official_signer_agrees():
    now = dt.datetime.now(dt.UTC)
    body = BODIES["accents"]
    expected = Webhook(SECRET).sign("evt_1", now, body.decode())
    assert standard_signature(SECRET, "evt_1", int(now.timestamp()), body) == expected


def test_the_headers_of_an_attempt():
    sent = headers(BODIES["plain"], timestamp=1700000000)
    assert sent == {
        "Content-Type": "application/json",
        "User-Agent": "Service-Webhooks/1",
        "X-Service-Signature": service_signature(SECRET, BODIES["plain"]),
        "X-Service-Event": "charge.paid",
        "X-Service-Delivery": "01931e7e-delivery",
        "X-Service-Attempt": "3",
        "X-Service-Timestamp": "1700000000",
        "webhook-id": "01931e7e-event",
        "webhook-timestamp": "1700000000",
        "webhook-signature": standard_signature(SECRET, "01931e7e-event", 1700000000, BODIES["plain"]),
    }


def test_the_service_signature_is_the_same_on_every_attempt():
    first, second = headers(BODIES["plain"], attempt=1, timestamp=1), headers(BODIES["plain"], attempt=2, timestamp=9)
    assert first["X-Service-Signature"] == second["X-Service-Signature"]
    assert first["webhook-signature"] != second["webhook-signature"]


def test_a_secret_that_is_not_base64_is_refused():
    with pytest.raises(ValueError, match="base64"):
        standard_signature("whsec_not base64!", "evt_1", 1, b"")

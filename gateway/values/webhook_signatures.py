"""Signatures of webhooks: the product's own and Standard Webhooks' (standardwebhooks.com, version 1).

Both use the same secret. The product's signature is keyed with the whole text, as users of Stripe and GitHub expect;
Standard Webhooks with the bytes that the part after `whsec_` encodes in base64. Only Standard Webhooks covers a
timestamp, and so prevents replays.
"""

import base64
import hashlib
import hmac

USER_AGENT = "Service-Webhooks/1"
SECRET_PREFIX = "whsec_"  # noqa: S105 -- A prefix, not a secret.


def service_signature(secret: str, body: bytes) -> str:
    """`X-Service-Signature`: HMAC-SHA256 of the raw body in lower-case hex, keyed with the whole secret text."""
    return hmac.digest(secret.encode(), body, hashlib.sha256).hex()


def verify_service_signature(secret: str, body: bytes, header: str) -> bool:
    """Whether `header` is the signature of `body`, compared in constant time."""
    return hmac.compare_digest(service_signature(secret, body).encode(), header.encode(errors="replace"))


def standard_signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """One entry of `webhook-signature`: `v1,` and the base64 of HMAC-SHA256 over `{id}.{timestamp}.{body}`.

    `timestamp` in Unix seconds; `ValueError` if the part of the secret after `whsec_` is not base64.
    """
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    digest = hmac.digest(key, b"%b.%d.%b" % (message_id.encode(), timestamp, body), hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def verify_standard_signature(secret: str, message_id: str, timestamp: int, body: bytes, header: str) -> bool:
    """Whether any entry of `webhook-signature` is the signature. The caller checks the age of `timestamp`."""
    expected = standard_signature(secret, message_id, timestamp, body).encode()
    return any(hmac.compare_digest(expected, entry.encode(errors="replace")) for entry in header.split(" "))


def delivery_headers(
    *,
    body: bytes,
    event: str,
    event_id: str,
    delivery_id: str,
    attempt: int,
    timestamp: int,
    secret: str,
    previous_secret: str | None = None,
) -> dict[str, str]:
    """Headers of one attempt, ready for `EgressClient.post`.

    `webhook-id` is the event's id, the same on every attempt; `timestamp` (Unix seconds) is this attempt's.
    During a rotation, `webhook-signature` also has the signature of `previous_secret`.
    """
    secrets = [secret, previous_secret] if previous_secret else [secret]
    return {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "X-Service-Signature": service_signature(secret, body),
        "X-Service-Event": event,
        "X-Service-Delivery": delivery_id,
        "X-Service-Attempt": str(attempt),
        "X-Service-Timestamp": str(timestamp),
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(standard_signature(key, event_id, timestamp, body) for key in secrets),
    }

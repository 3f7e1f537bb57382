"""The tables of `docs/webhooks.md`: events, the schedule of retries, and error codes of attempts."""

from gateway.integrations.egress.response import FAILURES, status_error
from gateway.models.webhooks import EventType
from gateway.resolvers.webhooks.retry_policy import DELAYS

EVENTS = {
    "charge.created": ("a charge was issued", "the charge"),
    "charge.paid": ("a charge became paid, once in its life", "the charge"),
    "subscription.charged": ("a [subscription](subscriptions.md) was charged", "`subscription`, `charge`, `trigger`"),
    "withdrawal.completed": ("a [withdrawal](withdrawals.md) was completed", "the withdrawal"),
    "withdrawal.rejected": ("a withdrawal was refused or failed", "the withdrawal"),
}
ERROR_CODES = {
    "http_status": "your server returned another status than 2xx or 3xx",
    "redirect": "it returned 3xx, which is not followed",
    "timeout": "no response in time",
    "dns_failure": "its name has no address, or the DNS server did not respond",
    "blocked_address": "its name resolves to an internal address",
    "tls_failure": "its certificate is not valid for its name, or it supports no secure TLS version",
    "connection_refused": "the port is closed",
    "connection_failed": "the connection broke",
    "protocol_error": "its response is not HTTP",
    "invalid_url": "the endpoint's URL is no longer acceptable",
    "secret_unreadable": "an error of the gateway; it counts as an attempt",
    "internal_error": "an error of the gateway; it counts as an attempt",
}
_OF_THE_GATEWAY = {"internal_error", "secret_unreadable"}


def events_table() -> str:
    """Raises SystemExit where an event has no text, or the other way round."""
    if difference := sorted(set(EventType) ^ EVENTS.keys()):
        raise SystemExit(f"events without a text, or texts without an event: {', '.join(difference)}")
    rows = (f"| `{event}` | {' | '.join(EVENTS[event])} |" for event in EventType)
    return "\n".join(["| event | when | `data` |", "|---|---|---|", *rows])


def error_codes_table() -> str:
    """Raises SystemExit where a code has no text, or the other way round."""
    codes = {code for _, code in FAILURES} | {str(status_error(status)) for status in (302, 404)} | _OF_THE_GATEWAY
    if difference := sorted(codes ^ ERROR_CODES.keys()):
        raise SystemExit(f"error codes without a text, or texts without a code: {', '.join(difference)}")
    rows = (f"| `{code}` | {text} |" for code, text in ERROR_CODES.items())
    return "\n".join(["| `error_code` | |", "|---|---|", *rows])


def retry_schedule_table() -> str:
    """After how long each attempt follows the one before it."""
    attempts = range(1, len(DELAYS) + 2)
    head = "| attempt | " + " | ".join(map(str, attempts)) + " |"
    after = "| after | – | " + " | ".join(_duration(seconds) for seconds in DELAYS) + " |"
    return "\n".join([head, "|---" * (len(attempts) + 1) + "|", after])


def _duration(seconds: float) -> str:
    unit, name = next(((unit, name) for unit, name in ((3600, "h"), (60, "min")) if seconds >= unit), (1, "s"))
    return f"{seconds / unit:g} {name}"

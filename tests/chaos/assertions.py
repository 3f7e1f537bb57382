"""The evidence of an experiment: the rows of the database and the log of the receivers."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.chaos.fixtures import Endpoint
from tests.chaos.receiver import Receivers, Request

Rows = Callable[..., Awaitable[Sequence[Any]]]
Row = dict[str, Any]

CHARGES = "select id, user_id, environment, status from charges"
EVENTS = "select id, user_id, environment, type, body, dedupe_key, created_at from webhook_events"
DELIVERIES = """
select id, event_id, endpoint_id, state, attempts, failures, last_status, created_at,
       state = 0 and next_attempt_at < now() - interval '2 seconds' as overdue,
       state = 0 and lease_until > now() + interval '61 seconds' as leased_too_long
  from webhook_deliveries"""
ATTEMPTS = "select delivery_id, number, address, status, error_code, duration_ms from webhook_attempts"
MAILS = "select kind, template_data ->> 'charge_id' as charge_id from emails"
ENDPOINTS = "select id, user_id, environment, events, active, url, created_at from webhook_endpoints"


@dataclass(frozen=True)
class Evidence:
    """Rows by id, as dictionaries with ids as text; requests in order of arrival."""

    charges: dict[str, Row]
    events: dict[str, Row]
    deliveries: dict[str, Row]
    attempts: list[Row]
    endpoints: dict[str, Row]
    mails: list[Row]
    requests: list[Request]
    registered: dict[str, Endpoint]
    trapped: int
    """Connections to receivers on addresses that the guard forbids."""


async def gather(rows: Rows, receivers: Receivers, registered: Sequence[Endpoint]) -> Evidence:
    """Reads the database first, so that all its deliveries are already in the receivers' log."""
    found = {name: [_plain(row) for row in await rows(sql)] for name, sql in _QUERIES.items()}
    return Evidence(
        charges=_by_id(found["charges"]),
        events=_by_id(found["events"]),
        deliveries=_by_id(found["deliveries"]),
        attempts=found["attempts"],
        endpoints=_by_id(found["endpoints"]),
        mails=found["mails"],
        requests=receivers.requests(),
        registered={endpoint.id: endpoint for endpoint in registered},
        trapped=sum(receivers.connections(name) for name in receivers.ports if name.startswith("trap")),
    )


_QUERIES = {
    "charges": CHARGES,
    "events": EVENTS,
    "deliveries": DELIVERIES,
    "attempts": ATTEMPTS,
    "endpoints": ENDPOINTS,
    "mails": MAILS,
}


def _plain(row: Any) -> Row:
    return {name: str(value) if name.endswith("id") else value for name, value in dict(row).items()}


def _by_id(rows: list[Row]) -> dict[str, Row]:
    return {row["id"]: row for row in rows}

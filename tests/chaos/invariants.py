"""The invariants I1 to I10, which must hold after every experiment. Each check yields its violations."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from ipaddress import ip_address, ip_network

from standardwebhooks import Webhook, WebhookVerificationError

from gateway.integrations.egress.addresses import AddressGuard, BlockedAddress
from gateway.resolvers.email.outbox import MAX_TEST_EMAILS
from gateway.values.webhook_signatures import verify_service_signature
from tests.chaos.assertions import Evidence
from tests.chaos.fixtures import Endpoint
from tests.chaos.receiver import Request

DELIVERED, CANCELED = 1, 3
MAX_ATTEMPTS = {"test": 4, "live": 12}
PAYMENTS = {"paid": {1}, "refunded": {0, 1}}
"""How often a charge was paid, by its status."""
HEALTHY_P99 = 2.0
"""Maximum seconds from commit to arrival at an unaffected endpoint."""

Check = Callable[[Evidence], Iterator[str]]


def i1_paid_means_one_event(found: Evidence) -> Iterator[str]:
    """A charge is paid if and only if there is exactly one `charge.paid` event of it. One that was refunded at once has
    none.
    """
    events = Counter(
        event["dedupe_key"].removeprefix("charge.paid:")
        for event in found.events.values()
        if event["dedupe_key"].startswith("charge.paid:")
    )
    for charge in found.charges.values():
        if events[charge["id"]] not in PAYMENTS.get(charge["status"], {0}):
            yield f"charge {charge['id']} is {charge['status']} and has {events[charge['id']]} events charge.paid"
    yield from (f"an event of charge {charge_id}, which doesn't exist" for charge_id in events.keys() - found.charges)


def i2_one_delivery_per_endpoint(found: Evidence) -> Iterator[str]:
    """Each event has one delivery to each endpoint of its store and environment at that time, and no others."""
    deliveries = Counter((delivery["event_id"], delivery["endpoint_id"]) for delivery in found.deliveries.values())
    at_home = defaultdict(list)
    for endpoint in found.endpoints.values():
        at_home[endpoint["user_id"], endpoint["environment"]].append(endpoint)
    for event in found.events.values():
        if event["dedupe_key"].startswith("test:"):
            continue
        for endpoint in at_home[event["user_id"], event["environment"]]:
            wanted = not endpoint["events"] or event["type"] in endpoint["events"]
            there = endpoint["active"] and endpoint["created_at"] < event["created_at"]
            count = deliveries.pop((event["id"], endpoint["id"]), 0)
            if (there and wanted and count != 1) or count > 1:
                yield f"event {event['id']} has {count} deliveries to endpoint {endpoint['id']}"
    for event_id, endpoint_id in deliveries:
        if not found.events[event_id]["dedupe_key"].startswith("test:"):
            yield f"event {event_id} has a delivery to the strange endpoint {endpoint_id}"


def i3_nothing_is_stuck(found: Evidence) -> Iterator[str]:
    """Every delivery has ended or has a next attempt, and none is leased for longer than a lease."""
    for delivery in found.deliveries.values():
        if delivery["overdue"]:
            yield f"delivery {delivery['id']} is due and not claimed"
        if delivery["leased_too_long"]:
            yield f"delivery {delivery['id']} is leased for more than 60 s"


def i4_delivered_was_received(found: Evidence) -> Iterator[str]:
    """The receiver returned 2xx for every delivery marked as delivered."""
    taken = {request.delivery_id for request in found.requests if request.delivered}
    for delivery in found.deliveries.values():
        if delivery["state"] == DELIVERED and delivery["id"] not in taken:
            yield f"delivery {delivery['id']} counts as delivered, and no receiver took it"


def i5_no_request_beyond_the_attempts(found: Evidence) -> Iterator[str]:
    """Nothing arrived more often than it was attempted, and nothing was attempted beyond its schedule."""
    arrived = Counter(request.delivery_id for request in found.requests)
    written = Counter(attempt["delivery_id"] for attempt in found.attempts)
    for delivery in found.deliveries.values():
        max_attempts = MAX_ATTEMPTS[found.events[delivery["event_id"]]["environment"]]
        if arrived[delivery["id"]] > delivery["attempts"]:
            yield f"delivery {delivery['id']}: {arrived[delivery['id']]} requests, {delivery['attempts']} attempts"
        if max(written[delivery["id"]], delivery["failures"]) > max_attempts:
            yield f"delivery {delivery['id']}: {written[delivery['id']]} attempts of {max_attempts}"
    yield from (f"a request of the unknown delivery {unknown}" for unknown in arrived.keys() - found.deliveries)


def i6_bytes_and_signatures_never_change(found: Evidence) -> Iterator[str]:
    """Every attempt of an id has the same body, with both signatures by the endpoint's secret."""
    for request in found.requests:
        delivery = found.deliveries.get(request.delivery_id)
        if delivery is None:
            continue  # I5 reports it.
        body = found.events[request.event_id]["body"]
        if delivery["event_id"] != request.event_id or hashlib.sha256(body).hexdigest() != request.body_hash:
            yield f"request {request.number} of event {request.event_id} has another body or id"
        elif not _genuine(found.registered[delivery["endpoint_id"]], request, body):
            yield f"request {request.number} of event {request.event_id} is not signed by its endpoint's secret"


def _genuine(endpoint: Endpoint, request: Request, body: bytes) -> bool:
    return any(
        verify_service_signature(secret, body, request.service_signature) and _official(secret, request, body)
        for secret in endpoint.secrets
    )


def _official(secret: str, request: Request, body: bytes) -> bool:
    """Whether the library of Standard Webhooks accepts the request."""
    headers = {
        "webhook-id": request.event_id,
        "webhook-timestamp": str(request.timestamp),
        "webhook-signature": request.standard_signature,
    }
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


def i7_only_allowed_addresses(found: Evidence) -> Iterator[str]:
    """Every dialled address passes the guard, and no trap on a forbidden one got a connection."""
    guard = AddressGuard([ip_network("127.0.0.1/32")])
    for address in {attempt["address"] for attempt in found.attempts} - {None}:
        try:
            guard.check(ip_address(address))
        except BlockedAddress:
            yield f"{address} was dialled"
    if found.trapped:
        yield f"{found.trapped} connections to a forbidden address"


def i8_one_receipt_per_charge(found: Evidence) -> Iterator[str]:
    """Each paid charge has one receipt to its payer and one email to its merchant, and other charges have none.

    Test charges beyond the daily limit of emails have none.
    """
    written = Counter((mail["charge_id"], mail["kind"]) for mail in found.mails)
    tests = [charge for charge in found.charges.values() if charge["environment"] == "test"]
    kinds = ("payer_receipt", "merchant_notice")
    of_tests = Counter((one["user_id"], kind) for one in tests for kind in kinds if written[one["id"], kind])
    for charge in found.charges.values():
        expected = PAYMENTS.get(charge["status"], {0})
        for kind in kinds:
            bounded = charge["environment"] == "test" and of_tests[charge["user_id"], kind] >= MAX_TEST_EMAILS
            if written[charge["id"], kind] not in expected and not (bounded and not written[charge["id"], kind]):
                yield f"charge {charge['id']} is {charge['status']} and has {written[charge['id'], kind]} mails {kind}"


def i9_environments_never_mix(found: Evidence) -> Iterator[str]:
    """No event of a test charge reached a live endpoint, nor the reverse, nor another store's endpoint."""
    for request in found.requests:
        event = found.events.get(request.event_id)
        home = next((e for e in found.registered.values() if request.path in {e.path, *e.former}), None)
        if event is None or home is None:
            yield f"request {request.number} at {request.path} has no known delivery"
            continue
        endpoint_row = found.endpoints[home.id]
        if (event["environment"], event["user_id"]) != (endpoint_row["environment"], endpoint_row["user_id"]):
            yield f"event {event['id']} of {event['environment']} arrived at {request.path}"


def i10_others_feel_nothing(found: Evidence, slack: float = 1.0) -> Iterator[str]:
    """Unaffected endpoints got all their events, 99 of 100 within two seconds of the commit."""
    waits = healthy_waits(found)
    healthy = {endpoint.id for endpoint in found.registered.values() if endpoint.healthy}
    arrived = {request.delivery_id for request in found.requests}
    for delivery in found.deliveries.values():
        if delivery["endpoint_id"] in healthy and delivery["id"] not in arrived:
            yield f"delivery {delivery['id']} of a healthy endpoint never arrived"
    if not waits:
        yield "no healthy endpoint got an event: nothing was checked"
    elif percentile(waits, 99) > HEALTHY_P99 * slack:
        yield f"p99 of the healthy endpoints is {percentile(waits, 99):.2f} s"


def healthy_waits(found: Evidence) -> list[float]:
    """Seconds from the commit of an event to its first arrival, at healthy endpoints."""
    healthy = {endpoint.path for endpoint in found.registered.values() if endpoint.healthy}
    return [wait for path, wait in first_arrivals(found) if path in healthy]


def waits_at(found: Evidence, start: str) -> list[float]:
    """The same at endpoints with this prefix of the path."""
    return [wait for path, wait in first_arrivals(found) if path.startswith(start)]


def first_arrivals(found: Evidence) -> Iterator[tuple[str, float]]:
    """The path and the seconds of each delivery that arrived."""
    seen = set()
    for request in found.requests:
        if request.delivery_id not in seen and request.event_id in found.events:
            seen.add(request.delivery_id)
            yield request.path, request.at - found.events[request.event_id]["created_at"].timestamp()


def percentile(values: list[float], percent: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


CHECKS: dict[str, Check] = {
    "I1": i1_paid_means_one_event,
    "I2": i2_one_delivery_per_endpoint,
    "I3": i3_nothing_is_stuck,
    "I4": i4_delivered_was_received,
    "I5": i5_no_request_beyond_the_attempts,
    "I6": i6_bytes_and_signatures_never_change,
    "I7": i7_only_allowed_addresses,
    "I8": i8_one_receipt_per_charge,
    "I9": i9_environments_never_mix,
}


def violations(found: Evidence, slack: float = 1.0, *, alone: str = "") -> list[str]:
    """All violations. `alone`: the reason why I10 doesn't apply."""
    wrong = [f"{name}: {fault}" for name, check in CHECKS.items() for fault in check(found)]
    if alone and any(endpoint.healthy for endpoint in found.registered.values()):
        return [*wrong, f"I10: there are healthy endpoints to check, although {alone}"]
    return wrong if alone else wrong + [f"I10: {fault}" for fault in i10_others_feel_nothing(found, slack)]

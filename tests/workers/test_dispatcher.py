"""The dispatcher with real receivers on loopback."""

import asyncio
import time
from datetime import timedelta
from itertools import pairwise
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace
from prometheus_client import REGISTRY
from standardwebhooks import Webhook

from gateway.integrations.egress.response import DeliveryResponse
from gateway.models.database import Database
from gateway.resolvers.core.context import Context, Services
from gateway.resolvers.webhooks.attempts import Attempt, record_attempts
from gateway.resolvers.webhooks.claims import MAX_ABANDONED, Claim, Lane, claim_due
from gateway.resolvers.webhooks.retry_policy import RetryDecision, next_action
from gateway.values.webhook_signatures import verify_service_signature
from gateway.workers.webhook_sender import Sender
from tests import sql
from tests.workers.conftest import Dispatching
from tests.workers.outbox import Outbox
from tests.workers.receivers import OK, answer, receiving

DUE, DELIVERED, EXHAUSTED, CANCELED = range(4)


async def test_an_event_arrives_as_stored_and_verifiably_signed(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    began = time.time()
    async with receiving() as receiver, dispatching():
        endpoint = await outbox.endpoint(receiver.url())
        (event_id,) = await outbox.emit(endpoint)
        assert await outbox.settled() == {DELIVERED: 1}
    (request,) = receiver.requests
    (delivery,) = await outbox.deliveries()
    headers = request.headers
    assert request.body == await sql.value(database, "select body from webhook_events")
    Webhook(endpoint.secret).verify(request.body, headers)
    assert verify_service_signature(endpoint.secret, request.body, headers["x-service-signature"])
    assert headers["webhook-id"] == event_id
    assert headers["x-service-delivery"] == delivery["id"]
    assert (headers["x-service-event"], headers["x-service-attempt"]) == ("charge.paid", "1")
    assert began - 1 <= int(headers["x-service-timestamp"]) <= time.time() + 1
    (attempt,) = await outbox.attempts()
    assert (attempt["number"], attempt["status"], attempt["error_code"]) == (1, 200, None)
    assert (attempt["address"], attempt["response"]) == ("127.0.0.1", b"ok")
    assert attempt["response_headers"] == {"content-length": "2"}
    logged = {name.lower(): value for name, value in attempt["request_headers"].items()}
    assert logged == {name: headers[name] for name in logged}
    assert {"webhook-signature", "x-service-signature", "webhook-timestamp", "content-type"} < set(logged)
    assert (delivery["last_status"], delivery["lease_token"], delivery["failures"]) == (200, None, 0)
    assert delivery["finished_at"] is not None


async def test_the_previous_secret_signs_too_while_it_is_valid(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    async with receiving() as receiver:
        endpoint = await outbox.endpoint(receiver.url())
        previous = "whsec_" + "ab" * 16
        await sql.run(
            database,
            "update webhook_endpoints set previous_secret = $1, previous_secret_until = now() + interval '1 hour'",
            outbox.services.vault.encrypt(previous),
        )
        async with dispatching():
            await outbox.emit(endpoint)
            await outbox.settled()
            await sql.run(database, "update webhook_endpoints set previous_secret_until = now()")
            await outbox.emit(endpoint)
            await outbox.settled()
    during, after = receiver.requests
    for secret in (endpoint.secret, previous):
        Webhook(secret).verify(during.body, during.headers)
    assert len(during.headers["webhook-signature"].split()) == 2
    assert len(after.headers["webhook-signature"].split()) == 1


@pytest.mark.parametrize(("environment", "attempts"), [("live", 12), ("test", 4)])
async def test_a_failing_endpoint_gets_exactly_the_schedule(
    outbox: Outbox, dispatching: Dispatching, environment: str, attempts: int
) -> None:
    async with receiving(lambda _p, _n: answer(500, b"\x00\xff broken")) as receiver, dispatching(scale=1e-6):
        endpoint = await outbox.endpoint(receiver.url(), environment)
        await outbox.emit(endpoint)
        assert await outbox.settled() == {EXHAUSTED: 1}
        await asyncio.sleep(0.1)
    assert [request.headers["x-service-attempt"] for request in receiver.requests] == [
        str(n) for n in range(1, attempts + 1)
    ]
    assert len({(r.event_id, r.body, r.headers["x-service-signature"]) for r in receiver.requests}) == 1
    (delivery,) = await outbox.deliveries()
    assert (delivery["attempts"], delivery["last_status"], delivery["last_error"]) == (attempts, 500, "http_status")
    log = await outbox.attempts()
    assert [entry["number"] for entry in log] == list(range(1, attempts + 1))
    assert log[0]["response"] == b"\x00\xff broken"
    health = await outbox.health(endpoint)
    assert (health["consecutive_failures"], health["degraded"]) == (attempts, True)


async def test_retries_are_sent_at_the_scheduled_times(
    outbox: Outbox, dispatching: Dispatching, services: Services, post: Any
) -> None:
    """The delay is exact. A retry is never early; a slow machine may send it late."""
    sender = Sender(post, services.vault, time_scale=0.01)
    due: list[float] = []

    async def send(claim: Claim) -> Attempt:
        attempt = await sender.send(claim)
        due.append(attempt.decision.delay)
        return attempt

    async with receiving(lambda _p, _n: answer(500)) as receiver, dispatching(send=send, poll=0.005):
        await outbox.emit(await outbox.endpoint(receiver.url()))
        assert await outbox.settled() == {EXHAUSTED: 1}
    gaps = [after.at - before.at for before, after in pairwise(receiver.requests)]
    for gap, scheduled, delay in zip(gaps, due[:3], (0.05, 0.3, 1.2), strict=True):
        assert 0.8 * delay <= scheduled <= 1.2 * delay
        assert gap >= scheduled


async def test_a_success_ends_the_retries_and_resets_the_health(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving(lambda _p, n: OK if n > 3 else answer(500)) as receiver, dispatching():
        endpoint = await outbox.endpoint(receiver.url())
        await outbox.emit(endpoint)
        assert await outbox.settled() == {DELIVERED: 1}
        await asyncio.sleep(0.1)
    assert len(receiver.requests) == 4
    health = await outbox.health(endpoint)
    assert (health["consecutive_failures"], health["degraded"], health["first_failure_at"]) == (0, False, None)


async def test_a_redirect_is_not_followed_and_counts_as_a_failure(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving() as elsewhere:
        moved = answer(307, location=elsewhere.url())
        async with receiving(lambda _p, _n: moved) as receiver, dispatching(scale=1e-6):
            await outbox.emit(await outbox.endpoint(receiver.url()))
            assert await outbox.settled() == {EXHAUSTED: 1}
    assert len(receiver.requests) == 4
    assert elsewhere.requests == []
    assert {(a["status"], a["error_code"]) for a in await outbox.attempts()} == {(307, "redirect")}


async def test_an_address_of_an_internal_network_is_never_dialled(outbox: Outbox, dispatching: Dispatching) -> None:
    async with dispatching(scale=1e-6):
        await outbox.emit(await outbox.endpoint("http://10.255.255.1/hook"))
        assert await outbox.settled() == {EXHAUSTED: 1}
    assert {(a["error_code"], a["address"]) for a in await outbox.attempts()} == {("blocked_address", None)}


async def test_410_cancels_the_delivery_and_disables_the_endpoint(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    async with receiving(lambda _p, _n: answer(410)) as receiver, dispatching():
        endpoint = await outbox.endpoint(receiver.url())
        await outbox.emit(endpoint)
        assert await outbox.settled() == {CANCELED: 1}
        await outbox.emit(endpoint)
        await asyncio.sleep(0.1)
    assert len(receiver.requests) == 1
    row = await sql.row(database, "select active, disabled_reason, disabled_at is null from webhook_endpoints")
    assert tuple(row) == (False, "gone", False)
    audit = await sql.row(database, "select action, store_id, environment, actor_type from audit_trail")
    assert tuple(audit) == ("webhook_endpoint.disabled", outbox.store_id, "test", "system")
    deliveries = await outbox.deliveries()
    assert {delivery["canceled_reason"] for delivery in deliveries} == {"gone", None}
    (mail,) = await sql.rows(database, "select kind, user_id, template_data from emails")
    assert (mail["kind"], mail["user_id"]) == ("webhook_endpoint_gone", outbox.store_id)
    assert (mail["template_data"]["endpoint_id"], mail["template_data"]["url"]) == (endpoint.id, receiver.url())


async def test_410_of_a_replaced_url_disables_nothing(ctx: Context, outbox: Outbox, database: Database) -> None:
    await outbox.emit(await outbox.endpoint("http://127.0.0.1:1/old"))
    (claim,) = await claim_due(ctx, slots=1, retry_slots=1, degraded_slots=1)
    await sql.run(database, "update webhook_endpoints set url = 'http://127.0.0.1:1/new'")
    await record_attempts(ctx, [_attempt(claim, DeliveryResponse(410, "http_status", None, b"", None, 1))])
    assert await sql.value(database, "select active from webhook_endpoints")


async def test_nothing_is_sent_to_an_inactive_endpoint(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    """It becomes inactive during its first request. The retry would be due after five milliseconds."""
    async with receiving(lambda _p, _n: answer(500)) as receiver, dispatching():
        receiver.hold()
        await outbox.emit(await outbox.endpoint(receiver.url()))
        await receiver.arrived(1)
        await sql.run(database, "update webhook_endpoints set active = false")
        receiver.release()
        async with asyncio.timeout(60):
            while not await outbox.attempts():  # noqa: ASYNC110  # PostgreSQL sends no notification.
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
    assert len(receiver.requests) == 1
    assert await outbox.states() == {DUE: 1}


async def test_a_changed_url_and_secret_apply_to_the_next_attempt(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    secret = "whsec_" + "cd" * 16
    async with receiving(lambda p, _n: OK if p == "/new" else answer(500)) as receiver:
        await outbox.emit(await outbox.endpoint(receiver.url("/old")))
        async with dispatching(scale=0.1):
            await receiver.arrived(1)
            await sql.run(
                database,
                "update webhook_endpoints set url = $1, secret = $2",
                receiver.url("/new"),
                outbox.services.vault.encrypt(secret),
            )
            assert await outbox.settled() == {DELIVERED: 1}
    (moved,) = receiver.of("/new")
    Webhook(secret).verify(moved.body, moved.headers)


async def test_a_secret_that_cannot_be_decrypted_sends_nothing(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    async with receiving() as receiver, dispatching(scale=1e-6):
        endpoint = await outbox.endpoint(receiver.url())
        await sql.run(database, "update webhook_endpoints set secret = 'x'")
        await outbox.emit(endpoint)
        assert await outbox.settled() == {EXHAUSTED: 1}
    assert receiver.requests == []
    assert {a["error_code"] for a in await outbox.attempts()} == {"secret_unreadable"}


async def test_a_hanging_endpoint_does_not_delay_others(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving(lambda p, _n: None if p == "/hang" else OK) as receiver:
        hanging, healthy = await outbox.endpoint(receiver.url("/hang")), await outbox.endpoint(receiver.url("/ok"))
        await outbox.emit(hanging, count=300)
        async with dispatching(slots=8, drain=0.05):
            await receiver.arrived(4, "/hang")
            await outbox.emit(healthy, count=40)
            await receiver.arrived(40, "/ok")
            assert receiver.in_flight["/hang"] == 4  # All of them still run.
    assert receiver.most_in_flight["/hang"] == 4
    assert len(receiver.of("/hang")) == 4


async def test_more_endpoints_hang_than_there_are_slots(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving(lambda p, _n: OK if p == "/ok" else None) as receiver:
        hanging = [await outbox.endpoint(receiver.url(f"/hang{number}")) for number in range(3)]
        healthy = await outbox.endpoint(receiver.url("/ok"))
        await outbox.emit(*hanging, count=4)
        async with dispatching(slots=4, hanging=0.1, drain=0.05):
            await receiver.arrived(12)
            await outbox.emit(healthy, count=8)
            await receiver.arrived(8, "/ok")
            late = [await outbox.endpoint(receiver.url(f"/late{number}")) for number in range(2)]
            await outbox.emit(*late, count=4)
            await receiver.arrived(12 + 8 + 4)
            await asyncio.sleep(0.3)
            assert sum(receiver.in_flight.values()) == 16  # Four times the slots, and no more.


async def test_degraded_endpoints_get_one_request_at_a_time_and_a_quarter_of_the_slots(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    """Old retries of a recovered endpoint do not delay its new deliveries."""
    async with receiving(lambda p, _n: None if p.startswith("/bad") else OK) as receiver:
        bad = [await outbox.endpoint(receiver.url(f"/bad{n}")) for n in range(10)]
        good, recovered = (
            await outbox.endpoint(receiver.url("/good")),
            await outbox.endpoint(receiver.url("/recovered")),
        )
        await sql.run_many(
            database,
            "insert into webhook_endpoint_health (endpoint_id, consecutive_failures, degraded) values ($1, 3, true)",
            [(endpoint.id,) for endpoint in bad],
        )
        await outbox.emit(*bad, count=5)
        async with dispatching(slots=8, hanging=600, drain=0.05):
            await receiver.arrived(2)
            await asyncio.sleep(0.15)
            assert sum(receiver.in_flight.values()) == 2
            assert max(receiver.most_in_flight.values()) == 1
            await outbox.emit(good, count=20)
            await outbox.emit(recovered, count=12)
            await sql.run(
                database,
                "update webhook_deliveries set attempts = 1 where endpoint_id = $1 and lease_token is null and state = 0",
                recovered.id,
            )
            await outbox.emit(recovered, count=2)
            await receiver.arrived(20, "/good")
            await receiver.arrived(14, "/recovered")
            assert {path: requests for path, requests in receiver.in_flight.items() if requests and "bad" in path} == {
                path: 1 for path in receiver.in_flight if "bad" in path
            }
            assert sum(requests for path, requests in receiver.in_flight.items() if "bad" in path) == 2


async def test_hanging_requests_to_degraded_endpoints_free_their_slots_up_to_four_times(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    async with receiving(lambda _p, _n: None) as receiver:
        bad = [await outbox.endpoint(receiver.url(f"/bad{n}")) for n in range(10)]
        await sql.run_many(
            database,
            "insert into webhook_endpoint_health (endpoint_id, consecutive_failures, degraded) values ($1, 3, true)",
            [(endpoint.id,) for endpoint in bad],
        )
        await outbox.emit(*bad)
        async with dispatching(slots=8, hanging=0.02, drain=0.05):
            await receiver.arrived(8)
            await asyncio.sleep(0.2)
            assert sum(receiver.in_flight.values()) == 8


async def test_three_failures_in_a_row_degrade_an_endpoint(outbox: Outbox, ctx: Context) -> None:
    endpoint = await outbox.endpoint("http://127.0.0.1:1/")
    await outbox.emit(endpoint, count=8)
    claims = await claim_due(ctx, slots=10, retry_slots=10, degraded_slots=10)
    assert len(claims) == 4
    failure = DeliveryResponse(500, "http_status", None, b"", None, 1)
    success = DeliveryResponse(200, None, None, b"", None, 1)
    await record_attempts(
        ctx, [_attempt(claims[0], failure), _attempt(claims[1], success), _attempt(claims[2], failure)]
    )
    assert (await outbox.health(endpoint))["consecutive_failures"] == 1
    await record_attempts(ctx, [_attempt(claims[3], failure)])
    assert not (await outbox.health(endpoint))["degraded"]
    (more, *_) = await claim_due(ctx, slots=10, retry_slots=10, degraded_slots=10)
    await record_attempts(ctx, [_attempt(more, failure)])
    health = await outbox.health(endpoint)
    assert (health["consecutive_failures"], health["degraded"]) == (3, True)


async def test_an_expired_lease_is_claimed_again_and_its_late_result_is_ignored(ctx: Context, outbox: Outbox) -> None:
    await outbox.emit(await outbox.endpoint("http://127.0.0.1:1/"))
    (first,) = await claim_due(ctx, slots=5, retry_slots=5, degraded_slots=5, lease_seconds=600)
    leased = (await outbox.deliveries())[0]["lease_until"] - first.claimed_at
    assert timedelta(seconds=500) < leased <= timedelta(seconds=600)
    assert await claim_due(ctx, slots=5, retry_slots=5, degraded_slots=5) == []
    await _expire_leases(outbox.database)
    (second,) = await claim_due(ctx, slots=5, retry_slots=5, degraded_slots=5)
    assert (second.id, first.number, second.number, second.lane) == (first.id, 1, 2, Lane.retry)
    late = _attempt(first, DeliveryResponse(200, None, None, b"late", None, 1))
    assert await record_attempts(ctx, [late]) == set()
    assert await outbox.attempts() == []
    assert await outbox.states() == {DUE: 1}
    assert await record_attempts(ctx, [_attempt(second, DeliveryResponse(500, "http_status", None, b"", None, 1))]) == {
        second.id
    }
    (delivery,) = await outbox.deliveries()
    assert (delivery["attempts"], delivery["failures"]) == (2, 1)


async def _expire_leases(database: Database) -> None:
    await sql.run(
        database,
        """update webhook_deliveries set lease_until = now() - interval '1 ms', next_attempt_at = now() - interval '1 ms'
            where lease_until is not null""",
    )


async def test_three_dispatchers_send_nothing_twice_and_respect_the_limit_per_endpoint(
    outbox: Outbox, dispatching: Dispatching
) -> None:
    async with receiving() as receiver:
        receiver.delay = 0.005
        endpoints = [await outbox.endpoint(receiver.url(f"/{n}")) for n in range(5)]
        ids = await outbox.emit(*endpoints, count=60)
        async with dispatching(), dispatching(), dispatching():
            assert await outbox.settled() == {DELIVERED: 300}
    assert len(receiver.requests) == 300
    for number in range(5):
        assert {request.event_id for request in receiver.of(f"/{number}")} == set(ids)
    assert max(receiver.most_in_flight.values()) <= 4


async def test_metrics_count_attempts_by_outcome_and_measure_them(outbox: Outbox, dispatching: Dispatching) -> None:
    def counted() -> dict[str, float]:
        names = {
            "delivered": ("gateway_webhook_deliveries_total", {"outcome": "delivered"}),
            "retry": ("gateway_webhook_deliveries_total", {"outcome": "retry"}),
            "exhausted": ("gateway_webhook_deliveries_total", {"outcome": "exhausted"}),
            "good": ("gateway_webhook_attempt_seconds_count", {"delivered": "yes"}),
            "bad": ("gateway_webhook_attempt_seconds_count", {"delivered": "no"}),
            "receipts": ("gateway_webhook_delivery_seconds_count", {}),
            "waited": ("gateway_webhook_delivery_seconds_sum", {}),
        }
        return {name: REGISTRY.get_sample_value(*of) or 0.0 for name, of in names.items()}

    before = counted()
    async with receiving(lambda p, n: OK if p == "/good" or n == 2 else answer(500)) as receiver:
        good, late = await outbox.endpoint(receiver.url("/good")), await outbox.endpoint(receiver.url("/late"))
        await outbox.emit(good, late)
        async with dispatching():
            assert await outbox.settled() == {DELIVERED: 2}
            receiver.script = lambda _p, _n: answer(500)
            await outbox.emit(good)
            await outbox.settled()
    after = counted()
    grown = {name: after[name] - before[name] for name in after}
    assert 0 < grown.pop("waited") < 30
    # `receipts` counts first attempts only: the merchant's server causes the delay of a retry.
    assert grown == {"delivered": 2, "retry": 4, "exhausted": 1, "good": 2, "bad": 5, "receipts": 1}


async def test_claims_use_the_clock_of_the_database(outbox: Outbox, ctx: Context) -> None:
    """The database's time is in signatures, and compared with `Retry-After`."""
    await outbox.emit(await outbox.endpoint("http://127.0.0.1:1/"))
    before = time.monotonic()
    (claim,) = await claim_due(ctx, slots=1, retry_slots=1, degraded_slots=1)
    received = time.monotonic()
    await asyncio.sleep(0.05)
    least = time.monotonic() - received
    elapsed = (claim.database_time() - claim.claimed_at).total_seconds()
    assert least <= elapsed + 1e-5
    assert elapsed <= time.monotonic() - before


async def test_a_notified_dispatcher_claims_at_once(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving() as receiver, dispatching(poll=600) as dispatcher:
        await asyncio.sleep(0.05)
        await outbox.emit(await outbox.endpoint(receiver.url()))
        dispatcher.wake()
        await receiver.arrived(1)


async def test_stopping_waits_for_running_requests(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving() as receiver:
        receiver.hold()
        async with dispatching() as dispatcher:
            await outbox.emit(await outbox.endpoint(receiver.url()), count=10)
            await receiver.arrived(4)
            dispatcher.stop()
            receiver.release()
    assert len(receiver.requests) == 4
    assert await outbox.states() == {DUE: 6, DELIVERED: 4}


async def test_stopping_releases_requests_that_take_too_long(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving(lambda _p, _n: None) as receiver:
        async with dispatching(drain=0.05):
            await outbox.emit(await outbox.endpoint(receiver.url()))
            await receiver.arrived(1)
        (delivery,) = await outbox.deliveries()
        assert (delivery["state"], delivery["lease_token"], delivery["failures"]) == (DUE, None, 0)
        receiver.script = lambda _p, _n: OK
        async with dispatching():
            assert await outbox.settled() == {DELIVERED: 1}


async def test_the_dispatcher_continues_after_lost_connections(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    """Every connection is closed during requests. Their results are recorded afterwards, once."""
    async with receiving() as receiver:
        receiver.hold()
        async with dispatching():
            await outbox.emit(await outbox.endpoint(receiver.url()), count=4)
            await receiver.arrived(4)
            await _cut_connections(database)
            receiver.release()
            assert await outbox.settled() == {DELIVERED: 4}
    assert len(receiver.requests) == 4


async def test_an_attempt_that_the_database_refuses_is_recorded_without_details(
    outbox: Outbox, dispatching: Dispatching, services: Services, post: Any
) -> None:
    """A 2xx stays delivered. A failure counts, here as the last one. Other attempts are recorded as usual."""
    sender = Sender(post, services.vault, time_scale=1e-6)

    async def send(claim: Claim) -> Attempt:
        attempt = await sender.send(claim)
        if claim.id not in poisoned or claim.number != poisoned[claim.id]:
            return attempt
        return replace(attempt, response=replace(attempt.response, address="nul \x00"))

    async with receiving(lambda p, _n: OK if p == "/good" else answer(500)) as receiver:
        good, bad = await outbox.endpoint(receiver.url("/good")), await outbox.endpoint(receiver.url("/bad"))
        await outbox.emit(good, bad, count=3)
        rows = await outbox.deliveries()
        poisoned = {
            next(row["id"] for row in rows if row["endpoint_id"] == endpoint.id): number
            for endpoint, number in ((good, 1), (bad, 4))
        }
        async with dispatching(scale=1e-6, send=send):
            assert await outbox.settled() == {DELIVERED: 3, EXHAUSTED: 3}
    assert len(receiver.of("/good")) == 3
    assert len(receiver.of("/bad")) == 12
    internal_failure = [(a["status"], a["error_code"]) for a in await outbox.attempts() if a["address"] is None]
    assert sorted(internal_failure) == [(200, None), (500, "internal_error")]


async def test_an_unexpected_error_while_sending_counts_as_a_failure(outbox: Outbox, dispatching: Dispatching) -> None:
    async def send(claim: Claim) -> Attempt:
        raise RuntimeError("unexpected")

    async with dispatching(scale=1e-6, send=send):
        await outbox.emit(await outbox.endpoint("http://127.0.0.1:1/"))
        assert await outbox.settled() == {EXHAUSTED: 1}
    assert [(a["number"], a["error_code"]) for a in await outbox.attempts()] == [
        (n, "internal_error") for n in range(1, 5)
    ]


async def test_a_delivery_whose_workers_die_is_exhausted_in_the_end(
    outbox: Outbox, ctx: Context, dispatching: Dispatching, database: Database
) -> None:
    """Consecutive claims without a recorded attempt count as one failure, which is recorded without a request."""
    async with receiving() as receiver:
        await outbox.emit(await outbox.endpoint(receiver.url()), count=2)
        for _ in range(MAX_ABANDONED):
            assert len(await claim_due(ctx, slots=2, retry_slots=2, degraded_slots=2)) == 2
            await _expire_leases(database)
        last, other = [row["id"] for row in await outbox.deliveries()]
        await sql.run(
            database, "update webhook_deliveries set attempts = attempts + 3, failures = 3 where id = $1", last
        )
        async with dispatching():
            assert await outbox.settled() == {EXHAUSTED: 1, DELIVERED: 1}
    assert [(r.headers["x-service-delivery"], r.headers["x-service-attempt"]) for r in receiver.requests] == [
        (other, "6")
    ]
    written = {(a["delivery_id"], a["number"], a["error_code"]) for a in await outbox.attempts()}
    assert written == {(last, 8, "internal_error"), (other, 5, "internal_error"), (other, 6, None)}


async def _cut_connections(database: Database) -> None:
    async with database.pool.acquire() as connection:
        await connection.execute(
            # With a timeout, it waits until they are closed.
            "select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        )
    for _ in range(20):
        try:
            await sql.value(database, "select 1")
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            await asyncio.sleep(0.01)


def _attempt(claim: Claim, response: DeliveryResponse) -> Attempt:
    decision: RetryDecision = next_action(
        response, environment=claim.environment, failures=claim.failures, now=claim.claimed_at, scale=0
    )
    return Attempt(claim, claim.claimed_at, response, decision)

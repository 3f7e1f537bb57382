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

from gateway.integrations.egress.answers import Answer
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
            outbox.services.vault.seal(previous),
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
async def test_a_failing_endpoint_gets_the_whole_schedule_and_no_more(
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


async def test_retries_come_at_the_scheduled_times(
    outbox: Outbox, dispatching: Dispatching, services: Services, post: Any
) -> None:
    """Never sooner; how much later is the machine's affair, but what they were due after is not."""
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
    for gap, told, delay in zip(gaps, due[:3], (0.05, 0.3, 1.2), strict=True):
        assert 0.8 * delay <= told <= 1.2 * delay
        assert gap >= told


async def test_a_success_after_failures_ends_the_retries_and_heals_the_endpoint(
    outbox: Outbox, dispatching: Dispatching
) -> None:
    async with receiving(lambda _p, n: OK if n > 3 else answer(500)) as receiver, dispatching():
        endpoint = await outbox.endpoint(receiver.url())
        await outbox.emit(endpoint)
        assert await outbox.settled() == {DELIVERED: 1}
        await asyncio.sleep(0.1)
    assert len(receiver.requests) == 4
    health = await outbox.health(endpoint)
    assert (health["consecutive_failures"], health["degraded"], health["first_failure_at"]) == (0, False, None)


async def test_a_redirect_is_a_failure_that_nobody_follows(outbox: Outbox, dispatching: Dispatching) -> None:
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


async def test_410_ends_the_delivery_and_switches_the_endpoint_off(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    async with receiving(lambda _p, _n: answer(410)) as receiver, dispatching():
        endpoint = await outbox.endpoint(receiver.url())
        await outbox.emit(endpoint)
        assert await outbox.settled() == {CANCELED: 1}
        await outbox.emit(endpoint)
        await asyncio.sleep(0.1)
    assert len(receiver.requests) == 1
    row = await sql.row(database, "select active, disabled_reason from webhook_endpoints")
    assert tuple(row) == (False, "gone")
    audit = await sql.row(database, "select action, store_id, environment, actor_type from audit_trail")
    assert tuple(audit) == ("webhook_endpoint.disabled", outbox.store_id, "test", "system")
    deliveries = await outbox.deliveries()
    assert {delivery["canceled_reason"] for delivery in deliveries} == {"gone", None}
    (mail,) = await sql.rows(database, "select kind, user_id, template_data from emails")
    assert (mail["kind"], mail["user_id"]) == ("webhook_endpoint_gone", outbox.store_id)
    assert (mail["template_data"]["endpoint_id"], mail["template_data"]["url"]) == (endpoint.id, receiver.url())


async def test_410_of_an_address_that_was_replaced_meanwhile_switches_nothing_off(
    ctx: Context, outbox: Outbox, database: Database
) -> None:
    await outbox.emit(await outbox.endpoint("http://127.0.0.1:1/old"))
    (claim,) = await claim_due(ctx, slots=1, retry_slots=1, degraded_slots=1)
    await sql.run(database, "update webhook_endpoints set url = 'http://127.0.0.1:1/new'")
    await record_attempts(ctx, [_attempt(claim, Answer(410, "http_status", None, b"", None, 1))])
    assert await sql.value(database, "select active from webhook_endpoints")


async def test_nothing_is_sent_to_an_endpoint_that_is_off(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    """It is switched off while its first request is under way: the retry would be due in five milliseconds."""
    async with receiving(lambda _p, _n: answer(500)) as receiver, dispatching():
        receiver.hold()
        await outbox.emit(await outbox.endpoint(receiver.url()))
        await receiver.arrived(1)
        await sql.run(database, "update webhook_endpoints set active = false")
        receiver.release()
        async with asyncio.timeout(60):
            while not await outbox.attempts():  # noqa: ASYNC110  # PostgreSQL announces nothing.
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
    assert len(receiver.requests) == 1
    assert await outbox.states() == {DUE: 1}


async def test_a_changed_address_and_secret_serve_the_next_attempt(
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
                outbox.services.vault.seal(secret),
            )
            assert await outbox.settled() == {DELIVERED: 1}
    (moved,) = receiver.of("/new")
    Webhook(secret).verify(moved.body, moved.headers)


async def test_a_secret_that_cannot_be_opened_sends_nothing(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    async with receiving() as receiver, dispatching(scale=1e-6):
        endpoint = await outbox.endpoint(receiver.url())
        await sql.run(database, "update webhook_endpoints set secret = 'x'")
        await outbox.emit(endpoint)
        assert await outbox.settled() == {EXHAUSTED: 1}
    assert receiver.requests == []
    assert {a["error_code"] for a in await outbox.attempts()} == {"secret_unreadable"}


async def test_a_hanging_endpoint_does_not_hold_up_the_others(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving(lambda p, _n: None if p == "/hang" else OK) as receiver:
        hanging, healthy = await outbox.endpoint(receiver.url("/hang")), await outbox.endpoint(receiver.url("/ok"))
        await outbox.emit(hanging, count=300)
        async with dispatching(slots=8, drain=0.05):
            await receiver.arrived(4, "/hang")
            await outbox.emit(healthy, count=40)
            await receiver.arrived(40, "/ok")
            assert receiver.in_flight["/hang"] == 4  # Not one of them has been given up for it.
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
    """One that has recovered, with old retries of its own, is not held up by them."""
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


async def test_a_quarter_that_hangs_is_given_back_up_to_four_times(
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
    failure = Answer(500, "http_status", None, b"", None, 1)
    success = Answer(200, None, None, b"", None, 1)
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


async def test_a_lease_that_ran_out_is_claimed_again_and_its_late_result_is_dropped(
    ctx: Context, outbox: Outbox
) -> None:
    await outbox.emit(await outbox.endpoint("http://127.0.0.1:1/"))
    (first,) = await claim_due(ctx, slots=5, retry_slots=5, degraded_slots=5, lease_seconds=600)
    leased = (await outbox.deliveries())[0]["lease_until"] - first.claimed_at
    assert timedelta(seconds=500) < leased <= timedelta(seconds=600)
    assert await claim_due(ctx, slots=5, retry_slots=5, degraded_slots=5) == []
    await _run_out(outbox.database)
    (second,) = await claim_due(ctx, slots=5, retry_slots=5, degraded_slots=5)
    assert (second.id, first.number, second.number, second.lane) == (first.id, 1, 2, Lane.retry)
    late = _attempt(first, Answer(200, None, None, b"late", None, 1))
    assert await record_attempts(ctx, [late]) == set()
    assert await outbox.attempts() == []
    assert await outbox.states() == {DUE: 1}
    assert await record_attempts(ctx, [_attempt(second, Answer(500, "http_status", None, b"", None, 1))]) == {second.id}
    (delivery,) = await outbox.deliveries()
    assert (delivery["attempts"], delivery["failures"]) == (2, 1)


async def _run_out(database: Database) -> None:
    """As if the time of every lease were over."""
    await sql.run(
        database,
        """update webhook_deliveries set lease_until = now() - interval '1 ms', next_attempt_at = now() - interval '1 ms'
            where lease_until is not null""",
    )


async def test_three_dispatchers_never_send_twice_nor_pass_the_cap(outbox: Outbox, dispatching: Dispatching) -> None:
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


async def test_attempts_are_timed_and_counted_by_outcome(outbox: Outbox, dispatching: Dispatching) -> None:
    def counted() -> dict[str, float]:
        names = {
            "delivered": ("gateway_webhook_deliveries_total", {"outcome": "delivered"}),
            "retry": ("gateway_webhook_deliveries_total", {"outcome": "retry"}),
            "exhausted": ("gateway_webhook_deliveries_total", {"outcome": "exhausted"}),
            "good": ("gateway_webhook_attempt_seconds_count", {"delivered": "yes"}),
            "bad": ("gateway_webhook_attempt_seconds_count", {"delivered": "no"}),
            "receipts": ("gateway_webhook_receipt_seconds_count", {}),
            "waited": ("gateway_webhook_receipt_seconds_sum", {}),
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
    # Only what the first attempt delivered is a receipt: a retry's wait is the merchant's.
    assert grown == {"delivered": 2, "retry": 4, "exhausted": 1, "good": 2, "bad": 5, "receipts": 1}


async def test_the_clock_is_the_databases(outbox: Outbox, ctx: Context) -> None:
    """A claim signs with the database's time, and judges dates by it."""
    await outbox.emit(await outbox.endpoint("http://127.0.0.1:1/"))
    before = time.monotonic()
    (claim,) = await claim_due(ctx, slots=1, retry_slots=1, degraded_slots=1)
    received = time.monotonic()
    await asyncio.sleep(0.05)
    least = time.monotonic() - received
    elapsed = (claim.database_time() - claim.claimed_at).total_seconds()
    assert least <= elapsed + 1e-5
    assert elapsed <= time.monotonic() - before


async def test_a_wake_up_is_enough(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving() as receiver, dispatching(poll=600) as dispatcher:
        await asyncio.sleep(0.05)
        await outbox.emit(await outbox.endpoint(receiver.url()))
        dispatcher.wake()
        await receiver.arrived(1)


async def test_stopping_lets_requests_under_way_end(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving() as receiver:
        receiver.hold()
        async with dispatching() as dispatcher:
            await outbox.emit(await outbox.endpoint(receiver.url()), count=10)
            await receiver.arrived(4)
            dispatcher.stop()
            receiver.release()
    assert len(receiver.requests) == 4
    assert await outbox.states() == {DUE: 6, DELIVERED: 4}


async def test_stopping_gives_back_what_takes_too_long(outbox: Outbox, dispatching: Dispatching) -> None:
    async with receiving(lambda _p, _n: None) as receiver:
        async with dispatching(drain=0.05):
            await outbox.emit(await outbox.endpoint(receiver.url()))
            await receiver.arrived(1)
        (delivery,) = await outbox.deliveries()
        assert (delivery["state"], delivery["lease_token"], delivery["failures"]) == (DUE, None, 0)
        receiver.script = lambda _p, _n: OK
        async with dispatching():
            assert await outbox.settled() == {DELIVERED: 1}


async def test_the_loop_goes_on_after_the_database_was_away(
    outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    """Every connection is cut while requests are under way; what came of them is written afterwards, once."""
    async with receiving() as receiver:
        receiver.hold()
        async with dispatching():
            await outbox.emit(await outbox.endpoint(receiver.url()), count=4)
            await receiver.arrived(4)
            await _cut_connections(database)
            receiver.release()
            assert await outbox.settled() == {DELIVERED: 4}
    assert len(receiver.requests) == 4


async def test_an_attempt_that_cannot_be_written_is_written_bare_and_does_not_stop_the_others(
    outbox: Outbox, dispatching: Dispatching, services: Services, post: Any
) -> None:
    """A 2xx stays delivered; a failure counts, here as the last one."""
    sender = Sender(post, services.vault, time_scale=1e-6)

    async def send(claim: Claim) -> Attempt:
        attempt = await sender.send(claim)
        if claim.id not in poisoned or claim.number != poisoned[claim.id]:
            return attempt
        return replace(attempt, answer=replace(attempt.answer, address="nul \x00"))

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


async def test_a_delivery_that_cannot_be_sent_is_a_failure_and_comes_to_an_end(
    outbox: Outbox, dispatching: Dispatching
) -> None:
    async def send(claim: Claim) -> Attempt:
        raise RuntimeError("nobody foresaw this")

    async with dispatching(scale=1e-6, send=send):
        await outbox.emit(await outbox.endpoint("http://127.0.0.1:1/"))
        assert await outbox.settled() == {EXHAUSTED: 1}
    assert [(a["number"], a["error_code"]) for a in await outbox.attempts()] == [
        (n, "internal_error") for n in range(1, 5)
    ]


async def test_a_delivery_that_takes_its_worker_along_each_time_comes_to_an_end(
    outbox: Outbox, ctx: Context, dispatching: Dispatching, database: Database
) -> None:
    """So many claims in a row of which nothing was written count as one failure, and that
    is written without a request.
    """
    async with receiving() as receiver:
        await outbox.emit(await outbox.endpoint(receiver.url()), count=2)
        for _ in range(MAX_ABANDONED):
            assert len(await claim_due(ctx, slots=2, retry_slots=2, degraded_slots=2)) == 2
            await _run_out(database)
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
            # With a time limit it waits until they have gone.
            "select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        )
    for _ in range(20):
        try:
            await sql.value(database, "select 1")
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            await asyncio.sleep(0.01)


def _attempt(claim: Claim, said: Answer) -> Attempt:
    verdict: RetryDecision = next_action(
        said, environment=claim.environment, failures=claim.failures, now=claim.claimed_at, scale=0
    )
    return Attempt(claim, claim.claimed_at, said, verdict)

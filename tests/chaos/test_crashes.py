"""Processes that are killed, terminated or frozen during work."""

import asyncio
import itertools
import time
from collections import Counter, defaultdict
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

import asyncpg
import httpx

from tests.chaos import answers
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import Endpoint, Merchant
from tests.chaos.processes import frozen, until
from tests.chaos.receiver import Request, max_concurrent
from tests.chaos.report import Result


@experiment(
    "1",
    "`kill -9` of the API after COMMIT and before the hint, and before COMMIT",
    "committed: delivered within 2 s of a dispatcher's start; uncommitted: no trace",
    seconds=600,
)
async def test_experiment_01_the_api_is_killed_around_the_commit(
    open_environment: OpenEnvironment, result: Result
) -> None:
    env: ChaosEnvironment = await open_environment()
    rounds, each = 40, 1
    await env.api()
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=False)
    committed, undone = [], []
    for number in range(rounds):
        api = env.processes[-1] if number == 0 else await env.api()
        lucky, unlucky = [[await merchant.issue() for _ in range(each)] for _ in range(2)]
        blocker = await asyncpg.connect(env.database_url)
        # These payments block in a statement. With Redis frozen, no notification is sent after a commit either.
        with frozen(env.servers.redis.pid):
            async with blocker.transaction():
                ids = [charge["id"] for charge in unlucky]
                await blocker.execute("select from charges where id = any($1::uuid[]) for update", ids)
                paying = [asyncio.create_task(_pay_or_die(merchant, charge)) for charge in (*unlucky, *lucky)]
                by = blocker.get_server_pid()
                await _stuck_and_paid(env, by, stuck=each, paid=[charge["id"] for charge in lucky])
                api.kill()
                await blocker.execute(_HANG_UP, by)
                await _none_stuck(env, by)
        await blocker.close()
        await asyncio.gather(*paying)
        committed += [charge["id"] for charge in lucky]
        undone += [charge["id"] for charge in unlucky]
    paid = {str(row[0]) for row in await env.rows("select id from charges where status = 'paid'")}
    assert paid == set(committed)
    assert await env.value(_TRACES, undone) == 0
    published = {str(row[0]) for row in await env.rows("select id from webhook_events")}
    # From here the rolled back payments may be repeated, as their stored notifications are retried after a minute.
    worker = await env.worker()
    started = datetime.fromisoformat(worker.said("worker_started")[0]["timestamp"]).timestamp()
    await env.settled()
    waits = [request.at - started for request in env.receivers.requests() if request.event_id in published]
    assert len(waits) == len(published)
    result.note(
        f"{len(committed)} of {len(committed)} committed payments delivered, {len(undone)} uncommitted without a trace"
    )
    result.note(f"{rounds} kills; the last arrived {max(waits):.2f} s after the dispatcher's start")
    assert max(waits) < 2.0 * env.slack


_TRACES = """select count(*) from webhook_events v, unnest($1::text[]) as undone(id)
              where v.dedupe_key = 'charge.paid:' || undone.id"""
# Sessions that wait for the blocker, and not for another payment.
_WAITING = "from pg_stat_activity where datname = current_database() and $1::integer = any(pg_blocking_pids(pid))"
_HANG_UP = f"select pg_terminate_backend(pid) {_WAITING}"
_STUCK = f"select count(*) {_WAITING}"
_PAID = "select count(*) from charges where id = any($1::uuid[]) and status = 'paid'"


async def _pay_or_die(merchant: Merchant, charge: dict[str, Any]) -> None:
    """The API is killed meanwhile; the test reads the result from the database."""
    with suppress(httpx.TransportError):
        await merchant.pay(charge)


async def _stuck_and_paid(env: ChaosEnvironment, by: int, *, stuck: int, paid: list[str]) -> None:
    async def so() -> bool:
        return await env.value(_STUCK, by) == stuck and await env.value(_PAID, paid) == len(paid)

    await until(so, "the payments to be where they are wanted", every=0.002)


async def _none_stuck(env: ChaosEnvironment, by: int) -> None:
    async def so() -> bool:
        return await env.value(_STUCK, by) == 0

    await until(so, "the sessions to be gone")


@experiment(
    "2",
    "`kill -9` of the dispatcher in mid-delivery, again and again (2 processes)",
    "all delivered; a second request only after the lease; duplicates ≤ in flight at each kill",
)
async def test_experiment_02_dispatchers_are_killed_in_mid_delivery(
    open_environment: OpenEnvironment, result: Result
) -> None:
    env: ChaosEnvironment = await open_environment(
        alone="both dispatchers are killed in turn, before the next one is up, and no other one delivers"
    )
    lease, kills, events = 3.0, 26, 1000
    for number in range(10):
        await env.insert_endpoint(await env.store(), f"/{number}", answers.delay, seconds=_SECONDS)
    for endpoint in env.endpoints:
        await env.emit((await env.value(_STORE_OF, endpoint.id)), events // 10)
    workers = list(await asyncio.gather(*[env.faulty_worker(lease=lease) for _ in range(2)]))
    under_way: Counter[str] = Counter()
    for number in range(kills):
        victim = workers.pop(0)
        await victim.says("worker_started")
        await (_busy if number % 2 else _request_arrived)(env)
        with frozen(victim.pid), frozen(workers[0].pid):
            under_way.update(str(row[0]) for row in await env.rows(_HELD))
            victim.kill()
        workers.append(await env.faulty_worker(started=False, lease=lease))
    await env.settled(180)
    requests = env.receivers.requests()
    gaps = _gaps(requests)
    again = Counter({delivery: times - 1 for delivery, times in Counter(r.delivery_id for r in requests).items()})
    assert await env.value("select count(*) from webhook_deliveries where state = 1") == events
    # Each duplicate belongs to a delivery in flight at a kill, at most one per kill.
    assert again <= under_way
    assert min(gaps) >= lease - 0.1
    result.note(f"{events} of {events} delivered through {kills} kills; {len(gaps)} duplicates")
    result.note(
        f"each of a delivery that was under way at a kill, of {under_way.total()}; the soonest second request came "
        f"{min(gaps):.1f} s after the first"
    )
    result.note(f"lease {lease:.0f} s")


_SECONDS = 0.5
_STORE_OF = "select user_id from webhook_endpoints where id = $1"
_HELD = "select id from webhook_deliveries where state = 0 and lease_until > now()"
_LEASED = "select count(*) from webhook_deliveries where state = 0 and lease_until > now()"


async def _busy(env: ChaosEnvironment) -> None:
    async def so() -> bool:
        return bool(await env.value(_LEASED)) or not await env.value(_DUE)

    await until(so, "deliveries to be under way")


async def _request_arrived(env: ChaosEnvironment) -> None:
    """Wait until a receiver has the request of a leased delivery, which a kill would repeat."""

    async def so() -> bool:
        leased = {str(row[0]) for row in await env.rows(_HELD)}
        arrived = {request.delivery_id for request in env.receivers.requests()}
        return bool(leased & arrived) or not await env.value(_DUE)

    await until(so, "requests to be under way")


_DUE = "select exists(select from webhook_deliveries where state = 0)"


def _gaps(requests: list[Request]) -> list[float]:
    """Seconds between consecutive requests of a delivery."""
    arrivals = defaultdict(list)
    for request in requests:
        arrivals[request.delivery_id].append(request.at)
    return [later - sooner for times in arrivals.values() for sooner, later in itertools.pairwise(times)]


@experiment(
    "3",
    "SIGTERM of the worker during delivery (deploy)",
    "no new claims, in-flight finishes or is released, exit < 30 s, zero duplicates on a clean stop",
)
async def test_experiment_03_sigterm_in_mid_delivery(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment()
    worker = await env.worker()
    slow, hanging = await env.store(), await env.store()
    await env.insert_endpoint(hanging, "/hanging", answers.hang)
    await env.insert_endpoint(slow, "/slow", answers.delay, seconds=1.0)
    await env.emit(hanging, 4)
    await env.arrived(4, "/hanging")
    await env.bystander.leave()  # There is no worker until the next one starts.
    await env.emit(slow, 12)
    await env.arrived(6, "/slow")
    started = time.time()
    seconds = await worker.stop(30)
    late = [request for request in env.receivers.requests() if request.at > started + 0.5]
    assert late == []
    assert await env.value(_LEASED) == 0
    result.note(
        f"gone in {seconds:.1f} s with 4 requests hanging and 4 slow ones, no claim after SIGTERM, no lease left"
    )
    for endpoint in env.endpoints:
        env.receivers.answer(endpoint.path, answers.ok)
    await env.worker()
    await env.run("update webhook_deliveries set next_attempt_at = now() where state = 0 and lease_token is null")
    await env.settled()
    again = Counter(request.delivery_id for request in env.receivers.requests("/slow"))
    assert set(again.values()) == {1}
    result.note(f"{len(again)} slow deliveries, no duplicate")


@experiment(
    "3c",
    "SIGTERM of the worker while PostgreSQL hangs, with requests just ended",
    "exit < 30 s; sent again after the lease, none lost",
)
async def test_experiment_03c_sigterm_while_postgres_hangs(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment(
        alone="the whole PostgreSQL hangs, and the only worker stops: there are no deliveries"
    )
    lease = 5.0
    worker = await env.faulty_worker(lease=lease)
    await env.insert_endpoint(await env.store(), "/slow", answers.delay, seconds=1.0)
    await env.emit(await env.value(_STORE_OF, env.endpoints[0].id), 4)
    await env.arrived(4)
    with env.servers.frozen_postgres():
        await asyncio.sleep(1.5)  # All four have responses that can't be stored.
        seconds = await worker.stop()
    assert seconds < 30 * env.slack
    await env.faulty_worker(lease=lease)
    await env.settled()
    sent = Counter(request.delivery_id for request in env.receivers.requests())
    assert set(sent.values()) == {2}
    result.note(f"gone in {seconds:.1f} s; its 4 requests with no record were sent again; lease {lease:.0f} s")


@experiment("3b", "SIGTERM of the API with checkout pages open", "streams end in order, exit < 30 s", quick=True)
async def test_experiment_03b_the_api_stops_with_pages_open(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment()
    api, _ = await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    charges = [await merchant.issue() for _ in range(5)]
    opened: list[str] = []
    pages = [asyncio.create_task(_watch(env, charge["txid"], opened)) for charge in charges]

    async def watched() -> bool:
        return len(opened) == len(pages)

    await until(watched, "the pages to be open")
    seconds = await api.stop(30)
    ends = await asyncio.gather(*pages)
    result.note(f"API with {len(pages)} open event streams gone in {seconds:.1f} s, each ended in order")
    assert ends == ["ended"] * len(pages)
    assert seconds < min(10 * env.slack, 30)


async def _watch(env: ChaosEnvironment, txid: str, opened: list[str]) -> str:
    """Read a charge's event stream until the server ends it."""
    async with env.client.stream("GET", f"/pay/c/{txid}/events", timeout=60) as stream:
        assert stream.status_code == 200
        async for _ in stream.aiter_text():
            if txid not in opened:
                opened.append(txid)
    return "ended"


@experiment(
    "20",
    "Worker frozen (SIGSTOP) past its lease, then resumed",
    "its result is discarded; the final state is the successor's",
    quick=True,
)
async def test_experiment_20_a_worker_is_frozen_past_its_lease(
    open_environment: OpenEnvironment, result: Result, full: bool
) -> None:
    env: ChaosEnvironment = await open_environment()
    lease = 60.0 if full else 1.5
    start = env.worker if full else partial(env.faulty_worker, lease=lease)
    worker = await start()
    store = await env.store()
    slow = await env.insert_endpoint(store, "/slow", answers.delay, seconds=2.0)
    await env.bystander.leave()  # There is no worker until the successor starts.
    await env.emit(store, 4)
    await env.arrived(4)
    with frozen(worker.pid):
        env.receivers.answer("/slow", answers.status, code=500)
        successor = await start()
        await env.arrived(8, seconds=lease + 30)
        await _failed_once(env, slow)
    await worker.says("webhook_lease_lost")
    states = await env.rows(_STATES, slow.id)
    assert {tuple(row) for row in states} == {(0, 2, 1, 500)}
    env.receivers.answer("/slow", answers.ok)
    await env.run("update webhook_deliveries set next_attempt_at = now() where endpoint_id = $1", slow.id)
    await env.settled()
    gaps = _gaps([request for request in env.requests() if request.attempt < 3])
    result.note(
        f"4 deliveries answered 200 to the frozen worker and 500 to its successor {min(gaps):.0f} s later: 500 stood"
    )
    result.note(f"lease {lease:.0f} s; then delivered with the third request")
    assert worker.alive
    assert successor.alive


_STATES = "select state, attempts, failures, last_status from webhook_deliveries where endpoint_id = $1"


async def _failed_once(env: ChaosEnvironment, endpoint: Endpoint) -> None:
    async def so() -> bool:
        return {row["failures"] for row in await env.rows(_STATES, endpoint.id)} == {1}

    await until(so, "the successor to write what it saw")


@experiment(
    "19",
    "3 dispatchers, 3 arq workers with their crons, 2 APIs",
    "no double send without a lease expiry; per-endpoint in-flight ≤ cap",
)
async def test_experiment_19_many_workers_at_once(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment()
    events = 600
    await asyncio.gather(env.api("--workers", "2"), *[env.worker() for _ in range(3)])
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=True)
    for number in range(5):
        await env.insert_endpoint(await env.store(), f"/{number}", answers.delay, seconds=0.1)
    for endpoint in env.endpoints[1:]:
        await env.emit(await env.value(_STORE_OF, endpoint.id), events // 5)
    for _ in range(20):
        charges = await asyncio.gather(*[merchant.issue() for _ in range(5)])
        await asyncio.gather(*[merchant.pay(charge) for charge in charges])
    await env.settled(120)
    assert _gaps(env.receivers.requests()) == []
    requests = env.requests()
    most = max(max_concurrent(env.receivers.requests(endpoint.path)) for endpoint in env.endpoints)
    assert most <= 4
    result.note(f"{len(requests)} deliveries by 3 workers, no duplicate; at most {most} at once for an endpoint")

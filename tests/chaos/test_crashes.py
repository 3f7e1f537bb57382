"""Processes that die, are told to go, or stand still in the middle of something."""

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
from tests.chaos.conftest import OpenWorld
from tests.chaos.environment import World
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import Endpoint, Shop
from tests.chaos.processes import frozen, until
from tests.chaos.receiver import Request, most_at_once
from tests.chaos.report import Result


@experiment(
    "1",
    "`kill -9` of the API after COMMIT and before the hint, and before COMMIT",
    "committed: delivered within 2 s of a dispatcher's start; uncommitted: no trace",
    seconds=600,
)
async def test_experiment_01_the_api_is_killed_around_the_commit(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world()
    rounds, each = 40, 1
    await world.api()
    shop = await world.shop()
    await world.register(shop, "/shop", healthy=False)
    committed, undone = [], []
    for number in range(rounds):
        api = world.processes[-1] if number == 0 else await world.api()
        lucky, unlucky = [[await shop.issue() for _ in range(each)] for _ in range(2)]
        blocker = await asyncpg.connect(world.database_url)
        # Whoever pays these waits for us in mid-statement; with Redis frozen, no hint gets out after a commit either.
        with frozen(world.plant.redis.pid):
            async with blocker.transaction():
                ids = [charge["id"] for charge in unlucky]
                await blocker.execute("select from charges where id = any($1::uuid[]) for update", ids)
                paying = [asyncio.create_task(_pay_or_die(shop, charge)) for charge in (*unlucky, *lucky)]
                by = blocker.get_server_pid()
                await _stuck_and_paid(world, by, stuck=each, paid=[charge["id"] for charge in lucky])
                api.kill()
                await blocker.execute(_HANG_UP, by)
                await _nobody_stuck(world, by)
        await blocker.close()
        await asyncio.gather(*paying)
        committed += [charge["id"] for charge in lucky]
        undone += [charge["id"] for charge in unlucky]
    paid = {str(row[0]) for row in await world.rows("select id from charges where status = 'paid'")}
    assert paid == set(committed)
    assert await world.value(_TRACES, undone) == 0
    told = {str(row[0]) for row in await world.rows("select id from webhook_events")}
    # From now on also the undone may be paid: their notices were kept, and are looked at again
    # when they are a minute old.
    worker = await world.worker()
    started = datetime.fromisoformat(worker.said("worker_started")[0]["timestamp"]).timestamp()
    await world.settled()
    waits = [request.at - started for request in world.receivers.requests() if request.event_id in told]
    assert len(waits) == len(told)
    result.note(
        f"{len(committed)} of {len(committed)} committed payments delivered, {len(undone)} uncommitted without a trace"
    )
    result.note(f"{rounds} kills; the last arrived {max(waits):.2f} s after the dispatcher's start")
    assert max(waits) < 2.0 * world.slack


_TRACES = """select count(*) from webhook_events v, unnest($1::text[]) as undone(id)
              where v.dedupe_key = 'charge.paid:' || undone.id"""
# Whoever waits for us, and not for another payment: only those are where they are wanted.
_WAITING = "from pg_stat_activity where datname = current_database() and $1::integer = any(pg_blocking_pids(pid))"
_HANG_UP = f"select pg_terminate_backend(pid) {_WAITING}"
_STUCK = f"select count(*) {_WAITING}"
_PAID = "select count(*) from charges where id = any($1::uuid[]) and status = 'paid'"


async def _pay_or_die(shop: Shop, charge: dict[str, Any]) -> None:
    """The API is killed meanwhile; what became of the payment is looked up."""
    with suppress(httpx.TransportError):
        await shop.pay(charge)


async def _stuck_and_paid(world: World, by: int, *, stuck: int, paid: list[str]) -> None:
    async def so() -> bool:
        return await world.value(_STUCK, by) == stuck and await world.value(_PAID, paid) == len(paid)

    await until(so, "the payments to be where they are wanted", every=0.002)


async def _nobody_stuck(world: World, by: int) -> None:
    async def so() -> bool:
        return await world.value(_STUCK, by) == 0

    await until(so, "the sessions to be gone")


@experiment(
    "2",
    "`kill -9` of the dispatcher in mid-delivery, again and again (2 processes)",
    "all delivered; a second request only after the lease; duplicates ≤ in flight at each kill",
)
async def test_experiment_02_dispatchers_are_killed_in_mid_delivery(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world(
        alone="both dispatchers are killed in turn, sooner than the next one is up, and nobody else delivers"
    )
    lease, kills, events = 3.0, 26, 1000
    for number in range(10):
        await world.plant_endpoint(await world.store(), f"/{number}", answers.delay, seconds=_SECONDS)
    for endpoint in world.endpoints:
        await world.emit((await world.value(_STORE_OF, endpoint.id)), events // 10)
    workers = list(await asyncio.gather(*[world.odd_worker(lease=lease) for _ in range(2)]))
    under_way: Counter[str] = Counter()
    for number in range(kills):
        victim = workers.pop(0)
        await victim.says("worker_started")
        await (_busy if number % 2 else _asked)(world)
        with frozen(victim.pid), frozen(workers[0].pid):
            under_way.update(str(row[0]) for row in await world.rows(_HELD))
            victim.kill()
        workers.append(await world.odd_worker(started=False, lease=lease))
    await world.settled(180)
    requests = world.receivers.requests()
    gaps = _gaps(requests)
    again = Counter({delivery: times - 1 for delivery, times in Counter(r.delivery_id for r in requests).items()})
    assert await world.value("select count(*) from webhook_deliveries where state = 1") == events
    # Each request too many is of a delivery that was under way when a dispatcher was killed,
    # and one for each such kill.
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


async def _busy(world: World) -> None:
    async def so() -> bool:
        return bool(await world.value(_LEASED)) or not await world.value(_DUE)

    await until(so, "deliveries to be under way")


async def _asked(world: World) -> None:
    """A receiver has the request of a delivery that is under way: killed now, it will be sent again."""

    async def so() -> bool:
        held = {str(row[0]) for row in await world.rows(_HELD)}
        arrived = {request.delivery_id for request in world.receivers.requests()}
        return bool(held & arrived) or not await world.value(_DUE)

    await until(so, "requests to be under way")


_DUE = "select exists(select from webhook_deliveries where state = 0)"


def _gaps(requests: list[Request]) -> list[float]:
    """Seconds between a request of a delivery and the next one of it."""
    arrivals = defaultdict(list)
    for request in requests:
        arrivals[request.delivery_id].append(request.at)
    return [later - sooner for moments in arrivals.values() for sooner, later in itertools.pairwise(moments)]


@experiment(
    "3",
    "SIGTERM of the worker during delivery (deploy)",
    "no new claims, in-flight finishes or is released, exit < 30 s, zero duplicates on a clean stop",
)
async def test_experiment_03_sigterm_in_mid_delivery(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world()
    worker = await world.worker()
    slow, hanging = await world.store(), await world.store()
    await world.plant_endpoint(hanging, "/hanging", answers.hang)
    await world.plant_endpoint(slow, "/slow", answers.delay, seconds=1.0)
    await world.emit(hanging, 4)
    await world.arrived(4, "/hanging")
    await world.bystander.leave()  # Until the next worker is there, nobody delivers.
    await world.emit(slow, 12)
    await world.arrived(6, "/slow")
    begun = time.time()
    seconds = await worker.stop(30)
    late = [request for request in world.receivers.requests() if request.at > begun + 0.5]
    assert late == []
    assert await world.value(_LEASED) == 0
    result.note(
        f"gone in {seconds:.1f} s with 4 requests hanging and 4 slow ones, no claim after SIGTERM, no lease left"
    )
    for endpoint in world.endpoints:
        world.receivers.answer(endpoint.path, answers.ok)
    await world.worker()
    await world.run("update webhook_deliveries set next_attempt_at = now() where state = 0 and lease_token is null")
    await world.settled()
    again = Counter(request.delivery_id for request in world.receivers.requests("/slow"))
    assert set(again.values()) == {1}
    result.note(f"{len(again)} slow deliveries, no duplicate")


@experiment(
    "3c",
    "SIGTERM of the worker while PostgreSQL hangs, with requests just ended",
    "exit < 30 s; sent again after the lease, none lost",
)
async def test_experiment_03c_sigterm_while_postgres_hangs(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world(alone="the whole PostgreSQL hangs, and the only worker goes: nobody delivers")
    lease = 5.0
    worker = await world.odd_worker(lease=lease)
    await world.plant_endpoint(await world.store(), "/slow", answers.delay, seconds=1.0)
    await world.emit(await world.value(_STORE_OF, world.endpoints[0].id), 4)
    await world.arrived(4)
    with world.plant.frozen_postgres():
        await asyncio.sleep(1.5)  # All four have their answers, and nowhere to write them.
        seconds = await worker.stop()
    assert seconds < 30 * world.slack
    await world.odd_worker(lease=lease)
    await world.settled()
    sent = Counter(request.delivery_id for request in world.receivers.requests())
    assert set(sent.values()) == {2}
    result.note(
        f"gone in {seconds:.1f} s; its 4 requests that nobody had written down were sent again; lease {lease:.0f} s"
    )


@experiment("3b", "SIGTERM of the API with checkout pages open", "streams end in order, exit < 30 s", quick=True)
async def test_experiment_03b_the_api_stops_with_pages_open(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world()
    api, _ = await asyncio.gather(world.api(), world.worker())
    shop = await world.shop()
    charges = [await shop.issue() for _ in range(5)]
    opened: list[str] = []
    pages = [asyncio.create_task(_watch(world, charge["txid"], opened)) for charge in charges]

    async def watched() -> bool:
        return len(opened) == len(pages)

    await until(watched, "the pages to be open")
    seconds = await api.stop(30)
    ends = await asyncio.gather(*pages)
    result.note(f"API with {len(pages)} open event streams gone in {seconds:.1f} s, each ended in order")
    assert ends == ["ended"] * len(pages)
    assert seconds < min(10 * world.slack, 30)


async def _watch(world: World, txid: str, opened: list[str]) -> str:
    """Read a charge's event stream until the server ends it."""
    async with world.client.stream("GET", f"/pay/c/{txid}/events", timeout=60) as stream:
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
    open_world: OpenWorld, result: Result, full: bool
) -> None:
    world: World = await open_world()
    lease = 60.0 if full else 1.5
    start = world.worker if full else partial(world.odd_worker, lease=lease)
    worker = await start()
    store = await world.store()
    slow = await world.plant_endpoint(store, "/slow", answers.delay, seconds=2.0)
    await world.bystander.leave()  # Until the successor is there, nobody delivers.
    await world.emit(store, 4)
    await world.arrived(4)
    with frozen(worker.pid):
        world.receivers.answer("/slow", answers.status, code=500)
        successor = await start()
        await world.arrived(8, seconds=lease + 30)
        await _failed_once(world, slow)
    await worker.says("webhook_lease_lost")
    states = await world.rows(_STATES, slow.id)
    assert {tuple(row) for row in states} == {(0, 2, 1, 500)}
    world.receivers.answer("/slow", answers.ok)
    await world.run("update webhook_deliveries set next_attempt_at = now() where endpoint_id = $1", slow.id)
    await world.settled()
    gaps = _gaps([request for request in world.requests() if request.attempt < 3])
    result.note(
        f"4 deliveries answered 200 to the frozen worker and 500 to its successor {min(gaps):.0f} s later: 500 stood"
    )
    result.note(f"lease {lease:.0f} s; then delivered with the third request")
    assert worker.alive
    assert successor.alive


_STATES = "select state, attempts, failures, last_status from webhook_deliveries where endpoint_id = $1"


async def _failed_once(world: World, endpoint: Endpoint) -> None:
    async def so() -> bool:
        return {row["failures"] for row in await world.rows(_STATES, endpoint.id)} == {1}

    await until(so, "the successor to write what it saw")


@experiment(
    "19",
    "3 dispatchers, 3 arq workers with their crons, 2 APIs",
    "no double send without a lease expiry; per-endpoint in-flight ≤ cap",
)
async def test_experiment_19_many_workers_at_once(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world()
    events = 600
    await asyncio.gather(world.api("--workers", "2"), *[world.worker() for _ in range(3)])
    shop = await world.shop()
    await world.register(shop, "/shop", healthy=True)
    for number in range(5):
        await world.plant_endpoint(await world.store(), f"/{number}", answers.delay, seconds=0.1)
    for endpoint in world.endpoints[1:]:
        await world.emit(await world.value(_STORE_OF, endpoint.id), events // 5)
    for _ in range(20):
        charges = await asyncio.gather(*[shop.issue() for _ in range(5)])
        await asyncio.gather(*[shop.pay(charge) for charge in charges])
    await world.settled(120)
    assert _gaps(world.receivers.requests()) == []
    requests = world.requests()
    most = max(most_at_once(world.receivers.requests(endpoint.path)) for endpoint in world.endpoints)
    assert most <= 4
    result.note(f"{len(requests)} deliveries by 3 workers, no duplicate; at most {most} at once for an endpoint")

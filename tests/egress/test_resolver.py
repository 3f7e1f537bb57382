import asyncio
import subprocess
import sys
import threading
import time
from ipaddress import ip_address

import pytest

from gateway.integrations.egress import NameNotResolved, Resolver
from gateway.integrations.egress.resolver import MAX_CONCURRENT_LOOKUPS, system_lookup
from gateway.workers.webhook_dispatcher import DispatcherConfig

from .conftest import Directory


@pytest.mark.parametrize("host", ["8.8.8.8", "127.0.0.1", "::1", "2804:10:10::10"])
async def test_a_literal_answers_itself_without_a_lookup(host, resolver, directory):
    assert await resolver.resolve(host) == (ip_address(host),)
    assert directory.asked == []


@pytest.mark.parametrize("host", ["localhost", "app.localhost"])
async def test_localhost_is_loopback_without_a_lookup(host, resolver, directory):
    assert await resolver.resolve(host) == (ip_address("127.0.0.1"),)
    assert directory.asked == []


async def test_ipv4_comes_first_in_the_order_of_the_answer_and_once(resolver, directory):
    directory.names["x.test"] = ["2606:4700::2", "93.184.216.35", "2606:4700::1", "93.184.216.34", "93.184.216.35"]
    addresses = await resolver.resolve("x.test")
    assert [str(address) for address in addresses] == ["93.184.216.35", "93.184.216.34", "2606:4700::2", "2606:4700::1"]


async def test_nothing_is_cached(resolver, directory):
    await resolver.resolve("a.merchant.test")
    await resolver.resolve("a.merchant.test")
    assert directory.asked == ["a.merchant.test"] * 2


@pytest.mark.parametrize("answer", [[], ["not an address"], ["93.184.216.34", ""]])
async def test_an_empty_or_broken_answer_is_no_answer(answer, resolver, directory):
    directory.names["x.test"] = answer
    with pytest.raises(NameNotResolved, match=r"x\.test"):
        await resolver.resolve("x.test")


@pytest.mark.parametrize(
    "error", [OSError(-2, "Name or service not known"), UnicodeError("label too long"), TimeoutError()]
)
async def test_a_failing_lookup_is_no_answer(error):
    def lookup(host):
        raise error

    resolver = Resolver(lookup)
    with pytest.raises(NameNotResolved):
        await resolver.resolve("x.test")
    resolver.close()


async def test_black_holes_end_at_the_deadline_and_delay_nobody_else():
    released = threading.Event()

    def lookup(host):
        if host.startswith("hole"):
            released.wait(60)
        return ["93.184.216.34"]

    resolver = Resolver(lookup, seconds=1)
    started = time.perf_counter()
    holes = [asyncio.create_task(resolver.resolve(f"hole{n}.test")) for n in range(50)]
    await asyncio.sleep(0)
    assert await resolver.resolve("good.test")
    # Told by the order and not by a clock, which a busy machine stretches: all fifty still wait.
    assert not any(hole.done() for hole in holes)
    failures = await asyncio.gather(*holes, return_exceptions=True)
    assert {type(failure) for failure in failures} == {NameNotResolved}
    assert time.perf_counter() - started < 30  # The lookups themselves take sixty.
    released.set()
    resolver.close()


async def test_a_name_that_hangs_holds_one_thread_however_many_ask():
    released, asked = threading.Event(), []

    def lookup(host):
        asked.append(host)
        if host == "hole.test":
            released.wait(60)
        return ["93.184.216.34"]

    resolver = Resolver(lookup, threads=2, seconds=1)
    impatient = [asyncio.create_task(resolver.resolve("hole.test")) for _ in range(10)]
    await asyncio.sleep(0)
    assert await resolver.resolve("good.test")
    assert {type(failure) for failure in await asyncio.gather(*impatient, return_exceptions=True)} == {NameNotResolved}
    later = asyncio.create_task(resolver.resolve("hole.test"))  # Joins the lookup that nobody waited for any more.
    await asyncio.sleep(0)
    released.set()
    assert await later == (ip_address("93.184.216.34"),)
    assert sorted(asked) == ["good.test", "hole.test"]  # Two threads; which of them comes first is theirs.
    await resolver.resolve("hole.test")
    assert asked[2:] == ["hole.test"]
    resolver.close()


async def test_more_names_hang_than_a_worker_asks_for_at_once():
    """They keep their threads when nobody waits for them any more, and hold up nobody, nor do those that come after
    them.
    """
    released = threading.Event()

    def lookup(host):
        if host.startswith("hole"):
            released.wait(60)
        return ["93.184.216.34"]

    assert 4 * DispatcherConfig().slots <= MAX_CONCURRENT_LOOKUPS
    resolver = Resolver(lookup)
    for names in (range(400), range(400, MAX_CONCURRENT_LOOKUPS + 100)):
        resolver._seconds = 0.3
        holes = [asyncio.create_task(resolver.resolve(f"hole{n}.test")) for n in names]
        await asyncio.sleep(0)
        assert {type(error) for error in await asyncio.gather(*holes, return_exceptions=True)} == {NameNotResolved}
        resolver._seconds = 30  # Less than the holes take, and enough for any machine.
        assert await resolver.resolve("good.test")
    released.set()
    resolver.close()


async def test_names_that_hung_hold_no_more_than_their_share_of_the_threads():
    released, asked = threading.Event(), []

    def lookup(host):
        asked.append(host)
        if host.startswith("hole"):
            released.wait(60)
        return ["93.184.216.34"]

    async def all_hang():
        holes = [resolver.resolve(f"hole{n}.test") for n in range(5)]
        assert {type(error) for error in await asyncio.gather(*holes, return_exceptions=True)} == {NameNotResolved}

    async def idle():
        async with asyncio.timeout(60):
            while resolver._running:  # noqa: ASYNC110  # It announces nothing.
                await asyncio.sleep(0.01)

    resolver = Resolver(lookup, threads=6, max_hung_lookups=2, seconds=0.2)
    await all_hang()
    released.set()
    await idle()
    released.clear()
    asked.clear()
    await all_hang()
    resolver._seconds = 30
    assert await resolver.resolve("good.test")
    released.set()
    await idle()
    assert sorted(asked) == ["good.test", "hole0.test", "hole1.test"]  # The other three weren't asked for.
    for n in range(5):  # They answer again, one by one, and are nobody's suspects any more.
        assert await resolver.resolve(f"hole{n}.test")
    assert resolver._hung == {}
    resolver.close()


def test_a_lookup_that_hangs_does_not_keep_the_process_from_ending():
    program = """
import asyncio, time
from gateway.integrations.egress import NameNotResolved, Resolver

async def ask():
    try:
        await resolver.resolve("hole.test")
    except NameNotResolved:
        resolver.close()
        print("given up")

resolver = Resolver(lambda host: time.sleep(600), seconds=0.05)
asyncio.run(ask())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.split("\n")[0] == "given up"


async def test_cancellation_passes_through_a_lookup():
    released = threading.Event()

    def lookup(host):
        released.wait(60)
        return []

    resolver = Resolver(lookup)
    task = asyncio.create_task(resolver.resolve("x.test"))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    released.set()
    resolver.close()


def test_the_system_lookup_takes_numbers_the_way_libc_does():
    # No name is asked for. This is why the guard sits behind the lookup: libc reads 127.1 as loopback.
    assert system_lookup("127.1") == ["127.0.0.1"]
    with pytest.raises(UnicodeError):
        system_lookup("ação.test")


def test_a_directory_without_the_name_fails_like_the_system():
    with pytest.raises(OSError, match="not known"):
        Directory()("nobody.test")

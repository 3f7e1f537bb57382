import asyncio
import subprocess
import sys
import threading
import time
from ipaddress import ip_address

import pytest

from gateway.integrations.egress.resolver import MAX_CONCURRENT_LOOKUPS, NameNotResolved, Resolver, system_lookup
from gateway.workers.webhook_dispatcher import DispatcherConfig

from .conftest import Directory


@pytest.mark.parametrize("host", ["8.8.8.8", "127.0.0.1", "::1", "2804:10:10::10"])
async def test_an_ip_literal_needs_no_lookup(host, resolver, directory):
    assert await resolver.resolve(host) == (ip_address(host),)
    assert directory.lookups == []


@pytest.mark.parametrize("host", ["localhost", "app.localhost"])
async def test_localhost_is_loopback_without_a_lookup(host, resolver, directory):
    assert await resolver.resolve(host) == (ip_address("127.0.0.1"),)
    assert directory.lookups == []


async def test_ipv4_comes_first_in_the_answer_s_order_without_duplicates(resolver, directory):
    directory.names["x.test"] = ["2606:4700::2", "93.184.216.35", "2606:4700::1", "93.184.216.34", "93.184.216.35"]
    addresses = await resolver.resolve("x.test")
    assert [str(address) for address in addresses] == ["93.184.216.35", "93.184.216.34", "2606:4700::2", "2606:4700::1"]


async def test_nothing_is_cached(resolver, directory):
    await resolver.resolve("a.merchant.test")
    await resolver.resolve("a.merchant.test")
    assert directory.lookups == ["a.merchant.test"] * 2


@pytest.mark.parametrize("answer", [[], ["not an address"], ["93.184.216.34", ""]])
async def test_an_empty_or_invalid_answer_fails(answer, resolver, directory):
    directory.names["x.test"] = answer
    with pytest.raises(NameNotResolved, match=r"x\.test"):
        await resolver.resolve("x.test")


@pytest.mark.parametrize(
    "error", [OSError(-2, "Name or service not known"), UnicodeError("label too long"), TimeoutError()]
)
async def test_a_failed_lookup_raises_name_not_resolved(error):
    def lookup(host):
        raise error

    resolver = Resolver(lookup)
    with pytest.raises(NameNotResolved):
        await resolver.resolve("x.test")
    resolver.close()


async def test_hanging_lookups_time_out_and_delay_no_other():
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
    # Checked by order, not by time: all fifty still wait.
    assert not any(hole.done() for hole in holes)
    failures = await asyncio.gather(*holes, return_exceptions=True)
    assert {type(failure) for failure in failures} == {NameNotResolved}
    assert time.perf_counter() - started < 30  # The lookups take 60 s.
    released.set()
    resolver.close()


async def test_concurrent_lookups_of_a_hanging_name_share_one_thread():
    released, lookups = threading.Event(), []

    def lookup(host):
        lookups.append(host)
        if host == "hole.test":
            released.wait(60)
        return ["93.184.216.34"]

    resolver = Resolver(lookup, threads=2, seconds=1)
    callers = [asyncio.create_task(resolver.resolve("hole.test")) for _ in range(10)]
    await asyncio.sleep(0)
    assert await resolver.resolve("good.test")
    assert {type(failure) for failure in await asyncio.gather(*callers, return_exceptions=True)} == {NameNotResolved}
    later = asyncio.create_task(resolver.resolve("hole.test"))  # Joins the running lookup, which had no caller left.
    await asyncio.sleep(0)
    released.set()
    assert await later == (ip_address("93.184.216.34"),)
    assert sorted(lookups) == ["good.test", "hole.test"]  # Two threads, in either order.
    await resolver.resolve("hole.test")
    assert lookups[2:] == ["hole.test"]
    resolver.close()


async def test_many_hanging_names_delay_no_other_lookup():
    """Abandoned lookups keep their threads, and further lookups still find one."""
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
        resolver._seconds = 30  # Less than the holes take.
        assert await resolver.resolve("good.test")
    released.set()
    resolver.close()


async def test_names_that_hung_use_a_limited_share_of_the_threads():
    released, lookups = threading.Event(), []

    def lookup(host):
        lookups.append(host)
        if host.startswith("hole"):
            released.wait(60)
        return ["93.184.216.34"]

    async def look_up_holes():
        holes = [resolver.resolve(f"hole{n}.test") for n in range(5)]
        assert {type(error) for error in await asyncio.gather(*holes, return_exceptions=True)} == {NameNotResolved}

    async def wait_until_idle():
        async with asyncio.timeout(60):
            while resolver._running:  # noqa: ASYNC110  # There is no event to wait for.
                await asyncio.sleep(0.01)

    resolver = Resolver(lookup, threads=6, max_hung_lookups=2, seconds=0.2)
    await look_up_holes()
    released.set()
    await wait_until_idle()
    released.clear()
    lookups.clear()
    await look_up_holes()
    resolver._seconds = 30
    assert await resolver.resolve("good.test")
    released.set()
    await wait_until_idle()
    assert sorted(lookups) == ["good.test", "hole0.test", "hole1.test"]  # The other three weren't looked up.
    for n in range(5):  # A successful lookup clears the name's record.
        assert await resolver.resolve(f"hole{n}.test")
    assert resolver._hung == {}
    resolver.close()


def test_a_hanging_lookup_does_not_prevent_the_process_from_ending():
    program = """
import asyncio, time
from gateway.integrations.egress.resolver import NameNotResolved, Resolver

async def look_up():
    try:
        await resolver.resolve("hole.test")
    except NameNotResolved:
        resolver.close()
        print("timed out")

resolver = Resolver(lambda host: time.sleep(600), seconds=0.05)
asyncio.run(look_up())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.split("\n")[0] == "timed out"


async def test_a_lookup_can_be_cancelled():
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


def test_the_system_lookup_parses_numbers_as_libc_does():
    # libc reads 127.1 as loopback, so the guard checks addresses after the lookup.
    assert system_lookup("127.1") == ["127.0.0.1"]
    with pytest.raises(UnicodeError):
        system_lookup("ação.test")


def test_the_directory_fails_like_the_system_lookup():
    with pytest.raises(OSError, match="not known"):
        Directory()("unknown.test")

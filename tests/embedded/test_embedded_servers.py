"""The guarantees of both embedded servers, tested with real processes."""

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from gateway.dev.embedded import EmbeddedError
from gateway.dev.embedded.data_dir_lock import DataDirLock
from gateway.dev.embedded.orphan_processes import lsof_processes_in, processes_in, stop_orphans


def argv_mentions(text: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            found += [words] if text in words else []
    return found


async def test_data_survives_a_restart_and_a_stop_leaves_no_process(kind, data_dir):
    with kind.make(data_dir) as url:
        await kind.note(url, "first")
        assert kind.processes(data_dir)
    assert kind.processes(data_dir) == []
    assert argv_mentions(str(data_dir)) == []
    with kind.make(data_dir) as url:
        assert await kind.notes(url) == ["first"]


async def test_a_killed_server_starts_again_with_its_data(kind, warm_dir, word, eventually):
    ended = threading.Event()
    server = kind.make(warm_dir)
    server._on_exit = ended.set
    await kind.note(server.start(), word)
    os.kill(server.pid, signal.SIGKILL)
    assert ended.wait(60)
    try:
        assert word in await kind.notes(server.start())
    finally:
        server.stop()


async def test_a_server_dies_with_its_killed_owner_and_starts_again(kind, warm_dir, word, hold, eventually):
    holder = hold(kind, warm_dir).wait_ready()
    await kind.note(holder.url, word)
    holder.kill()
    with kind.make(warm_dir) as url:  # The start waits for the old server's shutdown.
        assert word in await kind.notes(url)
    assert kind.processes(warm_dir) == []


async def test_no_server_outlives_its_killed_owner(kind, warm_dir, hold, eventually):
    holder = hold(kind, warm_dir).wait_ready()
    holder.kill()
    assert eventually(lambda: kind.processes(warm_dir) == [])


async def test_it_starts_again_after_all_processes_were_killed(kind, warm_dir, word, hold):
    holder = hold(kind, warm_dir).wait_ready()
    await kind.note(holder.url, word)
    for pid in (*kind.processes(warm_dir), holder.process.pid):
        with suppress(ProcessLookupError):  # PostgreSQL's children exit after their parent.
            os.kill(pid, signal.SIGKILL)
    holder.process.wait()
    with kind.make(warm_dir) as url:
        assert word in await kind.notes(url)


async def test_a_hanging_orphan_is_killed(kind, warm_dir, word, hold):
    holder = hold(kind, warm_dir).wait_ready()
    await kind.note(holder.url, word)
    os.kill(holder.server_pid, signal.SIGSTOP)
    holder.kill()
    server = kind.make(warm_dir)
    stop_orphans(server.home, server.programs, server.death_signal, seconds=0.1)
    assert kind.processes(warm_dir) == []
    with server as url:
        assert word in await kind.notes(url)


async def test_a_second_process_joins_without_stopping_the_server(kind, warm_dir, hold):
    holder = hold(kind, warm_dir).wait_ready()
    server = kind.make(warm_dir)
    assert server.start() == holder.url
    assert server.pid is None
    server.stop()
    await kind.note(holder.url, "alive")


def test_concurrent_starts_run_one_server(kind, data_dir, hold):
    racers = [hold(kind, data_dir) for _ in range(3)]
    urls = {racer.wait_ready().url for racer in racers}
    assert len(urls) == 1
    assert len([racer for racer in racers if racer.server_pid]) == 1
    owners_first = sorted(racers, key=lambda racer: racer.server_pid is None, reverse=True)
    for racer in owners_first:
        racer.release()


def test_a_supervisor_that_must_own_the_server_does_not_join(kind, warm_dir, hold):
    holder = hold(kind, warm_dir).wait_ready()
    with pytest.raises(EmbeddedError, match=f"held by process {holder.process.pid}"):
        kind.make(warm_dir).start(join=False, lock_seconds=0.1)
    holder.release()
    server = kind.make(warm_dir)
    server.start(join=False)
    assert server.pid
    server.stop()


@pytest.mark.parametrize("name", ["d" * 120, "a b,c'ç?"], ids=["long", "odd"])
async def test_long_and_odd_paths_work(kind, data_dir, name, hold):
    deep = data_dir / name
    with kind.make(deep) as url:
        await kind.note(url, "here")
        joined = kind.make(deep)
        assert joined.start() == url
        joined.stop()
    with kind.make(deep) as url:
        assert await kind.notes(url) == ["here"]


async def test_a_server_outlives_the_thread_that_started_it(kind, warm_dir):
    server = kind.make(warm_dir)
    started: list[str] = []
    thread = threading.Thread(target=lambda: started.append(server.start()))
    thread.start()
    thread.join()
    await kind.note(started[0], "alive")
    assert server.pid
    server.stop()


@pytest.mark.parametrize("twice", [False, True])
def test_stop_is_safe_at_any_time(kind, warm_dir, twice):
    server = kind.make(warm_dir)
    server.stop()
    if twice:
        server.start()
        server.stop()
        server.stop()


def test_a_data_dir_that_is_a_file_is_reported_in_one_line(kind, tmp_path):
    (tmp_path / "data").write_text("")
    with pytest.raises(EmbeddedError, match=r"\Athe data dir .* can't be used: .*; choose another with --data-dir\Z"):
        kind.make(tmp_path / "data").start()


def test_the_log_is_bounded(kind, warm_dir):
    server = kind.make(warm_dir)
    with server:
        with server.log_path.open("ab") as log:
            log.truncate(5 * 1024 * 1024)
        server.bound_log()
        assert server.log_path.stat().st_size == 0
        assert server.log_path.with_suffix(".log.1").stat().st_size == 5 * 1024 * 1024


def test_lsof_and_proc_agree(kind, warm_dir):
    server = kind.make(warm_dir)
    with server:
        server.answers(server.start())
        assert server.pid in processes_in(server.home, server.programs)
        assert server.pid in lsof_processes_in(server.home, server.programs)


def test_the_owner_waits_for_joined_processes(tmp_path):
    owner, user = DataDirLock(tmp_path, "thing"), DataDirLock(tmp_path, "thing")
    assert owner.take(lambda _: True, join=True, seconds=0) is None
    owner.publish("url")
    assert user.take(lambda _: True, join=True, seconds=0) == "url"
    leaving = threading.Thread(target=owner.withdraw, args=(60,))
    leaving.start()
    leaving.join(0.1)
    assert leaving.is_alive()
    user.release()
    leaving.join(60)
    assert not leaving.is_alive()
    owner.release()

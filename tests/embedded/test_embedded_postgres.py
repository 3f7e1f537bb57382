"""Embedded PostgreSQL: stale pid files, root, versions, a missing wheel."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from server_kinds import POSTGRES, REPOSITORY
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from gateway.dev.embedded import EmbeddedError, EmbeddedPostgres
from gateway.dev.embedded.paths import private_dir
from gateway.dev.embedded.postgres import _link_or_copy

ROOT = os.geteuid() == 0


async def setting(url: str, name: str) -> str:
    connection = await asyncpg.connect(url)
    value = await connection.fetchval("SELECT current_setting($1)", name)
    await connection.close()
    return value


async def test_it_is_durable_by_default_and_listens_on_no_port(warm_dir):
    with EmbeddedPostgres(warm_dir, max_connections=17) as url:
        assert [await setting(url, name) for name in ("fsync", "listen_addresses", "max_connections")] == [
            "on",
            "",
            "17",
        ]
    with EmbeddedPostgres(warm_dir, durable=False) as url:
        assert await setting(url, "fsync") == "off"


async def test_sqlalchemy_accepts_the_url_with_a_driver_suffix(warm_dir):
    with EmbeddedPostgres(warm_dir, durable=False) as url:
        engine = create_async_engine(url.replace("postgresql:", "postgresql+asyncpg:"))
        async with engine.connect() as connection:
            assert (await connection.execute(text("SELECT lower('ÇÃO'), 'b' < 'B'"))).one() == ("ção", False)
        await engine.dispose()


@pytest.fixture
def unrelated_process() -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that is no server, as the server's user."""
    process = subprocess.Popen(["sleep", "600"], user="nobody" if ROOT else None)
    yield process
    process.kill()
    process.wait()


def uid_of(pid: int) -> int:
    return Path(f"/proc/{pid}").stat().st_uid


async def test_stale_pid_files_that_name_an_unrelated_process_are_ignored(warm_dir, word, unrelated_process):
    server = POSTGRES.make(warm_dir)
    with server as url:
        await POSTGRES.note(url, word)
    pid_file = f"{unrelated_process.pid}\n{server.home}\n1700000000\n5432\n{server.home}\n\n  1 1\nready\n"
    for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
        (server.home / name).write_text(pid_file)
        os.chown(server.home / name, server.home.stat().st_uid, -1)
    with server as url:
        assert word in await POSTGRES.notes(url)
    assert unrelated_process.poll() is None


@pytest.mark.skipif(not ROOT, reason="needs root")
async def test_root_runs_the_server_as_another_user_and_keeps_directories_private(data_dir):
    parent = data_dir.parent
    server = POSTGRES.make(data_dir)
    with server:
        assert uid_of(server.pid) == pwd.getpwnam("nobody").pw_uid
        assert [stat.S_IMODE(path.stat().st_mode) for path in (parent, data_dir, server.home)] == [0o700] * 3
        assert data_dir.stat().st_uid == 0


@pytest.mark.skipif(not ROOT, reason="needs root")
async def test_root_keeps_a_foreign_owner_of_data_and_changes_its_own(warm_dir, word):
    server = POSTGRES.make(warm_dir)
    with server as url:
        await POSTGRES.note(url, word)
    games = pwd.getpwnam("games").pw_uid
    for uid, expected in ((games, games), (0, pwd.getpwnam("nobody").pw_uid)):
        for path in (server.home, *server.home.rglob("*")):
            os.chown(path, uid, -1, follow_symlinks=False)
        with server as url:
            assert word in await POSTGRES.notes(url)
            assert server.home.stat().st_uid == expected


def test_programs_become_readable_by_all_users(tmp_path):
    source = tmp_path / "program"
    source.write_text("x")
    for mode in (0o755, 0o644, 0o700, 0o600):
        source.chmod(mode)
        target = tmp_path / f"placed-{mode:o}"
        _link_or_copy(str(source), str(target))
        assert target.stat().st_mode & 0o004
        assert bool(target.stat().st_mode & 0o001) >= bool(mode & 0o100)
        assert source.stat().st_mode & 0o777 == mode


def ordinary_user_prefix() -> list[str] | None:
    """Return a command prefix by which root runs this interpreter as an ordinary user, or None."""
    user = pwd.getpwnam("nobody")
    direct = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    mapped = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    words = (
        f"import sys, os; sys.path[:0] = [{str(REPOSITORY)!r}]; import gateway.dev.embedded, asyncpg, subprocess as s; "
    )
    probe = [sys.executable, "-c", words + "assert os.geteuid(); s.run([sys.executable, '-c', ''], check=True)"]
    for prefix in (direct, mapped):
        if (
            shutil.which(prefix[0])
            and subprocess.run([*prefix, *probe], capture_output=True, check=False).returncode == 0
        ):
            return prefix
    return None


@pytest.mark.skipif(not ROOT, reason="an ordinary user already runs the other tests")
def test_an_ordinary_user_can_run_each_server(data_dir, hold, kind):
    prefix = ordinary_user_prefix()
    if prefix is None:
        pytest.skip("neither setpriv nor unshare can run this interpreter as another user")
    data_dir.mkdir()
    if prefix[0] == "setpriv":
        data_dir.parent.chmod(0o755)
        shutil.chown(data_dir, "nobody")
    for _ in range(2):
        holder = hold(kind, data_dir, *prefix).wait_ready()
        assert holder.server_pid
        holder.release()
        assert kind.processes(data_dir) == []


def test_an_incomplete_cluster_is_created_again(data_dir):
    (data_dir / "postgres.new" / "base").mkdir(parents=True)
    with EmbeddedPostgres(data_dir, durable=False):
        assert not (data_dir / "postgres.new").exists()


@pytest.mark.parametrize(
    ("version", "words"), [("17\n", "was made by PostgreSQL 17"), ("", "holds no PostgreSQL data")]
)
def test_data_of_another_version_is_reported_in_one_line(data_dir, version, words):
    home = data_dir / "postgres"
    home.mkdir(parents=True)
    if version:
        (home / "PG_VERSION").write_text(version)
    with pytest.raises(EmbeddedError, match=words):
        EmbeddedPostgres(data_dir).start()


def test_a_failed_start_reports_the_server_s_last_lines(warm_dir):
    with EmbeddedPostgres(warm_dir, durable=False):
        pass
    path = warm_dir / "postgres" / "postgresql.conf"
    original = path.read_text()
    path.write_text("nonsense = on\n")
    try:
        with pytest.raises(EmbeddedError, match=r"ended at once: .*nonsense|ended at once: .*configuration"):
            EmbeddedPostgres(warm_dir).start()
    finally:
        path.write_text(original)
    assert POSTGRES.processes(warm_dir) == []


def test_a_temp_dir_of_another_user_is_refused(tmp_path):
    path = private_dir(tmp_path, Path("/somewhere"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    path.rmdir()
    path.symlink_to(tmp_path)
    with pytest.raises(EmbeddedError, match="belongs to another user"):
        private_dir(tmp_path, Path("/somewhere"))


@pytest.mark.parametrize(
    ("name", "setting"), [("EmbeddedPostgres", "GATEWAY_DATABASE_URL"), ("EmbeddedRedis", "GATEWAY_REDIS_URL")]
)
def test_a_missing_wheel_is_reported_in_one_line(data_dir, name, setting):
    script = (
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\n"
        "from gateway.dev import embedded\n"
        f"try: embedded.{name}({str(data_dir)!r}).start()\n"
        "except embedded.EmbeddedError as error: print(error)\n"
    )
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script],
        capture_output=True,
        text=True,
        env={"PATH": "/nowhere"},
        check=False,
    )
    assert result.stdout.count("\n") == 1, result.stderr
    assert "pip install 'pix-gateway[embedded]'" in result.stdout
    assert setting in result.stdout

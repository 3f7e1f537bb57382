"""Build and run the image of `deploy/Dockerfile`: `make image-test`, as root on Debian or a descendant.

No registry of images is needed: `mmdebstrap` makes the base image from the machine's own Debian mirror, and `buildah`
builds on it without a daemon (chroot isolation, vfs storage). Processes run with the image's user, environment and
entry point, in their own mount and process namespaces, with a read-only root, no capabilities and no new privileges.
PostgreSQL and Redis run outside, on TCP with passwords. All files are in one folder, which is removed at the end; the
two packages stay installed.

Not tested here: a container runtime's own seccomp profile, cgroups and networks, and compose.yaml. Processes share the
network of the machine.
"""

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import asyncpg

sys.path.insert(0, str(Path(__file__).parent))
from external_servers import Servers, free_port, run_external_servers

ROOT = Path(__file__).resolve().parents[1]
BASE, IMAGE = "localhost/gateway-base", "localhost/pix-gateway:test"
PACKAGES = "python3,python3-venv,python-is-python3,ca-certificates"
READY_SECONDS, STOP_SECONDS = 90, 40
CA_BUNDLE = Path("/etc/ssl/certs/ca-certificates.crt")
# $1 is the root, in which the rest runs. Only documents and /tmp are writable.
RUN = """
set -e
root=$1; documents=$2; shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/dev"
for device in null zero random urandom; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
mount --bind "$documents" "$root/documents"
mount -o remount,bind,ro "$root"
exec chroot "$root" /usr/bin/setpriv "$@"
"""


def say(line: str) -> None:
    print(f"image-test: {line}", flush=True)


def command(*args: str | Path, **options: Any) -> str:
    """Run a command; returns its output. A failure prints it and ends the test."""
    done = subprocess.run([str(arg) for arg in args], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise SystemExit(f"{shlex.join(map(str, args))}\n{done.stdout}{done.stderr}")
    return done.stdout


def install_tools() -> None:
    missing = [name for name in ("buildah", "mmdebstrap") if shutil.which(name) is None]
    if missing:
        say(f"installing {' and '.join(missing)}")
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        command("apt-get", "update", "-qq", env=environment)
        command("apt-get", "install", "-qq", "-y", "--no-install-recommends", *missing, env=environment)


class Builder:
    """buildah, with its storage in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self._words = ("buildah", "--root", folder / "store", "--runroot", folder / "run", "--storage-driver", "vfs")

    def __call__(self, *args: str | Path) -> str:
        return command(*self._words, *args, cwd=ROOT).strip()

    def build(self, folder: Path) -> None:
        say("making the base image")
        suite = re.findall(r'^VERSION_CODENAME="?(\w+)', Path("/etc/os-release").read_text(), re.MULTILINE)[0]
        command("mmdebstrap", "--variant=minbase", f"--include={PACKAGES}", suite, folder / "base.tar")
        base = self("from", "scratch")
        self("add", base, folder / "base.tar", "/")
        self("commit", "--rm", base, BASE)
        (folder / "base.tar").unlink()
        say("building deploy/Dockerfile")
        volumes = [arg for path in pip_files() for arg in ("--volume", f"{path}:{path}:ro")]
        files = ("--file", ROOT / "deploy/Dockerfile", "--ignorefile", ROOT / "deploy/Dockerfile.dockerignore")
        options = ("--isolation", "chroot", "--format", "docker", "--pull=never", "--build-arg", f"BASE={BASE}")
        self("build", *options, *volumes, *files, "--tag", IMAGE, ".")


def pip_files() -> set[Path]:
    """The files of pip's configuration on this machine, and the local folders that they name. The build mounts them
    read-only under the same paths; none of them stays in the image.
    """
    debug = command(sys.executable, "-m", "pip", "config", "debug")
    files = {Path(line.partition(", exists: True")[0].strip()) for line in debug.splitlines() if "exists: True" in line}
    values = command(sys.executable, "-m", "pip", "config", "list")
    named = {Path(found) for found in re.findall(r"(?<=['\s=])(/[^\s'\"]+)", values)}
    # An index in a folder refers to files next to it.
    named |= {Path(found).parent for found in re.findall(r"file://(/[^\s'\"]+)", values)}
    return {path for path in files | named | {CA_BUNDLE} if path.exists()}


class Container:
    """Runs processes as the image defines."""

    def __init__(self, root: Path, config: Mapping[str, Any], documents: Path, settings: Mapping[str, str]) -> None:
        self._root, self._config, self._documents = root, config, documents
        self.settings = dict(settings)

    def args(self, *args: str, entry: bool = True) -> list[str]:
        uid, _, gid = self._config["User"].partition(":")
        rights = (
            "--reuid",
            uid,
            "--regid",
            gid,
            "--clear-groups",
            "--no-new-privs",
            "--bounding-set=-all",
            "--inh-caps=-all",
        )
        variables = [*self._config["Env"], *(f"{name}={value}" for name, value in self.settings.items())]
        inside = ("env", "-i", "-C", self._config["WorkingDir"], *variables)
        run = [*rights, *inside, *(self._config["Entrypoint"] if entry else ()), *args]
        spaces = ("unshare", "--mount", "--pid", "--fork", "--kill-child=SIGTERM", "--propagation", "private")
        return [*spaces, "sh", "-c", RUN, "sh", str(self._root), str(self._documents), *run]

    def run(self, *args: str, entry: bool = True) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(self.args(*args, entry=entry), capture_output=True, text=True, check=False)

    @contextmanager
    def running(self, log: Path, *args: str) -> Iterator["subprocess.Popen[bytes]"]:
        with log.open("wb") as output:
            process = subprocess.Popen(self.args(*args), stdout=output, stderr=output)
        try:
            yield process
            end(process)
            check(f"{args[0]} ends at SIGTERM", process.returncode == 0, log.read_text())
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def end(process: "subprocess.Popen[bytes]") -> None:
    """Send SIGTERM to the process itself, like a runtime, and not to `unshare`, which waits for it."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGTERM)
    process.wait(STOP_SECONDS)


def check(claim: str, passed: bool, details: object = "") -> None:
    if not passed:
        raise SystemExit(f"image-test: FAILED: {claim}\n{details}")
    say(f"ok: {claim}")


async def run_sql(url: str, sql: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in re.sub(r"^--.*\n", "", sql, flags=re.MULTILINE).split(";\n"):
            if statement.strip():
                await connection.execute(statement)
    finally:
        await connection.close()


def call_api(url: str, body: Mapping[str, Any] | None = None, token: str = "") -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    try:
        with urlopen(Request(url, data, headers), timeout=30) as response:  # noqa: S310  # The API of this test.
            return json.load(response)["data"]
    except HTTPError as error:
        raise SystemExit(f"image-test: FAILED: {url}: {error.read().decode()}") from None


def await_file(path: Path, text: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + READY_SECONDS
    while text not in path.read_text():
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"image-test: FAILED: no {text!r} in its log\n{path.read_text()}")
        time.sleep(0.2)


@contextmanager
def receiver() -> Iterator[tuple[str, list[str]]]:
    """A merchant's server, and the events that it received."""
    events: list[str] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            events.append(self.headers["X-Service-Event"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = HTTPServer(("127.0.0.1", 0), Hook)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", events
    server.shutdown()


def test_rights(container: Container) -> None:
    status = container.run("cat", "/proc/self/status", entry=False).stdout
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    check("runs as 10001", fields["Uid"].split() == ["10001"] * 4 and fields["Gid"].split() == ["10001"] * 4, fields)
    bare = {fields[name].strip() for name in ("CapEff", "CapPrm", "CapBnd")} == {"0" * 16}
    check("without capabilities or new privileges", bare and fields["NoNewPrivs"].strip() == "1", fields)
    for folder in ("/opt/gateway", "/etc", "/"):
        output = container.run("touch", f"{folder}/x", entry=False).stderr
        check(f"can't write to {folder}", "Read-only file system" in output, output)
    for folder in ("/documents", "/tmp"):  # noqa: S108  # In the image.
        written = container.run("touch", f"{folder}/x", entry=False)
        check(f"can write to {folder}", written.returncode == 0, written.stderr)
    version = container.run("--version")
    check(f"says {version.stdout.strip()}", version.stdout.startswith("gateway "), version.stderr)


def test_setting_up(container: Container, servers: Servers) -> None:
    port = servers.postgres_port
    database = f"postgresql://gateway@127.0.0.1:{port}/gateway"
    args = ("--base-url", "https://pix.example.com", "--database-url", database, "--redis-url", servers.redis_url)
    init = container.run(
        "init", "--file", "-", "--documents-url", "file:///documents", "--engine-live", "simulator", *args
    )
    check("init prints an env file and the SQL", init.returncode == 0, init.stderr)
    lines = (line.partition("=") for line in init.stdout.splitlines() if line and not line.startswith("#"))
    container.settings |= {name: value for name, _, value in lines}
    asyncio.run(run_sql(servers.superuser_url, init.stderr))
    not_migrated = container.run("serve", "--port", "1")
    check(
        "serve before migrate is one line",
        not_migrated.returncode == 2 and "run gateway migrate" in not_migrated.stderr,
        not_migrated.stderr,
    )
    migrated = container.run("migrate")
    check(migrated.stdout.strip(), migrated.returncode == 0, migrated.stderr)
    found = container.run("doctor")
    check("doctor finds no error", found.returncode == 0, found.stdout + found.stderr)


def test_a_payment(container: Container, config: Mapping[str, Any], folder: Path) -> None:
    port = free_port()
    container.settings |= {
        "GATEWAY_BASE_URL": f"http://127.0.0.1:{port}",
        "GATEWAY_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
    }
    url, api_log, worker_log = f"http://127.0.0.1:{port}", folder / "api.log", folder / "worker.log"
    replaced = {"0.0.0.0": "127.0.0.1", "8000": str(port)}  # noqa: S104  # Replaced in the image's command.
    serve = [replaced.get(arg, arg) for arg in config["Cmd"]]
    health = [arg.replace("8000", str(port)) for arg in config["Healthcheck"]["Test"][1:]]
    with (
        receiver() as (hook, events),
        container.running(api_log, *serve) as api,
        container.running(worker_log, "worker") as worker,
    ):
        await_file(api_log, "api_started", api)
        await_file(worker_log, "worker_started", worker)
        check("its health check passes", container.run(*health, entry=False).returncode == 0)
        account = {
            "name": "Ana",
            "email": "ana@example.com",
            "password": "uma senha bem comprida",
            "cnpj": "11.222.333/0001-81",
        }
        token = call_api(f"{url}/auth/register", account)["accessToken"]
        key = call_api(f"{url}/api-keys", {"name": "loja", "environment": "test"}, token)["key"]
        call_api(f"{url}/webhook-endpoints", {"name": "loja", "url": hook}, token)
        payer = {"customer_name": "João", "customer_email": "joao@example.com", "customer_cpf": "529.982.247-25"}
        charge = call_api(f"{url}/pix", {"amount": 49.9, "description": "Pedido"} | payer, key)
        check("a charge is issued", charge["status"] == "pending", charge)
        paid = call_api(f"{url}/pix/simulate-payment", {"id": charge["id"]}, key)
        check("and paid", paid["status"] == "paid", paid)
        deadline = time.monotonic() + READY_SECONDS
        while "charge.paid" not in events and time.monotonic() < deadline:
            time.sleep(0.1)
        check("its webhook is delivered", "charge.paid" in events, worker_log.read_text())
    lines = [json.loads(line) for path in (api_log, worker_log) for line in path.read_text().splitlines()]
    check("logs are JSON lines", bool(lines))


def main() -> None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise SystemExit(
            "image-test: needs root on Debian or a descendant; without it, build with docker and read docs/deployment.md"
        )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # So that it cleans up.
    install_tools()
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="gateway-image-"))
    folder.chmod(0o755)
    buildah = Builder(folder)
    try:
        buildah.build(folder)
        config = json.loads(buildah("inspect", "--type", "image", IMAGE))["Docker"]["config"]
        root = Path(buildah("mount", buildah("from", "--pull=never", IMAGE)))
        documents = folder / "documents"
        documents.mkdir(mode=0o700)
        shutil.chown(documents, 10001, 10001)
        container = Container(root, config, documents, {})
        test_rights(container)
        with run_external_servers(folder / "servers") as servers:
            test_setting_up(container, servers)
            test_a_payment(container, config, folder)
    finally:
        buildah("umount", "--all")
        shutil.rmtree(folder, ignore_errors=True)
    say(f"all tests passed in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()

"""The proxies of docs/connect-your-bank.md demand the bank's certificate for callbacks alone, and log no token."""

import asyncio
import re
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from tests.docs.pages import ROOT, Page
from tests.engines.certificates import Authority
from tests.ports import free_port

GUIDE = Page(ROOT / "docs/connect-your-bank.md")
NAME, TOKEN = "pix.example.com", "0123456789abcdef0123456789abcdef"
CALLBACK = f"/engine/notifications/bcb/{TOKEN}/pix"


class _Gateway(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        answer = f"{self.path} {self.headers['host']} {self.headers['x-forwarded-for']} {body.decode()}".encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def gateway() -> Iterator[int]:
    """Yield the port of an API that answers with what it received."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Gateway)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def nginx(folder: Path, port: int, upstream: int) -> list[str]:
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/bin") or pytest.skip("no nginx here")
    (site,) = GUIDE.blocks("nginx")
    for old, new in {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "127.0.0.1:8000": f"127.0.0.1:{upstream}",
        "/etc/letsencrypt/live/pix.example.com/fullchain.pem": f"{folder}/server.pem",
        "/etc/letsencrypt/live/pix.example.com/privkey.pem": f"{folder}/server.pem",
        "/etc/nginx/banco-avisos-ca.pem": f"{folder}/ca.pem",
        "/var/log/nginx/error.log": f"{folder}/proxy.log",
        "/var/log/nginx/access.log": f"{folder}/access.log",
    }.items():
        assert old in site
        site = site.replace(old, new)
    places = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = f"daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/proxy.log; events {{}}"
    http = f"http {{ {places} {site} }}"
    (folder / "nginx.conf").write_text(f"{main}\n{http}\n")
    return [program, "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, port: int, upstream: int) -> list[str]:
    program = shutil.which("caddy") or pytest.skip("no caddy here")
    (site,) = GUIDE.blocks("caddyfile")
    for old, new in {
        f"\n{NAME} {{": f"\nhttps://{NAME}:{port} {{\n\tbind 127.0.0.1",
        "{\n\t# O endereço": "{\n\tadmin off\n\tauto_https disable_redirects\n\t# O endereço",
        "tls {": f"tls {folder}/server.pem {folder}/server.pem {{",
        "127.0.0.1:8000": f"127.0.0.1:{upstream}",
        "/etc/caddy/banco-avisos-ca.pem": f"{folder}/ca.pem",
        "lb_try_duration 10s": "lb_try_duration 1s",
    }.items():
        assert old in site, old
        site = site.replace(old, new)
    (folder / "Caddyfile").write_text(site)
    return [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


@contextmanager
def running(command: list[str], folder: Path, port: int) -> Iterator[None]:
    environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin"}
    with (folder / "proxy.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)
    try:
        _wait_until_it_listens(process, port, folder)
        yield
    finally:
        process.terminate()
        process.wait(20)


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int, folder: Path) -> None:
    async def connect() -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()

    deadline = time.monotonic() + 30
    while True:
        try:
            return asyncio.run(connect())
        except OSError:
            assert process.poll() is None, (folder / "proxy.log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)


def post(port: int, path: str, certificate: Path | None = None) -> httpx.Response:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # The proxy's certificate is not under test.
    if certificate is not None:
        context.load_cert_chain(certificate)
    with httpx.Client(verify=context, trust_env=False) as client:
        url, extensions = f"https://127.0.0.1:{port}{path}", {"sni_hostname": NAME}
        return client.post(url, headers={"host": NAME}, content=b"{}", extensions=extensions)


@pytest.mark.parametrize("proxy", [nginx, caddy], ids=lambda proxy: proxy.__name__)
def test_only_the_bank_reaches_the_callbacks(tmp_path: Path, proxy: object) -> None:
    assert callable(proxy)
    authority, foreign = Authority("Bank callbacks"), Authority("Another")
    authority.server(NAME).write(tmp_path / "server.pem")
    (tmp_path / "ca.pem").write_bytes(authority.root.pem)
    bank = authority.client().write(tmp_path / "bank.pem")
    stranger = foreign.client().write(tmp_path / "stranger.pem")
    port = free_port()
    with gateway() as upstream:
        command = proxy(tmp_path, port, upstream)
        with running(command, tmp_path, port):
            for path in (CALLBACK, CALLBACK.removesuffix("/pix")):
                answer = post(port, path, bank)
                assert (answer.status_code, answer.text) == (200, f"{path} {NAME} 127.0.0.1 {{}}")
                assert post(port, path).status_code == 403
            assert post(port, "/pix").status_code == 200, "other callers need no certificate"
            assert _is_refused(port, stranger)
    with running(command, tmp_path, port):
        assert post(port, CALLBACK, bank).status_code in {502, 503, 504}, "the gateway is down"
    logged = "".join(log.read_text() for log in tmp_path.glob("*.log"))
    assert TOKEN not in logged
    assert proxy is caddy or "POST /pix " in logged, "other requests are logged"
    if proxy is caddy:
        assert re.search(r'"uri":"/engine/notifications/bcb/\*\*\*/pix"', logged)


def _is_refused(port: int, certificate: Path) -> bool:
    """Whether the proxy refuses the certificate, in the TLS handshake or with a 4xx."""
    try:
        return 400 <= post(port, CALLBACK, certificate).status_code < 500
    except httpx.TransportError:
        return True

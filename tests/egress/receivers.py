"""Merchants' servers on loopback, normal and hostile, and the CA that signs their certificates."""

import asyncio
import contextlib
import datetime as dt
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Receiver:
    """Records connections and raw requests, then runs its script on the socket."""

    def __init__(self, script: Script, *, reads_request: bool = True) -> None:
        self.script = script
        self.reads_request = reads_request
        self.requests: list[bytes] = []
        self.peers: list[tuple[str, int]] = []
        self.port = 0
        self.arrived = asyncio.Event()
        self.left = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        self.peers.append(writer.get_extra_info("peername"))
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                if self.reads_request:
                    self.requests.append(await _request(reader))
                self.arrived.set()
                await self.script(reader, writer)
        finally:
            self.left.set()
            writer.transport.abort()
            self._tasks.discard(task)

    async def stop(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    return head + await reader.readexactly(length)


@contextlib.asynccontextmanager
async def receiving(
    script: Script, *, tls: ssl.SSLContext | None = None, reads_request: bool = True, host: str = "127.0.0.1"
) -> AsyncIterator[Receiver]:
    receiver = Receiver(script, reads_request=reads_request)
    server = await asyncio.start_server(receiver, host, 0, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        await receiver.stop()
        await server.wait_closed()
        await asyncio.sleep(0.01)  # Aborted transports close in the next iterations of the loop.


def answers(data: bytes, *, hangs: bool = False) -> Script:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        if hangs:
            await reader.read()  # until the other side closes
        await asyncio.sleep(0.02)

    return script


def drips(prefix: bytes, drop: bytes) -> Script:
    """Send `prefix`, then `drop` every ten milliseconds without end."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(prefix)
        while True:
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(0.01)

    return script


class Flood:
    """Send `prefix`, then `wave` as fast as the client reads; `sent` counts bytes."""

    def __init__(self, prefix: bytes, wave: bytes) -> None:
        self.prefix, self.wave, self.sent = prefix, wave, 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:  # noqa: ARG002 -- implements Script.
        writer.write(self.prefix)
        while True:
            writer.write(self.wave)
            await writer.drain()
            self.sent += len(self.wave)


class Authority:
    """A CA that issues one-hour certificates for names and IP addresses."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        self.certificate = self._sign(self._name, self._key, x509.BasicConstraints(ca=True, path_length=0))

    def client_context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cadata=self.certificate.public_bytes(Encoding.PEM).decode())

    def server_context(self, directory, *names: str, expired: bool = False) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "merchant")])
        certificate = self._sign(subject, key, x509.SubjectAlternativeName([_name(name) for name in names]), expired)
        chain = directory / f"{certificate.serial_number}.pem"
        chain.write_bytes(
            certificate.public_bytes(Encoding.PEM)
            + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context

    def _sign(self, subject, key, extension, expired=False) -> x509.Certificate:
        now = dt.datetime.now(dt.UTC)
        end = now - dt.timedelta(minutes=1) if expired else now + dt.timedelta(hours=1)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(end)
            .add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
            .sign(self._key, hashes.SHA256())
        )


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(text))
    except ValueError:
        return x509.DNSName(text)

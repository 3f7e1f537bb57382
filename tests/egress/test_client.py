"""Deliveries: the bytes of the request, the dialled address, and the outcome."""

import asyncio
import concurrent.futures
import logging
import socket
import ssl
import threading

import httpcore
import pytest
import uvloop

from gateway.integrations.egress.client import EgressClient
from gateway.integrations.egress.connection import PinnedBackend
from gateway.integrations.egress.resolver import Resolver
from gateway.integrations.egress.response import DeliveryResponse, failure_code, status_error
from tests.ports import free_port

from .conftest import Directory, section
from .receivers import OK, answers, receiving

BODY = '{"data":{"name":"José 🎉"}}'.encode()
HEADERS = {"Content-Type": "application/json", "X-Service-Event": "charge.paid"}


async def test_the_request_arrives_byte_for_byte(client):
    async with receiving(answers(OK)) as receiver:
        answer = await client.post(f"http://a.merchant.test:{receiver.port}/hook?x=%20y", BODY, HEADERS)
    assert answer == DeliveryResponse(200, None, None, b"ok", "127.0.0.1", answer.duration_ms, {"content-length": "2"})
    assert answer.delivered
    head, body = receiver.requests[0].split(b"\r\n\r\n", 1)
    assert body == BODY
    assert head.decode().split("\r\n") == [
        "POST /hook?x=%20y HTTP/1.1",
        f"Host: a.merchant.test:{receiver.port}",
        "Content-Type: application/json",
        "X-Service-Event: charge.paid",
        f"Content-Length: {len(BODY)}",
        "Accept-Encoding: identity",
        "Connection: close",
    ]


async def test_the_headers_of_the_response_are_returned_up_to_a_limit(client):
    cookies = b"Set-Cookie: a=1\r\nSET-COOKIE: b=\xe9\r\n"
    large = b"".join(b"X-%d: %s\r\n" % (n, b"x" * 1000) for n in range(9))
    async with receiving(answers(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + cookies + large + b"\r\n")) as receiver:
        answer = await client.post(f"http://127.0.0.1:{receiver.port}/", BODY, {})
    assert answer.headers["set-cookie"] == "a=1, b=é"
    assert list(answer.headers) == ["content-length", "set-cookie", "x-0", "x-1", "x-2", "x-3"]


async def test_a_large_body_arrives_complete(client):
    async with receiving(answers(OK)) as receiver:
        body = b"x" * 64 * 1024
        assert (await client.post(f"http://a.merchant.test:{receiver.port}", body, {})).delivered
    assert receiver.requests[0].endswith(b"\r\n\r\n" + body)


async def test_each_delivery_has_a_connection_of_its_own(client):
    keep_alive = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"
    async with receiving(answers(keep_alive, hangs=True)) as receiver:
        for _ in range(3):
            assert (await client.post(f"http://127.0.0.1:{receiver.port}/", BODY, {})).delivered
    assert len(set(receiver.peers)) == 3


@pytest.mark.parametrize(
    ("status", "code"),
    [(200, None), (201, None), (204, None), (299, None), (304, "redirect"), (400, "http_status"), (404, "http_status"),
     (410, "http_status"), (429, "http_status"), (500, "http_status"), (503, "http_status")],
)  # fmt: skip
async def test_the_status_decides_the_outcome(status, code, client):
    async with receiving(answers(b"HTTP/1.1 %d Reason\r\nContent-Length: 0\r\n\r\n" % status)) as receiver:
        answer = await client.post(f"http://127.0.0.1:{receiver.port}/", BODY, {})
    assert (answer.status, answer.error_code, answer.delivered) == (status, code, code is None)


def test_statuses_outside_the_registry_are_failures_too():
    assert [status_error(status) for status in (101, 199, 399, 600, 999)] == [
        "http_status", "http_status", "redirect", "http_status", "http_status",
    ]  # fmt: skip


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status, client):
    async with receiving(answers(OK)) as second:
        location = b"http://127.0.0.1:%d/second" % second.port
        script = answers(b"HTTP/1.1 %d Moved\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % (status, location))
        async with receiving(script) as first:
            answer = await client.post(f"http://127.0.0.1:{first.port}/", BODY, {})
        await asyncio.sleep(0.05)
        assert (answer.status, answer.error_code) == (status, "redirect")
        assert len(first.peers) == 1
        assert second.peers == []


@pytest.mark.parametrize(
    ("header", "stored"),
    [(b"120", "120"), (b"Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 GMT"), (b"\xe9", "é"), (b"9" * 500, "9" * 128)],
)  # fmt: skip
async def test_retry_after_is_returned_as_sent(header, stored, client):
    script = answers(b"HTTP/1.1 503 Busy\r\nretry-AFTER: %b\r\nContent-Length: 0\r\n\r\n" % header)
    async with receiving(script) as receiver:
        assert (await client.post(f"http://127.0.0.1:{receiver.port}/", BODY, {})).retry_after == stored


class TestDial:
    async def test_the_socket_goes_to_the_checked_address(self, client, directory):
        directory.names["a.merchant.test"] = ["127.0.0.3"]
        async with receiving(answers(OK), host="127.0.0.3") as receiver:
            answer = await client.post(f"http://a.merchant.test:{receiver.port}/", BODY, {})
        assert (answer.status, answer.address) == (200, "127.0.0.3")

    async def test_the_next_address_is_tried_if_one_is_unreachable(self, client, directory):
        directory.names["a.merchant.test"] = ["127.0.0.4", "127.0.0.3"]
        async with receiving(answers(OK), host="127.0.0.3") as receiver:
            answer = await client.post(f"http://a.merchant.test:{receiver.port}/", BODY, {})
        assert (answer.status, answer.address) == (200, "127.0.0.3")

    async def test_three_addresses_are_tried_at_most(self, client, directory):
        directory.names["a.merchant.test"] = [f"127.0.0.{n}" for n in (4, 5, 6, 3)]
        async with receiving(answers(OK), host="127.0.0.3") as receiver:
            answer = await client.post(f"http://a.merchant.test:{receiver.port}/", BODY, {})
        assert (answer.error_code, answer.address) == ("connection_refused", "127.0.0.6")
        assert receiver.peers == []

    @pytest.mark.parametrize("entry", section("refuse_by_dns"), ids=lambda entry: entry["host"])
    async def test_nothing_is_sent_to_a_denied_address(self, entry, closed, certificates):
        async with receiving(answers(OK)) as receiver:
            resolver = Resolver(Directory({entry["host"]: entry["answers"]}))
            client = EgressClient(closed, resolver, ssl_context=certificates)
            answer = await client.post(f"http://{entry['host']}:{receiver.port}/", BODY, {})
            resolver.close()
        code = "blocked_address" if entry["answers"] else "dns_failure"
        assert (answer.status, answer.error_code, answer.address) == (None, code, None)
        assert receiver.peers == []

    @pytest.mark.parametrize("scheme", ["https", "http"])
    async def test_a_url_that_registration_refuses_is_never_dialled(self, scheme, closed):
        """A bad URL in the database is neither dialled nor looked up."""
        directory = Directory({})
        resolver = Resolver(directory)
        client = EgressClient(closed, resolver)
        urls = [entry["url"].replace("https://", f"{scheme}://", 1) for entry in section("refuse_registration")]
        outcomes = {url: await client.post(url, BODY, {}) for url in urls}
        resolver.close()
        assert {answer.error_code for answer in outcomes.values()} == {"invalid_url", "blocked_address"}
        assert {answer.address for answer in outcomes.values()} == {None}
        assert directory.lookups == []

    async def test_changing_dns_answers_never_reach_an_inner_network(self, opened):
        """Each connection checks its own DNS answer."""
        turns = iter([["127.0.0.1"], ["10.0.0.1"], ["127.0.0.1"], ["127.0.0.1", "::1"], ["169.254.169.254"]])
        resolver = Resolver(lambda _host: next(turns))
        client = EgressClient(opened, resolver)
        async with receiving(answers(OK)) as receiver:
            url = f"http://a.merchant.test:{receiver.port}/"
            codes = [(await client.post(url, BODY, {})).error_code for _ in range(5)]
        resolver.close()
        assert codes == [None, "blocked_address", None, "blocked_address", "blocked_address"]
        assert len(receiver.peers) == 2

    @pytest.mark.parametrize("location", ["http://169.254.169.254/latest", "http://[::1]/", "//10.0.0.1/", "/hook"])
    async def test_a_redirect_to_an_inner_network_or_to_itself_is_not_followed(self, client, location):
        moved = b"HTTP/1.1 307 Moved\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % location.encode()
        async with receiving(answers(moved)) as receiver:
            answer = await client.post(f"http://127.0.0.1:{receiver.port}/hook", BODY, {})
            await asyncio.sleep(0.05)
        assert (answer.error_code, answer.address) == ("redirect", "127.0.0.1")
        assert len(receiver.peers) == 1

    async def test_a_rebinding_name_is_refused_on_its_second_delivery(self, client, directory):
        async with receiving(answers(OK)) as receiver:
            url = f"http://a.merchant.test:{receiver.port}/"
            assert (await client.post(url, BODY, {})).delivered
            directory.names["a.merchant.test"] = ["169.254.169.254"]
            assert (await client.post(url, BODY, {})).error_code == "blocked_address"
        assert len(receiver.peers) == 1

    async def test_a_mixed_answer_is_refused_though_its_first_address_is_public(self, client, directory):
        directory.names["a.merchant.test"] = ["127.0.0.1", "10.0.0.1"]
        async with receiving(answers(OK)) as receiver:
            answer = await client.post(f"http://a.merchant.test:{receiver.port}/", BODY, {})
        assert (answer.error_code, receiver.peers) == ("blocked_address", [])

    @pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001"])
    async def test_a_numeric_host_in_the_database_is_not_dialled(self, host, opened):
        resolver = Resolver()
        answer = await EgressClient(opened, resolver).post(f"http://{host}:9/", BODY, {})
        resolver.close()
        assert (answer.error_code, answer.address) == ("invalid_url", None)

    async def test_an_unknown_name_is_a_dns_failure(self, client):
        answer = await client.post("https://unknown.test/", BODY, {})
        assert (answer.status, answer.error_code, answer.address) == (None, "dns_failure", None)

    async def test_a_refused_connection_has_its_code(self, client):
        answer = await client.post(f"http://127.0.0.1:{free_port()}/", BODY, {})
        assert (answer.status, answer.error_code, answer.address) == (None, "connection_refused", "127.0.0.1")

    async def test_an_unaccepted_connection_times_out(self, impatient):
        with socket.socket() as full:  # A full backlog drops further handshakes.
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            port = full.getsockname()[1]
            with socket.create_connection(("127.0.0.1", port)):
                answer = await impatient.post(f"http://127.0.0.1:{port}/", BODY, {}, deadline=60)
        assert (answer.error_code, answer.address) == ("timeout", "127.0.0.1")
        assert 250 < answer.duration_ms < 30_000

    async def test_unix_sockets_are_refused(self, closed, resolver):
        with pytest.raises(Exception, match=r"docker\.sock"):
            await PinnedBackend(closed, resolver).connect_unix_socket("/var/run/docker.sock")

    async def test_a_proxy_in_the_environment_is_ignored(self, client, monkeypatch):
        async with receiving(answers(OK)) as proxy, receiving(answers(OK)) as receiver:
            for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
            assert (await client.post(f"http://a.merchant.test:{receiver.port}/", BODY, {})).delivered
            assert (len(receiver.peers), proxy.peers) == (1, [])


class TestTime:
    async def test_cancellation_passes_through_and_closes_the_connection(self, client):
        async with receiving(answers(b"", hangs=True)) as receiver:
            task = asyncio.create_task(client.post(f"http://127.0.0.1:{receiver.port}/", BODY, {}))
            await receiver.arrived.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            async with asyncio.timeout(60):
                await receiver.left.wait()

    async def test_the_caller_s_own_timeout_raises_in_the_caller(self, client):
        async with receiving(answers(b"", hangs=True)) as receiver:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await client.post(f"http://127.0.0.1:{receiver.port}/", BODY, {})

    async def test_the_lookup_counts_towards_the_deadline(self, opened):
        timed_out = threading.Event()

        def slow(host):
            timed_out.wait(60)
            return ["127.0.0.1"]

        resolver = Resolver(slow, seconds=60)
        answer = await EgressClient(opened, resolver).post("http://slow.test/", BODY, {}, deadline=0.1)
        timed_out.set()
        resolver.close()
        assert answer.error_code == "timeout"
        assert 90 <= answer.duration_ms < 30_000

    async def test_concurrent_deliveries_do_not_wait_for_one_another(self, client):
        async with receiving(answers(b"", hangs=True)) as hanging, receiving(answers(OK)) as healthy:
            holes = [
                asyncio.create_task(client.post(f"http://127.0.0.1:{hanging.port}/", BODY, {}, deadline=60))
                for _ in range(64)
            ]
            assert (await client.post(f"http://127.0.0.1:{healthy.port}/", BODY, {})).delivered
            assert not any(hole.done() for hole in holes)
            for hole in holes:
                hole.cancel()
            await asyncio.gather(*holes, return_exceptions=True)


def exceptions_of(module) -> list[type[Exception]]:
    found = [getattr(module, name) for name in getattr(module, "__all__", dir(module))]
    return [kind for kind in found if isinstance(kind, type) and issubclass(kind, Exception)]


class TestErrors:
    @pytest.mark.parametrize(
        "kind", [*exceptions_of(httpcore), *exceptions_of(ssl), *exceptions_of(socket), *OSError.__subclasses__()]
    )
    def test_every_network_error_has_a_code(self, kind):
        if issubclass(kind, OSError) or kind.__module__ == "httpcore":
            assert failure_code(kind("x")) != "internal_error"

    def test_an_unexpected_error_has_a_code_and_is_logged(self, caplog):
        with caplog.at_level(logging.ERROR):
            assert failure_code(RuntimeError("odd")) == "internal_error"
        assert "odd" in caplog.text

    def test_the_httpcore_names_in_use_are_public(self):
        """Fails if a version of httpcore removes one of these names."""
        used = {"AsyncHTTPConnection", "AsyncNetworkBackend", "AsyncNetworkStream", "Request", "Response", "URL",
                "WriteError", "RemoteProtocolError", "default_ssl_context"}  # fmt: skip
        assert used <= set(httpcore.__all__)

    async def test_httpcore_connects_through_our_backend_only(self, closed, resolver):
        """httpcore calls `network_backend`, and the guard's exception reaches the caller unchanged."""
        backend = PinnedBackend(closed, resolver)
        origin = httpcore.URL("http://127.0.0.1:9/").origin
        connection = httpcore.AsyncHTTPConnection(origin, network_backend=backend)
        with pytest.raises(Exception, match=r"^127\.0\.0\.1$"):
            await connection.handle_async_request(httpcore.Request("POST", "http://127.0.0.1:9/"))


def test_outcomes_are_the_same_under_uvloop(opened):
    """Production runs uvloop, whose transports differ in edge cases."""

    async def deliveries() -> list[str | None]:
        resolver = Resolver(Directory())
        client = EgressClient(opened, resolver, connect_seconds=60, body_seconds=60)
        codes = []
        endless = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 300_000
        for data, hangs in ((OK, False), (b"", True), (b"", False), (b"garbage\r\n\r\n", False), (endless, True)):
            async with receiving(answers(data, hangs=hangs)) as receiver:
                url = f"http://a.merchant.test:{receiver.port}/"
                deadline = 60 if data or not hangs else 0.3
                codes.append((await client.post(url, BODY * 2000, {}, deadline=deadline)).error_code)
        codes.append((await client.post(f"http://127.0.0.1:{free_port()}/", BODY, {})).error_code)
        resolver.close()
        return codes

    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        codes = thread.submit(uvloop.run, deliveries()).result(100)
    assert codes == [None, "timeout", "connection_failed", "protocol_error", None, "connection_refused"]

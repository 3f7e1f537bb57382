"""Hostile servers: each delivery ends soon, with a bounded cost."""

import asyncio
import gc
import gzip
import random
import time

import pytest

from gateway.integrations.egress.client import BODY_BYTES, EXCERPT_BYTES
from gateway.integrations.egress.dial import ANSWER_BYTES

from .receivers import OK, Flood, answers, drips, receiving

DEADLINE = 0.4
LONG_DEADLINE = 60
"""No test reaches this deadline."""
MAX_MS = 30_000
"""Milliseconds: above the deadline under test, below the long ones, with time for a busy machine."""
OPEN_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"  # the body ends with the connection
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


async def deliver(client, script, *, deadline=LONG_DEADLINE, **options):
    async with receiving(script, **options) as receiver:
        return await client.post(f"http://127.0.0.1:{receiver.port}/", b"{}", {}, deadline=deadline)


@pytest.mark.parametrize(
    "script",
    [
        answers(b"", hangs=True),
        answers(b"HTTP/1.1 200", hangs=True),
        answers(b"HTTP/1.1 200 OK\r\nX: y\r\n", hangs=True),
        answers(b"HTTP/1.1 100 Continue\r\n\r\n", hangs=True),
        drips(b"HTTP/1.1 200 OK\r\nX: ", b"y"),
        drips(b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
    ],
    ids=["silent", "half a line", "half a head", "100 and silent", "dripped head", "dripped 1xx"],
)
async def test_without_a_status_the_delivery_times_out(script, client):
    answer = await deliver(client, script, deadline=DEADLINE)
    assert (answer.status, answer.error_code, answer.address) == (None, "timeout", "127.0.0.1")
    assert DEADLINE * 950 <= answer.duration_ms < MAX_MS


@pytest.mark.parametrize(
    "script",
    [
        drips(OPEN_HEAD, b"y"),
        drips(CHUNKED, b"1\r\ny\r\n"),
        answers(OPEN_HEAD, hangs=True),
        answers(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", hangs=True),
    ],
    ids=["dripped body", "dripped chunks", "no end", "half a body"],
)
async def test_a_slow_body_neither_fails_a_success_nor_occupies_the_slot(script, impatient):
    answer = await deliver(impatient, script)
    assert (answer.status, answer.error_code) == (200, None)
    assert answer.duration_ms < MAX_MS


async def test_at_most_16_kib_of_the_body_are_read(client):
    answer = await deliver(client, answers(OPEN_HEAD + b"x" * BODY_BYTES, hangs=True))
    assert (answer.delivered, answer.excerpt) == (True, b"x" * EXCERPT_BYTES)
    assert answer.duration_ms < MAX_MS


async def test_the_body_gets_no_time_beyond_the_deadline(client):
    answer = await deliver(client, drips(OPEN_HEAD, b"y"), deadline=2 * DEADLINE)
    assert (answer.status, answer.delivered) == (200, True)
    assert 2 * DEADLINE * 950 <= answer.duration_ms < MAX_MS


@pytest.mark.parametrize(
    "flood",
    [Flood(OPEN_HEAD, b"x" * 65536), Flood(CHUNKED, b"1\r\nx\r\n" * 10000), Flood(CHUNKED, b"ffff\r\n" + b"x" * 65535 + b"\r\n"),
     Flood(CHUNKED, b"1;" + b"x" * 65536)],
    ids=["endless", "tiny chunks", "large chunks", "chunk extension"],
)  # fmt: skip
async def test_an_endless_body_is_cut_off_early(flood, client):
    answer = await deliver(client, flood)
    assert (answer.status, answer.error_code) == (200, None)
    assert len(answer.excerpt) in {0, EXCERPT_BYTES}
    assert set(answer.excerpt) <= {ord("x")}
    assert answer.duration_ms < MAX_MS
    assert flood.sent < 16_000_000  # what loopback's socket buffers take


@pytest.mark.parametrize(
    "flood",
    [Flood(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000), Flood(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 65536),
     Flood(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 10000), Flood(b"", b"\r\n" * 30000), Flood(b"", b"\x00" * 65536)],
    ids=["1xx", "long header", "many headers", "blank lines", "NUL"],
)  # fmt: skip
async def test_an_endless_head_is_a_protocol_error(flood, client):
    answer = await deliver(client, flood)
    assert (answer.status, answer.error_code) == (None, "protocol_error")
    assert answer.duration_ms < MAX_MS


async def test_the_loop_stays_responsive_under_a_flood(client):
    gaps = []

    async def pulse():
        while True:
            # CPU time of the thread, so other processes don't count.
            before = time.thread_time()
            await asyncio.sleep(0)
            gaps.append(time.thread_time() - before)

    # A garbage collection doesn't count either.
    gc.collect()
    gc.disable()
    try:
        task = asyncio.create_task(pulse())
        await deliver(client, answers(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 5000, hangs=True))
        await deliver(client, answers(CHUNKED + b"1\r\nx\r\n" * 20000, hangs=True))
        task.cancel()
    finally:
        gc.enable()
    assert max(gaps) < 0.12


async def test_a_gzip_bomb_is_not_unpacked(client):
    bomb = gzip.compress(bytes(8_000_000))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    answer = await deliver(client, answers(head + bomb))
    assert (answer.status, answer.error_code) == (200, None)
    assert answer.excerpt == bomb[:EXCERPT_BYTES]


async def test_the_excerpt_has_the_raw_bytes(client):
    body = b"\x00\xff\xfe{\xc3" * 10
    answer = await deliver(client, answers(b"HTTP/1.1 500 Oops\r\nContent-Length: %d\r\n\r\n" % len(body) + body))
    assert (answer.status, answer.error_code, answer.excerpt) == (500, "http_status", body)


@pytest.mark.parametrize(
    "size", [EXCERPT_BYTES - 1, EXCERPT_BYTES, EXCERPT_BYTES + 1, BODY_BYTES, BODY_BYTES + 1, 60_000]
)
async def test_the_excerpt_is_the_start_of_the_body(size, client):
    body = random.Random(size).randbytes(size)
    answer = await deliver(client, answers(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + body))
    assert (answer.delivered, answer.excerpt) == (True, body[:EXCERPT_BYTES])


async def test_a_head_of_ordinary_size_passes(client):
    head = b"HTTP/1.1 200 OK\r\n" + b"Set-Cookie: %b\r\n" % (b"c" * 4000) * 6 + b"Content-Length: 2\r\n\r\nok"
    assert len(head) < ANSWER_BYTES
    assert (await deliver(client, answers(head))).excerpt == b"ok"


@pytest.mark.parametrize(
    ("script", "reads_request", "code"),
    [(answers(b""), True, "connection_failed"), (answers(b""), False, "connection_failed"),
     (answers(b"HTTP/1.1 200 OK\r\nX"), True, "protocol_error")],
    ids=["after the request", "at once", "inside the head"],
)  # fmt: skip
async def test_an_early_close(script, reads_request, code, client):
    answer = await deliver(client, script, reads_request=reads_request)
    assert (answer.status, answer.error_code) == (None, code)


async def test_a_close_inside_the_body_does_not_undo_a_success(client):
    answer = await deliver(client, answers(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"))
    assert (answer.status, answer.error_code, answer.excerpt) == (200, None, b"half")


async def test_a_response_before_the_request_was_read_counts(client):
    refusal = b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    async with receiving(answers(refusal), reads_request=False) as receiver:
        answer = await client.post(f"http://127.0.0.1:{receiver.port}/", b"x" * 65536, {}, deadline=LONG_DEADLINE)
    assert (answer.status, answer.error_code) == (413, "http_status")


async def test_unrequested_switching_protocols_is_a_protocol_error(client):
    answer = await deliver(client, answers(b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n\x00\x01", hangs=True))
    assert (answer.status, answer.error_code) == (None, "protocol_error")


GARBAGE = [
    b"garbage\r\n\r\n", b"\r\n\r\n", b"\x00\xff\r\n\r\n", b"220 smtp.merchant.com ESMTP\r\n", b"SSH-2.0-OpenSSH_9\r\n",
    b"HTTP/2 200\r\n\r\n", b"HTTP/1.1 abc OK\r\n\r\n", b"HTTP/1.1 99999 OK\r\n\r\n", b"HTTP/1.1 -200 OK\r\n\r\n", b"ICY 200 OK\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"HTTP/1.1 200 OK\r\n: empty\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"HTTP/1.1 200 OK\r\nX: \x00\r\n\r\n",
]  # fmt: skip


@pytest.mark.parametrize("data", GARBAGE)
async def test_garbage_is_a_protocol_error(data, client):
    answer = await deliver(client, answers(data))
    assert (answer.status, answer.error_code) == (None, "protocol_error")


async def test_random_corruption_has_a_known_error(client, caplog):
    dice = random.Random(7)
    seeds = [OK, CHUNKED + b"2\r\nok\r\n0\r\n\r\n", b"HTTP/1.1 503 Busy\r\nRetry-After: 9\r\n\r\n"]
    for _ in range(60):
        data = bytearray(dice.choice(seeds))
        for _ in range(dice.randint(1, 4)):
            data[dice.randrange(len(data))] = dice.choice(b"\x00\r\n :\xff0aZ")
        answer = await deliver(client, answers(bytes(data)))
        assert answer.error_code in {None, "protocol_error", "http_status", "redirect", "connection_failed"}
    # asyncio may log tasks of other tests.
    assert [record for record in caplog.records if record.name.startswith("gateway")] == []

"""`CappedStream` between the event loop and httpcore, without a network."""

import asyncio

import httpcore
import pytest

from gateway.integrations.egress.dial import ANSWER_BYTES, READ_BYTES, CappedStream


class Pipe(asyncio.Transport):
    """A transport that only records calls."""

    def __init__(self) -> None:
        super().__init__()
        self.paused = self.aborted = False
        self.written = b""

    def pause_reading(self) -> None:
        self.paused = True

    def abort(self) -> None:
        self.aborted = True

    def is_closing(self) -> bool:
        return self.aborted

    def write(self, data) -> None:
        self.written += bytes(data)


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


@pytest.fixture
def stream(pipe) -> CappedStream:
    stream = CappedStream()
    stream.connection_made(pipe)
    return stream


async def drain(stream: CappedStream) -> int:
    """Return the number of bytes that httpcore reads before the stream raises."""
    total = 0
    try:
        while True:
            total += len(await stream.read(65536))
    except httpcore.RemoteProtocolError:
        return total


@pytest.mark.parametrize(
    "sizes", [[ANSWER_BYTES], [ANSWER_BYTES * 9], [20_000, 20_000, 20_000], [1] * 3 + [ANSWER_BYTES, 5, 5]]
)
async def test_reading_stops_at_the_cap(sizes, stream, pipe):
    for size in sizes:
        stream.data_received(b"x" * size)
    assert pipe.paused
    assert await drain(stream) == ANSWER_BYTES


async def test_below_the_cap_reading_continues(stream, pipe):
    stream.data_received(b"x" * (ANSWER_BYTES - 1))
    assert not pipe.paused


async def test_a_read_is_small_and_yields_to_the_loop(stream):
    stream.data_received(b"x" * READ_BYTES * 2)
    callbacks = []
    asyncio.get_running_loop().call_soon(callbacks.append, "another")
    assert len(await stream.read(65536)) == READ_BYTES
    assert callbacks == ["another"]


async def test_an_abort_ends_a_read_and_refuses_a_write(stream, pipe):
    stream.data_received(b"x")
    stream.abort()
    assert pipe.aborted
    assert await stream.read(65536) == b""
    with pytest.raises(httpcore.WriteError):
        await stream.write(b"x")
    assert pipe.written == b""


async def test_the_error_of_the_connection_reaches_the_reader_after_the_bytes(stream):
    stream.data_received(b"x")
    stream.connection_lost(ConnectionResetError("reset"))
    assert await stream.read(65536) == b"x"
    with pytest.raises(ConnectionResetError, match="reset"):
        await stream.read(65536)

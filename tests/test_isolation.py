"""The suite itself: only loopback traffic."""

import asyncio
import socket

import pytest
from pytest_socket import SocketConnectBlockedError

ELSEWHERE = ("192.0.2.1", 80)
"""An address for documentation (RFC 5737), which no host has."""


async def by_asyncio() -> None:
    await asyncio.open_connection(*ELSEWHERE)


async def by_socket() -> None:
    socket.create_connection(ELSEWHERE)


@pytest.mark.parametrize("dial", [by_asyncio, by_socket])
async def test_other_addresses_are_blocked(dial) -> None:
    with pytest.warns(UserWarning, match="192.0.2.1"), pytest.raises(SocketConnectBlockedError):
        await dial()


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.9"])
async def test_loopback_is_allowed(address: str) -> None:
    with socket.create_server((address, 0)) as listening:
        _, writer = await asyncio.open_connection(*listening.getsockname())
        writer.close()
        await writer.wait_closed()

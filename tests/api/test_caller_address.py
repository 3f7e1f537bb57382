"""The client's address: `X-Forwarded-For` is trusted hop by hop, from trusted proxies only."""

from ipaddress import ip_network

import pytest

from gateway.http.middleware import client_ip

TRUSTED = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


def scope(peer: str | None, *lines: str) -> dict[str, object]:
    headers = [(b"x-forwarded-for", line.encode()) for line in lines]
    return {"type": "http", "client": (peer, 1) if peer else None, "headers": headers}


@pytest.mark.parametrize(
    ("peer", "lines", "address"),
    [
        ("203.0.113.1", ["198.51.100.7"], "203.0.113.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7, 10.0.0.2"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7", "10.0.0.2"], "198.51.100.7"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", [" , ,"], "10.0.0.1"),
        ("::ffff:10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("fd00::1", ["2001:db8::7"], "2001:db8::7"),
        (None, ["198.51.100.7"], None),
        # Some proxies add the client's port, which changes with each connection.
        ("10.0.0.1", ["198.51.100.7:40001"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7:40001, 10.0.0.2:81"], "198.51.100.7"),
        ("10.0.0.1", ["[2001:db8::7]:443"], "2001:db8::7"),
        ("10.0.0.1", ["[2001:db8::7]"], "2001:db8::7"),
        # Invalid addresses are ignored.
        ("10.0.0.1", ["198.51.100.7, unknown"], "10.0.0.1"),
        ("10.0.0.1", ["_hidden:1"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.999:5"], "10.0.0.1"),
    ],
)
def test_the_client_is_the_nearest_untrusted_hop(peer: str | None, lines: list[str], address: str | None) -> None:
    assert client_ip(scope(peer, *lines), TRUSTED) == address


def test_without_trusted_proxies_the_header_is_ignored() -> None:
    assert client_ip(scope("10.0.0.1", "198.51.100.7"), ()) == "10.0.0.1"

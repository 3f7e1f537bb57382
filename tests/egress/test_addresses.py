from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.integrations.egress.addresses import DENIED_IPV4, DENIED_IPV6, GLOBAL_UNICAST, AddressGuard, BlockedAddress

GUARD = AddressGuard()


def passes(text: str, guard: AddressGuard = GUARD) -> bool:
    try:
        guard.check(ip_address(text))
    except BlockedAddress:
        return False
    return True


@pytest.mark.parametrize("network", [*DENIED_IPV4, *DENIED_IPV6], ids=str)
def test_a_denied_network_is_refused_from_its_first_to_its_last_address(network):
    assert not passes(str(network[0]))
    assert not passes(str(network[-1]))


@pytest.mark.parametrize(
    "address",
    [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
        "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "2001:200::", "2001:db7:ffff::1", "2001:db9::", "2003::1", "2620:4f:7fff::1", "3fff:1000::", "2804:10:10::10",
    ],
)  # fmt: skip
def test_the_neighbours_of_denied_networks_pass(address):
    assert passes(address)


@pytest.mark.parametrize(
    "address",
    [
        "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1", "2001:10::1", "2001:20::1",
        "2002:7f00:1::1", "2002:808:808::1", "3fff::1", "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1",
        "fe80::1%eth0", "2001:4860:4860::8888%eth0", "fec0::1", "ff02::1", "1fff:ffff::1",
    ],
)  # fmt: skip
def test_embedded_ipv4_and_addresses_outside_global_unicast_are_refused(address):
    assert not passes(address)


@given(st.ip_addresses(v=4))
def test_accepted_ipv4_addresses_are_global_in_the_standard_library(address: IPv4Address):
    assert address.is_global or not passes(str(address))


@given(st.ip_addresses(v=6))
def test_accepted_ipv6_addresses_are_global_unicast(address: IPv6Address):
    assert not passes(str(address)) or (address in GLOBAL_UNICAST and address.is_global)


def test_one_denied_address_refuses_the_whole_answer():
    with pytest.raises(BlockedAddress, match=r"10\.0\.0\.1"):
        GUARD.check_all([ip_address("93.184.216.34"), ip_address("10.0.0.1")])


def test_an_allowed_network_allows_no_other():
    guard = AddressGuard([ip_network("127.0.0.0/8"), ip_network("fd00:1::/64")])
    assert guard.allowed_networks == (ip_network("127.0.0.0/8"), ip_network("fd00:1::/64"))
    assert passes("127.0.0.1", guard)
    assert passes("fd00:1::9", guard)
    assert passes("8.8.8.8", guard)
    for refused in ("::1", "::ffff:127.0.0.1", "::127.0.0.1", "10.0.0.1", "fd00:2::9", "fd00:1::9%eth0"):
        assert not passes(refused, guard)

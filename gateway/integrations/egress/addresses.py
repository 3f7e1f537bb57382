"""Which addresses a merchant's server may have.

`ipaddress.is_global` isn't enough: it accepts private addresses in the forms `::127.0.0.1`, NAT64 and 6to4. Here IPv4
is everything minus a table. IPv6 is global unicast (2000::/3) minus a table, so an overlooked range is refused. The
tables are the IANA special-purpose registries (RFC 6890, RFC 8190), and addresses of cloud services.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import TypeAlias

IPAddress: TypeAlias = IPv4Address | IPv6Address
IPNetwork: TypeAlias = IPv4Network | IPv6Network

LOOPBACK = IPv4Address("127.0.0.1")

DENIED_IPV4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this network (RFC 791): Linux dials the host itself
        "10.0.0.0/8",  # private (RFC 1918)
        "100.64.0.0/10",  # carrier-grade NAT (RFC 6598), with Alibaba's metadata service
        "127.0.0.0/8",  # loopback (RFC 1122)
        "168.63.129.16/32",  # Azure's host agent
        "169.254.0.0/16",  # link-local (RFC 3927): the metadata services
        "172.16.0.0/12",  # private (RFC 1918)
        "192.0.0.0/24",  # protocol assignments (RFC 6890), with Oracle's metadata service
        "192.0.2.0/24",  # documentation (RFC 5737)
        "192.31.196.0/24",  # AS112 (RFC 7535)
        "192.52.193.0/24",  # multicast tunnels (RFC 7450)
        "192.88.99.0/24",  # 6to4 relay (RFC 7526)
        "192.168.0.0/16",  # private (RFC 1918)
        "192.175.48.0/24",  # AS112 (RFC 7534)
        "198.18.0.0/15",  # benchmarks (RFC 2544)
        "198.51.100.0/24",  # documentation (RFC 5737)
        "203.0.113.0/24",  # documentation (RFC 5737)
        "224.0.0.0/4",  # multicast (RFC 5771)
        "240.0.0.0/4",  # reserved (RFC 1112), with broadcast
    )
)

GLOBAL_UNICAST = IPv6Network("2000::/3")

# Refused without an entry, because they are outside 2000::/3: loopback, v4-mapped and v4-compatible, NAT64
# (64:ff9b::/96 and 64:ff9b:1::/48), discard-only, SRv6 (5f00::/16), unique local, link-local, site-local, multicast.
DENIED_IPV6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments (RFC 2928): Teredo, benchmarks, ORCHID, ORCHIDv2, drone ids
        "2001:db8::/32",  # documentation (RFC 3849)
        "2002::/16",  # 6to4 (RFC 3056): contains any IPv4 address
        "2620:4f:8000::/48",  # AS112 (RFC 7534)
        "3ffe::/16",  # 6bone, returned (RFC 3701)
        "3fff::/20",  # documentation (RFC 9637)
    )
)


ISATAP = 0x5EFE
"""Marks an interface identifier that contains an IPv4 address (RFC 5214 section 6.1). A host with such a tunnel dials
that address, with any prefix. One bit of the group before it may be set."""


class BlockedAddress(Exception):
    """The address is neither public nor in an allowed network."""


class AddressGuard:
    """Accepts or refuses addresses.

    `allowed_networks` are accepted although they are not public, for receivers on a developer's machine. Empty in
    production. A v4-mapped IPv6 address never counts as the IPv4 address inside it.
    """

    def __init__(self, allowed_networks: Iterable[IPNetwork] = ()) -> None:
        self.allowed_networks = tuple(allowed_networks)

    def check(self, address: IPAddress) -> None:
        """Raise `BlockedAddress` unless `address` may be dialled."""
        if not (_is_public(address) or self._is_allowed(address)):
            raise BlockedAddress(str(address))

    def check_all(self, addresses: Iterable[IPAddress]) -> None:
        """Raise `BlockedAddress` if any of them is refused.

        The public one of a mixed set is not used: the name may be an attack, or resolve differently next time.
        """
        for address in addresses:
            self.check(address)

    def _is_allowed(self, address: IPAddress) -> bool:
        return not _is_scoped(address) and any(address in network for network in self.allowed_networks)


def _is_public(address: IPAddress) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in DENIED_IPV4)
    if _is_scoped(address) or address not in GLOBAL_UNICAST or _is_isatap(address):
        return False
    return not any(address in network for network in DENIED_IPV6)


def _is_isatap(address: IPv6Address) -> bool:
    identifier = int(address) >> 32 & 0xFFFF_FFFF
    return identifier & ~(0x0200 << 16) == ISATAP


def _is_scoped(address: IPAddress) -> bool:
    """Whether the address has a zone id (`%eth0`, RFC 4007), so it is of one link of this machine."""
    return isinstance(address, IPv6Address) and address.scope_id is not None

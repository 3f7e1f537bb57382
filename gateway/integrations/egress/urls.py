r"""Which URLs a merchant may register for a webhook.

The check of the dialled address (`addresses`, `connection`) is the protection. This one reports early, in Portuguese,
and refuses every spelling that two parsers read differently. The client dials exactly the URL that was checked here.
Refused spellings: `127.1` and `0x7f000001`, which libc dials as 127.0.0.1; full-width digits and the ideographic full
stop, which HTTP clients normalise to ASCII; `\`, `@` and `%` in the authority.
"""

import re
import unicodedata
from ipaddress import IPv4Address, IPv6Address

from msgspec import Struct

from gateway.integrations.egress.addresses import LOOPBACK, AddressGuard, BlockedAddress
from gateway.integrations.egress.resolver import NameNotResolved, Resolver, is_loopback_name, literal

URL_LENGTH = 2048
DEFAULT_PORTS = {"http": 80, "https": 443}

# Names of private networks. `.example`, `.test` and `.invalid` are accepted: integrators use them in tests, and they
# never resolve.
# fmt: off
DENIED_SUFFIXES = (
    # IANA's special-use domain names (RFC 6761, 6762, 8375, 9476). `.arpa` includes home.arpa, in-addr.arpa and
    # ip6.arpa; it has no web servers.
    ".localhost", ".local", ".arpa", ".alt", ".onion",
    # Other overlay networks and name systems outside DNS: a resolver on the gateway's machine may serve them.
    ".i2p", ".gnu", ".zkey", ".bit", ".exit", ".loki", ".snode", ".eth", ".dn42", ".hype", ".ygg", ".tor",
    ".tailscale.net",
    # Private use: reserved by ICANN, named in RFC 6762 (appendix G), or found to collide with private names.
    ".internal", ".intranet", ".intra", ".intern", ".private", ".priv", ".corp", ".home", ".lan", ".localdomain",
    ".localnet", ".loc", ".workgroup", ".domain", ".mail", ".router", ".gateway", ".modem", ".fritz.box",
    ".belkin", ".dlink",
    # Of container platforms and clouds.
    ".svc", ".cluster", ".pod", ".mesh", ".consul", ".docker", ".kube", ".nomad", ".vagrant", ".lxd", ".incus",
    ".metadata.goog",
)
# fmt: on

# Services that may execute the bytes of an HTTP request. None above 32767: those are the ephemeral ports of receivers
# on developers' machines.
# fmt: off
DENIED_PORTS = frozenset((
    # The "bad ports" of the Fetch standard: mail, files, terminals, directories, chat.
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
    113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540,
    548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
    6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    # Windows and machine management: SNMP traps, SMB, IPMI, rsync, global catalogue, RDP, VNC, WinRM, printers.
    162, 445, 623, 873, 992, 994, 1099, 3268, 3269, 3389, 5900, 5985, 5986, 9100,
    # Proxies.
    1080, 3128,
    # Data stores: SQL Server, Oracle, MySQL, PostgreSQL and its pooler, CouchDB, Redis, InfluxDB, Cassandra,
    # Elasticsearch, memcached, Redis Sentinel, MongoDB, RethinkDB.
    1433, 1434, 1521, 3306, 5432, 5984, 6379, 6380, 6432, 8086, 9042, 9160, 9200, 9300, 11211, 26379, 27017, 27018, 27019,
    28015,
    # Queues and metrics: MQTT, NATS, AMQP and its management, StatsD, Kafka.
    1883, 4222, 5671, 5672, 8125, 8883, 9092, 15672,
    # Control planes: ZooKeeper, Docker, etcd, Erlang, Kubernetes, WebLogic, Consul, kubelet.
    2181, 2375, 2376, 2377, 2379, 2380, 4369, 6443, 7001, 8300, 8301, 8500, 10250, 10255,
))
# fmt: on

_VISIBLE_ASCII = re.compile(r"[\x21-\x5b\x5d-\x7e]+")  # Without 0x5c, the backslash: some parsers read it as "/".
_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^#]*)(#.*)?")
_AUTHORITY = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^:\[\]]+))(?::([1-9][0-9]{0,4}))?")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")  # RFC 1123: no host has an underscore.
_PUNYCODE = "xn--"
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


class RefusedUrl(ValueError):
    """The URL can't be registered. The message is in Portuguese, for the merchant."""


class WebhookUrl(Struct, frozen=True):
    """A parsed URL (RFC 3986).

    `host`: a lower-case name, or an IP address without brackets. `target`: path and query, as in the request line.
    `text`: the stored form, with scheme and authority in lower case.
    """

    scheme: str
    host: str
    port: int
    target: str
    text: str

    @property
    def authority(self) -> str:
        """The value of `Host` (RFC 9110 §7.2): brackets around IPv6, no port where it is the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


class WebhookUrlPolicy:
    """The `AddressPolicy` of the real network. Each connection is checked again."""

    def __init__(self, guard: AddressGuard, resolver: Resolver) -> None:
        self._guard = guard
        self._resolver = resolver

    def check(self, url: str, *, test: bool) -> str:
        """As `accept`, without a DNS lookup."""
        return check_webhook_url(url, environment_is_test=test, guard=self._guard)

    async def accept(self, url: str, *, test: bool) -> str:
        """The URL as it will be called. Raises `RefusedUrl` (a ValueError) with a reason in Portuguese."""
        accepted = self.check(url, test=test)
        await check_webhook_name(accepted, resolver=self._resolver, guard=self._guard)
        return accepted


def check_webhook_url(url: str, *, environment_is_test: bool, guard: AddressGuard) -> str:
    """The form of `url` to store. Raises `RefusedUrl`. Makes no DNS lookup, unlike `check_webhook_name`."""
    parts = split_url(url)
    if parts.scheme != "https" and not environment_is_test:
        raise RefusedUrl("Use um endereço https://; http:// só é aceito no ambiente de teste.")
    _check_port(parts.port)
    _check_host(parts.host, guard)
    return parts.text


def require_target(url: str) -> WebhookUrl:
    """The parts of a URL to call. Raises `RefusedUrl` for a denied port or name.

    Registration checks them too, but an entry may be newer than the endpoint. Addresses are checked when the
    connection is opened.
    """
    parts = split_url(url)
    _check_port(parts.port)
    if literal(parts.host) is None and not is_loopback_name(parts.host):
        _check_name(parts.host)
    return parts


def _check_port(port: int) -> None:
    if port in DENIED_PORTS:
        raise RefusedUrl(f"A porta {port} não é aceita para webhooks.")


async def check_webhook_name(url: str, *, resolver: Resolver, guard: AddressGuard) -> None:
    """Raise `RefusedUrl` if the name resolves to an address that is not public.

    A name that doesn't resolve is accepted: merchants register before their DNS is ready. Every connection is checked
    again.
    """
    try:
        guard.check_all(await resolver.resolve(split_url(url).host))
    except BlockedAddress as error:
        raise RefusedUrl("O domínio aponta para uma rede interna; use um endereço público.") from error
    except NameNotResolved:
        return


def split_url(url: str) -> WebhookUrl:
    """Parse an absolute http or https URL. Raises `RefusedUrl` for an ambiguous one."""
    if len(url) > URL_LENGTH:
        raise RefusedUrl(f"O endereço passa de {URL_LENGTH} caracteres.")
    if not _VISIBLE_ASCII.fullmatch(url):
        raise RefusedUrl(
            "Use só caracteres ASCII visíveis, sem espaços nem barra invertida; domínio com acento vai em punycode."
        )
    scheme, authority, rest = _parts(url)
    host, port = _host_and_port(authority)
    target = rest if rest.startswith("/") else f"/{rest}"
    return WebhookUrl(scheme, host, port or DEFAULT_PORTS[scheme], target, f"{scheme}://{authority}{rest}")


def _parts(url: str) -> tuple[str, str, str]:
    match = _PARTS.fullmatch(url)
    if not match:
        raise RefusedUrl("Informe o endereço completo, como https://loja.com.br/webhooks.")
    scheme, authority, rest, fragment = match.groups()
    if scheme.lower() not in DEFAULT_PORTS:
        raise RefusedUrl("Use um endereço https://, ou em teste http://.")
    if fragment:
        raise RefusedUrl("O endereço não pode ter fragmento (#).")
    return scheme.lower(), authority.lower(), rest


def _host_and_port(authority: str) -> tuple[str, int | None]:
    if "@" in authority:
        raise RefusedUrl("O endereço não pode levar usuário e senha.")
    match = _AUTHORITY.fullmatch(authority)
    if not match:
        raise RefusedUrl("O domínio ou a porta do endereço é inválido.")
    bracketed, name, digits = match.groups()
    if digits and int(digits) > 65535:
        raise RefusedUrl("A porta do endereço é inválida.")
    return _ipv6(bracketed) if bracketed else _name(name), int(digits) if digits else None


def _ipv6(text: str) -> str:
    try:
        return str(IPv6Address(text))
    except ValueError:
        raise RefusedUrl("O endereço IPv6 é inválido.") from None


def _name(host: str) -> str:
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return _ipv4(host)
    if len(host) > 253 or not all(_LABEL.fullmatch(label) and _is_readable(label) for label in labels):
        raise RefusedUrl("O domínio do endereço é inválido.")
    return host


def _is_readable(label: str) -> bool:
    """Whether a punycode label encodes a text beyond ASCII that clients don't map to another text."""
    if not label.startswith(_PUNYCODE):
        return True
    try:
        text = label.removeprefix(_PUNYCODE).encode().decode("punycode")
    except UnicodeError:
        return False
    return not text.isascii() and unicodedata.normalize("NFKC", text).casefold() == text


def _ipv4(host: str) -> str:
    """Only four decimal numbers without leading zeros: other forms are addresses to libc, and names to others."""
    try:
        return str(IPv4Address(host))
    except ValueError:
        raise RefusedUrl("Escreva o endereço IPv4 com quatro números de 0 a 255.") from None


def _check_host(host: str, guard: AddressGuard) -> None:
    address = literal(host) or (LOOPBACK if is_loopback_name(host) else None)
    if address is None:
        _check_name(host)
        return
    try:
        guard.check(address)
    except BlockedAddress as error:
        raise RefusedUrl("O endereço é de uma rede interna; use um endereço público.") from error


def _check_name(host: str) -> None:
    if "." not in host or f".{host}".endswith(DENIED_SUFFIXES):
        raise RefusedUrl("O domínio é de uma rede interna; use um domínio público.")

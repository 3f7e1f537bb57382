"""Parse `GATEWAY_SMTP_URL` and `GATEWAY_MAIL_FROM`."""

from email.headerregistry import Address
from email.utils import parseaddr
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from msgspec import Struct

DEFAULT_PORTS = {"smtp": 587, "smtps": 465}
STARTTLS: dict[str, bool | None] = {"required": True, "optional": None, "never": False}


class RelayAddress(Struct, frozen=True):
    """A relay. `starttls`: required, never, or, with None, if offered. `tls`: from the first byte."""

    host: str
    port: int
    tls: bool
    starttls: bool | None
    username: str | None
    password: str | None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def relay_address(url: str) -> RelayAddress:
    """Read `smtp://[user:password@]host[:587][?starttls=required|optional|never]` or `smtps://…[:465]`.

    With a password, STARTTLS is required by default, except on loopback. Raises ValueError with a reason that doesn't
    contain the URL, because it holds the password.
    """
    parts = urlsplit(url)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise ValueError("must be smtp://[user:password@]host[:port] or smtps://…")
    if parts.path not in {"", "/"} or parts.fragment:
        raise ValueError("has nothing after the port but ?starttls=required, optional or never")
    tls = parts.scheme == "smtps"
    try:
        port = parts.port or DEFAULT_PORTS[parts.scheme]
    except ValueError:
        raise ValueError("has a port that is no port") from None
    return RelayAddress(
        host=parts.hostname,
        port=port,
        tls=tls,
        starttls=False if tls else _starttls(parts),
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
    )


def sender_address(text: str) -> Address:
    """Read `recibos@example.com` or `Gateway <recibos@example.com>`. Raises ValueError."""
    name, spec = parseaddr(text)
    try:
        address = Address(display_name=name, addr_spec=spec)
    except Exception:  # noqa: BLE001  # The parser raises many types of errors.
        raise ValueError("must be an address, or a name and <an address>") from None
    if not address.domain or not address.username or not spec.isascii() or len(text.splitlines()) > 1:
        raise ValueError("must be an address in ASCII, or a name and <an address>")
    return address


def _starttls(parts: SplitResult) -> bool | None:
    query = parse_qs(parts.query, keep_blank_values=True)
    if query.keys() - {"starttls"}:
        raise ValueError("has nothing after the port but ?starttls=required, optional or never")
    if not query:
        return True if parts.password and not _is_loopback(parts.hostname or "") else None
    value = query["starttls"][-1]
    if value not in STARTTLS:
        raise ValueError("has nothing after the port but ?starttls=required, optional or never")
    return STARTTLS[value]


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

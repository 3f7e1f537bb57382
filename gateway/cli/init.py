"""`gateway init`: the settings of a deployment as an env file with fresh secrets, and the SQL of its database."""

import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from msgspec import Struct

from gateway.models.server_log import LOG_SETTINGS
from gateway.settings import load_settings
from gateway.values.user_error import UserError

STANDARD_OUTPUT = Path("-")
TOKEN_BYTES, SECRET_KEY_BYTES = 32, 48
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]*")
"""Values that a shell, systemd and compose read alike without quotes."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}")
_QUOTED_DIFFERENTLY = re.compile(r'["\\$`\n\r]')


class InitError(UserError):
    """The file can't be written. The message is one line."""


class InitOptions(Struct, frozen=True):
    """What an operator decides. The rest is generated or has a default."""

    file: Path
    base_url: str
    database_url: str
    redis_url: str
    documents_url: str
    trusted_proxies: str
    engine_live: str | None = None
    smtp_url: str | None = None
    mail_from: str | None = None


def initialise(options: InitOptions) -> tuple[str, str]:
    """Check the settings and write the file, readable by its owner alone. Returns the file's text and the SQL.

    Raises `InitError` where the file exists, and `SettingsError`.
    """
    database = _with_password(options.database_url)
    values = _values(options, database)
    if urlsplit(options.base_url).scheme != "https":
        raise InitError("--base-url must be the public address, and start with https://")
    load_settings(_env_file=None, **{name.removeprefix("GATEWAY_").lower(): value for name, value in values.items()})
    text = "".join(_lines(values))
    sql = database_sql(database)
    if options.file != STANDARD_OUTPUT:
        _write(options.file, text)
    return text, sql


def _values(options: InitOptions, database: str) -> dict[str, str]:
    chosen = {
        "GATEWAY_BASE_URL": options.base_url.rstrip("/"),
        "GATEWAY_DATABASE_URL": database,
        "GATEWAY_REDIS_URL": options.redis_url,
        "GATEWAY_DOCUMENTS_URL": options.documents_url,
        "GATEWAY_TRUSTED_PROXIES": options.trusted_proxies,
        "GATEWAY_SECRET_KEY": _token(SECRET_KEY_BYTES),
        "GATEWAY_METRICS_TOKEN": _token(),
        "GATEWAY_JOB_TOKEN": _token(),
        "GATEWAY_ENGINE_TEST_TOKEN": _token(),
        "GATEWAY_ENGINE_LIVE_TOKEN": _token(),
    }
    optional = {
        "GATEWAY_ENGINE_LIVE": options.engine_live,
        "GATEWAY_SMTP_URL": options.smtp_url,
        "GATEWAY_MAIL_FROM": options.mail_from,
    }
    return chosen | {name: value for name, value in optional.items() if value}


def _token(size: int = TOKEN_BYTES) -> str:
    """A token that Asaas accepts: no sequence of digits, no character four times in a row."""
    while True:
        token = secrets.token_urlsafe(size)
        if not re.search(r"\d{5}|([A-Za-z])\1{3}|aact_", token):
            return token


def _lines(values: dict[str, str]) -> Iterator[str]:
    def line(name: str, example: str = "") -> str:
        return f"{name}={_quoted(name, values[name])}\n" if name in values else f"#{name}={example}\n"

    yield "# Settings of the Pix gateway, written by `gateway init`. docs/settings.md lists all of them.\n\n"
    yield "# The public address, and the proxies whose X-Forwarded-For is trusted.\n"
    yield line("GATEWAY_BASE_URL") + line("GATEWAY_TRUSTED_PROXIES")
    yield "\n# Storage.\n"
    yield line("GATEWAY_DATABASE_URL") + line("GATEWAY_REDIS_URL") + line("GATEWAY_DOCUMENTS_URL")
    yield "\n# Signs sessions and encrypts secrets at rest. Store a copy apart from the backups: without it they can't be decrypted.\n"
    yield line("GATEWAY_SECRET_KEY")
    yield "\n# Tokens: of Prometheus for /metrics, of a scheduler for /jobs/subscriptions, and of the engine's notifications.\n"
    yield line("GATEWAY_METRICS_TOKEN") + line("GATEWAY_JOB_TOKEN")
    yield line("GATEWAY_ENGINE_TEST_TOKEN") + line("GATEWAY_ENGINE_LIVE_TOKEN")
    yield "\n# The engine of live charges. Until it is set, no store is approved and no live charge is issued.\n"
    yield line("GATEWAY_ENGINE_LIVE", "asaas")
    yield "#GATEWAY_ASAAS_LIVE_API_KEY='$aact_prod_...'\n#GATEWAY_ASAAS_CONTACT_EMAIL=pagamentos@example.com\n"
    yield "\n# The page with the terms of production that merchants accept.\n#GATEWAY_TERMS_URL=https://example.com/termos/1\n"
    yield "\n# The relay of emails. Without one, emails wait.\n"
    yield line("GATEWAY_SMTP_URL", "smtp://user:password@mail.example.com:587")
    yield line("GATEWAY_MAIL_FROM", '"Gateway Pix <recibos@example.com>"')


def _quoted(name: str, value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    if _QUOTED_DIFFERENTLY.search(value):
        raise InitError(f"{name} has a character that a shell, systemd and compose read differently: quote it as %XX")
    return f'"{value}"'


def _with_password(url: str) -> str:
    """The database's URL, with a fresh password where it has none."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"} or not parts.username or not parts.path.strip("/"):
        raise InitError("--database-url must name role and database, as in postgresql://gateway@127.0.0.1/gateway")
    for name in (unquote(parts.username), unquote(parts.path[1:])):
        if not _NAME.fullmatch(name):
            raise InitError(f"--database-url: {name!r} must be letters, digits, `_` and `-`")
    if parts.password is not None:
        return url
    at = parts.netloc.index("@")
    netloc = f"{parts.netloc[:at]}:{quote(secrets.token_urlsafe(24))}{parts.netloc[at:]}"
    return urlunsplit(parts._replace(netloc=netloc))


def database_sql(url: str) -> str:
    """The SQL that makes role and database, for a superuser of PostgreSQL 18 or newer."""
    parts = urlsplit(url)
    role, database = unquote(parts.username or ""), unquote(parts.path[1:])
    password = unquote(parts.password or "").replace("'", "''")
    settings = "".join(f"alter role \"{role}\" set {name} = '{value}';\n" for name, value in LOG_SETTINGS.items())
    return f"""\
create role "{role}" login password '{password}';
create database "{database}" owner "{role}" template template0 encoding 'UTF8'
  locale_provider builtin builtin_locale 'C.UTF-8' lc_collate 'C' lc_ctype 'C';
-- PostgreSQL's log then holds no values of rows, which may be payers' data. Where only the provider may set these, ask it to.
{settings}"""


def _write(path: Path, text: str) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InitError(f"{path} exists, and is never overwritten; move it away or choose another --file") from None
    except OSError as error:
        raise InitError(f"{path} can't be written: {error.strerror}; choose another --file") from None
    with os.fdopen(descriptor, "w") as file:
        file.write(text)

"""What the developer configured, and embedded defaults for the rest."""

import hmac
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

from gateway.dev.embedded.errors import NothingToJoin, NotInstalled
from gateway.dev.embedded.place import open_data_dir
from gateway.dev.embedded.postgres import EmbeddedPostgres
from gateway.dev.embedded.redis import EmbeddedRedis
from gateway.dev.embedded.server import EmbeddedServer

_LOOPBACK = "127.0.0.0/8,::1/128"
_ADDRESS = "address"
_MADE_BY_DEV = {"database_url": "postgres", "redis_url": "redis", "secret_key": "secret_key"}
"""What `gateway dev` leaves in its data dir, by the setting that it stands for."""


class Configured(BaseSettings):
    """The settings that have an embedded default, as found in the environment and `.env`; None where absent."""

    model_config = SettingsConfigDict(env_prefix="GATEWAY_", env_file=".env", env_ignore_empty=True, extra="ignore")

    database_url: str | None = None
    redis_url: str | None = None
    secret_key: str | None = None
    base_url: str | None = None
    webhook_allowed_networks: str | None = None
    documents_url: str | None = None
    engine_live: str | None = None
    engine_test_token: str | None = None
    engine_live_token: str | None = None
    log_format: str | None = None


def seeds_demo(asked: bool | None) -> bool:
    """Whether `gateway dev` seeds its demo data. Without being asked it does so in a database of its own only: a staff
    user whose password was printed has no place in one that somebody configured.
    """
    return Configured().database_url is None if asked is None else asked


@contextmanager
def database_url(data_dir: Path | str) -> Iterator[str]:
    """The configured database, or else the embedded one of an existing data dir. Raises `NothingToJoin`,
    `EmbeddedError`.
    """
    if configured := Configured().database_url:
        yield configured
        return
    with _joined(EmbeddedPostgres, data_dir, "database_url") as url:
        yield url


@contextmanager
def required_settings(data_dir: Path | str) -> Iterator[dict[str, object]]:
    """Overrides for `load_settings` that fill what is not configured, the embedded servers up while it lasts. Only
    `gateway dev` makes a data dir: without one, raises `NothingToJoin` before any server starts.
    """
    configured = Configured()
    missing = [name for name in _MADE_BY_DEV if not getattr(configured, name) and not _made(data_dir, name)]
    if missing:
        raise _nothing_to_join(data_dir, *missing)
    with database_url(data_dir) as database, _redis_url(configured, data_dir) as redis:
        secret = configured.secret_key or secret_key(data_dir)
        given: dict[str, object] = {"database_url": database, "redis_url": redis, "secret_key": secret}
        # The embedded database is that of `gateway dev`, whose defaults hold; a configured one has its operator's.
        if not configured.database_url:
            given |= unless_configured(configured, settings_of_dev(data_dir, secret))
        yield given


@contextmanager
def _redis_url(configured: Configured, data_dir: Path | str) -> Iterator[str]:
    if configured.redis_url:
        yield configured.redis_url
        return
    with _joined(EmbeddedRedis, data_dir, "redis_url") as url:
        yield url


@contextmanager
def _joined(server: type[EmbeddedServer], data_dir: Path | str, setting: str) -> Iterator[str]:
    """An embedded server of a data dir that `gateway dev` made."""
    if not _made(data_dir, setting):
        raise _nothing_to_join(data_dir, setting)
    embedded = server(data_dir)
    try:
        url = embedded.start()
    except NotInstalled:
        raise NothingToJoin(
            f"this installation has no embedded {server.title} to open {data_dir} with; set {_variable(setting)}"
        ) from None
    try:
        yield url
    finally:
        embedded.stop()


def _made(data_dir: Path | str, setting: str) -> bool:
    try:
        return (Path(data_dir).expanduser() / _MADE_BY_DEV[setting]).exists()
    except PermissionError:
        return True  # Opening it says why it can't be used.


def _nothing_to_join(data_dir: Path | str, *settings: str) -> NothingToJoin:
    *others, last = (_variable(name) for name in settings)
    names = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    return NothingToJoin(
        f"{names} not set, and {data_dir} is no data dir of `gateway dev`; "
        f"set {'them' if others else 'it'}, or name the data dir with --data-dir"
    )


def _variable(setting: str) -> str:
    return f"GATEWAY_{setting.upper()}"


def secret_key(data_dir: Path | str) -> str:
    """The key kept in the data dir (mode 0600), made by whichever process comes first."""
    path = open_data_dir(Path(data_dir)) / "secret_key"
    if not path.exists():
        draft = path.with_name(f"secret_key.{os.getpid()}")
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48))
        with suppress(FileExistsError):  # Another process was first; its key is complete and it is the one.
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_text().strip()


def settings_of_dev(data_dir: Path | str, secret: str) -> dict[str, str]:
    """What `gateway dev` sets where the developer doesn't, for it and for the commands beside it."""
    place = open_data_dir(Path(data_dir))
    kept = place / _ADDRESS
    address = {"base_url": kept.read_text().strip()} if kept.exists() else {}
    return address | {
        "webhook_allowed_networks": _LOOPBACK,
        "documents_url": (place / "documents").as_uri(),
        "engine_live": "simulator",
        "engine_test_token": notices_token(secret, "test"),
        "engine_live_token": notices_token(secret, "live"),
    }


def unless_configured(configured: Configured, settings: dict[str, str]) -> dict[str, str]:
    """Those of the settings that the developer didn't make."""
    return {name: value for name, value in settings.items() if getattr(configured, name) is None}


def keep_address(data_dir: Path | str, url: str) -> None:
    """Write down where `gateway dev` listens: links that a command beside it makes lead there."""
    (open_data_dir(Path(data_dir)) / _ADDRESS).write_text(url)


def notices_token(secret: str, environment: str) -> str:
    """A developer's token for the engine's notices about one environment, the same after every restart."""
    return hmac.new(secret.encode(), f"engine notices: {environment}".encode(), "sha256").hexdigest()

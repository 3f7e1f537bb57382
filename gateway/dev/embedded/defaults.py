"""The developer's settings, and defaults of `gateway dev` for the others."""

import hmac
import os
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

from gateway.dev.embedded.paths import NotInstalled, open_data_dir
from gateway.dev.embedded.postgres import EmbeddedPostgres
from gateway.dev.embedded.redis import EmbeddedRedis
from gateway.dev.embedded.server import EmbeddedServer
from gateway.values.user_error import UserError

_LOOPBACK = "127.0.0.0/8,::1/128"
_ADDRESS = "address"
_FILES = {"database_url": "postgres", "redis_url": "redis", "secret_key": "secret_key"}
"""Files of the data dir, by the setting that they provide."""


class NothingToJoin(UserError):
    """A command has neither settings nor a data dir of `gateway dev`."""


class Configured(BaseSettings):
    """Settings with a default of `gateway dev`, from the environment and `.env`."""

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


def seeds_demo(requested: bool | None) -> bool:
    """Whether `gateway dev` creates its demo data. By default only in the embedded database, for it prints the password
    of a staff user.
    """
    return Configured().database_url is None if requested is None else requested


def database_url(data_dir: Path | str) -> AbstractContextManager[str]:
    """The configured database, or the embedded one of a data dir. Raises `NothingToJoin`, `EmbeddedError`."""
    return _configured_or_embedded("database_url", EmbeddedPostgres, data_dir)


@contextmanager
def required_settings(data_dir: Path | str) -> Iterator[dict[str, object]]:
    """Values for `load_settings` of settings that are not configured, with the embedded servers running. Raises
    `NothingToJoin` without a data dir, which only `gateway dev` creates.
    """
    configured = Configured()
    missing = [name for name in _FILES if not getattr(configured, name) and not _exists(data_dir, name)]
    if missing:
        raise _nothing_to_join(data_dir, *missing)
    redis_url = _configured_or_embedded("redis_url", EmbeddedRedis, data_dir)
    with database_url(data_dir) as database, redis_url as redis:
        secret = configured.secret_key or secret_key(data_dir)
        values: dict[str, object] = {"database_url": database, "redis_url": redis, "secret_key": secret}
        # Other defaults of `gateway dev` only apply to its own database.
        if not configured.database_url:
            values |= not_configured(configured, dev_settings(data_dir, secret))
        yield values


@contextmanager
def _configured_or_embedded(setting: str, server: type[EmbeddedServer], data_dir: Path | str) -> Iterator[str]:
    """The URL of a configured server, or of the embedded one of a data dir of `gateway dev`."""
    if configured := getattr(Configured(), setting):
        yield configured
        return
    if not _exists(data_dir, setting):
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


def _exists(data_dir: Path | str, setting: str) -> bool:
    try:
        return (Path(data_dir).expanduser() / _FILES[setting]).exists()
    except PermissionError:
        return True  # Opening it reports the error.


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
    """The key of the data dir (mode 0600), created if missing."""
    path = open_data_dir(Path(data_dir)) / "secret_key"
    if not path.exists():
        temporary = path.with_name(f"secret_key.{os.getpid()}")
        temporary.unlink(missing_ok=True)
        temporary.touch(mode=0o600)
        temporary.write_text(secrets.token_urlsafe(48))
        with suppress(FileExistsError):  # Another process was faster; its key is used.
            path.hardlink_to(temporary)
        temporary.unlink()
    return path.read_text().strip()


def dev_settings(data_dir: Path | str, secret: str) -> dict[str, str]:
    """Defaults of `gateway dev`, also for other commands on its data dir."""
    directory = open_data_dir(Path(data_dir))
    file = directory / _ADDRESS
    address = {"base_url": file.read_text().strip()} if file.exists() else {}
    return address | {
        "webhook_allowed_networks": _LOOPBACK,
        "documents_url": (directory / "documents").as_uri(),
        "engine_live": "simulator",
        "engine_test_token": notification_token(secret, "test"),
        "engine_live_token": notification_token(secret, "live"),
    }


def not_configured(configured: Configured, settings: dict[str, str]) -> dict[str, str]:
    """Those that the developer did not set."""
    return {name: value for name, value in settings.items() if getattr(configured, name) is None}


def store_base_url(data_dir: Path | str, url: str) -> None:
    """Store the address of `gateway dev`, for links that other commands create."""
    (open_data_dir(Path(data_dir)) / _ADDRESS).write_text(url)


def notification_token(secret: str, environment: str) -> str:
    """A token of the engine's notifications in one environment, the same after every restart."""
    return hmac.new(secret.encode(), f"engine notifications: {environment}".encode(), "sha256").hexdigest()

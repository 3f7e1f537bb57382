"""What the developer configured, and embedded defaults for the rest."""

import hmac
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

from gateway.embedded.place import open_data_dir
from gateway.embedded.postgres import EmbeddedPostgres
from gateway.embedded.redis import EmbeddedRedis

_LOOPBACK = "127.0.0.0/8,::1/128"
_ADDRESS = "address"


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


def seeds_demo(asked: bool | None) -> bool:
    """Whether `gateway dev` seeds its demo data. Without being asked it does so in a database of its own only: a staff
    user whose password was printed has no place in one that somebody configured.
    """
    return Configured().database_url is None if asked is None else asked


@contextmanager
def database_url(data_dir: Path | str) -> Iterator[str]:
    """The configured database, or else the embedded one, joined if it runs. Raises `EmbeddedError`."""
    if configured := Configured().database_url:
        yield configured
        return
    with EmbeddedPostgres(data_dir) as url:
        yield url


@contextmanager
def required_settings(data_dir: Path | str) -> Iterator[dict[str, object]]:
    """Overrides for `load_settings` that fill what is not configured, the embedded servers up while it lasts."""
    configured = Configured()
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
    with EmbeddedRedis(data_dir) as url:
        yield url


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

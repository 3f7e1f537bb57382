"""Settings are validated at start; an invalid one is an error of one line that names the variable."""

import pytest

from gateway.settings import SettingsError, load_settings

NEEDED = {
    "database_url": "postgresql://user:password@db/gateway",
    "redis_url": "redis://cache:6379/0",
    "secret_key": "pS9vT2xWq8LmZr4NcYb6KdHf1JgUa7Ee",
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("database_url", "nothing"),
        ("database_url", "mysql://db/gateway"),
        ("database_url", "postgresql://db:99999/gateway"),
        ("redis_url", "http://cache"),
        ("redis_url", "redis://cache:port"),
        ("base_url", "pix.example.com"),
        ("base_url", "https://"),
        ("base_url", "ftp://pix.example.com"),
        ("base_url", "https://pix.example.com /x"),
        ("base_url", "https://pix.example.com\t"),
        ("base_url", "https://pix.example.com?x=1"),
        ("base_url", "https://pix.example.com/#topo"),
        ("redis_url", "redis://cache:6379/abc"),
        ("redis_url", "redis://cache:6379/0/1"),
        ("redis_url", "redis://cache:6379/0?foo=bar"),
        ("redis_url", "redis://cache:6379/0?socket_timeout=abc"),
        ("redis_url", "redis://cache:6379/0?retry=yes"),
        ("redis_url", "redis://cache:6379/0?protocol=9"),
        ("argon2_memory_kib", "99999999999999999999"),
        ("argon2_memory_kib", "2000000"),
        ("argon2_time_cost", "99999999999999999999"),
        ("metrics_host", ""),
        ("metrics_host", "this machine"),
        ("metrics_host", "127.0.0.1:9100"),
        ("asaas_contact_email", "ninguém"),
        ("asaas_contact_email", "Ana <ana@example.com>"),
        ("service_fee_fixed", "1e400"),
        ("service_fee_fixed", "NaN"),
        ("checkout_url", "/pagar"),
        ("secret_key", "short"),
        ("cors_origins", "painel.example.com"),
        ("database_pool", "many"),
        ("trusted_proxies", "10.0.0.0/99"),
    ],
)
def test_an_invalid_setting_is_an_error_of_one_line(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(_env_file=None, **(NEEDED | {name: value}))
    message = str(refused.value)
    assert message.startswith(f"GATEWAY_{name.upper()}: ")
    assert "\n" not in message
    assert "Value error" not in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("database_url", "postgresql://gateway@/gateway?host=/run/postgresql"),
        ("database_url", "postgresql+asyncpg://user:password@[::1]:5432/gateway"),
        ("redis_url", "unix:///run/redis.sock"),
        ("redis_url", "rediss://:secret@cache:6380/1"),
        ("redis_url", "rediss://cache?ssl_cert_reqs=required&socket_timeout=2.5"),
        ("redis_url", "unix:///run/redis.sock?db=2"),
        ("metrics_host", "::"),
        ("metrics_host", "10.0.0.7"),
        ("metrics_host", "worker-1.internal"),
        ("asaas_contact_email", ""),
        ("asaas_contact_email", "pagamentos@example.com"),
        ("service_fee_fixed", "0.49"),
        ("argon2_memory_kib", "1048576"),
        ("base_url", "https://pix.example.com/api/"),
        ("checkout_url", ""),
        ("checkout_url", "https://pagar.example.com"),
        ("cors_origins", "*"),
        ("cors_origins", "https://painel.example.com, http://localhost:3000"),
        ("cors_origins", ""),
    ],
)
def test_valid_settings_are_accepted(name: str, value: str) -> None:
    settings = load_settings(_env_file=None, **(NEEDED | {name: value}))
    assert settings.public_checkout_url


def test_all_invalid_settings_are_reported_together() -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(_env_file=None, **(NEEDED | {"base_url": "x", "database_pool": "y", "checkout_url": "z"}))
    assert [part.split(":")[0] for part in str(refused.value).split("; ")] == [
        "GATEWAY_BASE_URL",
        "GATEWAY_CHECKOUT_URL",
        "GATEWAY_DATABASE_POOL",
    ]

"""A bank that is configured by half, or with a certificate that cannot work, prevents the start with one line."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gateway.integrations.banks.profiles import Bank
from gateway.settings import SettingsError, load_settings
from tests.engines.certificates import Authority

REQUIRED = {"database_url": "postgresql://x", "redis_url": "redis://x", "secret_key": "k" * 32}
AUTHORITY = Authority()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    found = tmp_path_factory.mktemp("certificates")
    client, other = AUTHORITY.client(), AUTHORITY.client()
    client.write(found / "client.pem")
    (found / "certificate.pem").write_bytes(client.pem)
    (found / "other.key").write_bytes(other.key_pem)
    (found / "encrypted.key").write_bytes(client.encrypted_key_pem("segredo"))
    (found / "client.p12").write_bytes(client.p12("segredo"))
    AUTHORITY.client(valid=timedelta(days=-3)).write(found / "expired.pem")
    return found


def bank(folder: Path, **changes: Any) -> dict[str, Any]:
    values = {
        "bank": "inter",
        "client_id": "id",
        "client_secret": "secret",
        "certificate": str(folder / "client.pem"),
        "pix_key": "chave@example.com",
    }
    return {name: value for name, value in {**values, **changes}.items() if value is not None}


def load(settings: dict[str, Any], environment: str = "live", **more: Any) -> Any:
    chosen = {f"engine_{environment}": "bcb", f"engine_{environment}_token": "t" * 32, f"bcb_{environment}": settings}
    return load_settings(_env_file=None, **{**REQUIRED, **chosen, **more})


@pytest.mark.parametrize("name", Bank)
def test_each_bank_can_be_configured(folder: Path, name: Bank) -> None:
    addresses = {"url": "https://pix.example.com/v2", "token_url": "https://pix.example.com/token"}
    settings = bank(
        folder,
        bank=name,
        app_key="key" if name is Bank.bb else None,
        client_secret=None if name is Bank.sicoob else "secret",
        receiver_name="Ana" if name is Bank.santander else None,
        receiver_city="Campinas" if name is Bank.santander else None,
        **(addresses if name is Bank.generico else {}),
    )
    loaded = load(settings)
    assert loaded.bcb_live.addresses("live").url.startswith("https://")


def test_the_environments_variables_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in bank(folder, calls_per_minute="30", webhook_mtls="off").items():
        monkeypatch.setenv(f"GATEWAY_BCB_LIVE_{name.upper()}", str(value))
    loaded = load_settings(_env_file=None, **REQUIRED, engine_live="bcb", engine_live_token="t" * 32)
    assert (loaded.bcb_live.bank, loaded.bcb_live.client_id) == (Bank.inter, "id")
    assert (loaded.bcb_live.calls_per_minute, loaded.bcb_live.webhook_mtls) == (30, False)
    assert loaded.bcb_test.bank is None


PREFIX = "GATEWAY_BCB_LIVE_"
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no bank": ({"bank": None}, "BANK is not set, and bcb is the live engine"),
    "an unknown bank": ({"bank": "nubank"}, "BANK: Input should be"),
    "no client": ({"client_id": None}, "CLIENT_ID is not set, and inter needs it"),
    "no secret": ({"client_secret": None}, "CLIENT_SECRET is not set, and inter needs it"),
    "no key": ({"pix_key": ""}, "PIX_KEY is not set, and inter needs it"),
    "no certificate": ({"certificate": None}, "CERTIFICATE is not set, and inter needs it"),
    "no application key": ({"bank": "bb"}, "APP_KEY is not set, and bb needs it"),
    "no receiver": (
        {"bank": "santander"},
        "RECEIVER_NAME is not set, and santander needs it; GATEWAY_BCB_LIVE_RECEIVER_CITY",
    ),
    "no address": ({"bank": "generico"}, "URL is not set, and generico has no known address"),
    "http": ({"url": "http://pix.example.com"}, "URL must be an https address"),
    "the test environment's address": (
        {"url": "https://cdpj-sandbox.partners.uatinter.co/pix/v2"},
        "URL is an address of the test environment",
    ),
    "no file": ({"certificate": "/nowhere.pem"}, "CERTIFICATE: cannot be read: No such file or directory"),
    "no key in the file": ({"certificate": "certificate.pem"}, "CERTIFICATE: there is no readable certificate and key"),
    "another key": (
        {"certificate": "certificate.pem", "certificate_key": "other.key"},
        "CERTIFICATE: the key does not belong to the certificate",
    ),
    "no password of the key": (
        {"certificate": "certificate.pem", "certificate_key": "encrypted.key"},
        "CERTIFICATE: the key is encrypted, and no password is set",
    ),
    "a wrong password": (
        {"certificate": "client.p12", "certificate_password": "outra"},
        "CERTIFICATE: it is no readable PEM or PKCS #12 file, or the password is wrong",
    ),
    "an expired one": ({"certificate": "expired.pem"}, "CERTIFICATE expired on 20"),
    "no quota": ({"calls_per_minute": 0}, "CALLS_PER_MINUTE: Input should be greater"),
}


@pytest.mark.parametrize(("changes", "message"), FAULTS.values(), ids=FAULTS)
def test_half_a_configuration_is_refused(folder: Path, changes: dict[str, Any], message: str) -> None:
    files = {
        name: str(folder / value)
        for name, value in changes.items()
        if name in {"certificate", "certificate_key"} and value
    }
    with pytest.raises(SettingsError) as refusal:
        load(bank(folder, **{**changes, **files}))
    assert str(refusal.value).startswith(PREFIX + message)
    assert "secret;" not in str(refusal.value)


def test_a_production_address_is_refused_in_the_test_environment(folder: Path) -> None:
    with pytest.raises(SettingsError, match="GATEWAY_BCB_TEST_URL is an address of the live environment"):
        load(bank(folder, url="https://cdpj.partners.bancointer.com.br/pix/v2"), "test")


@pytest.mark.parametrize("token", ["", "curto", "com espaço" * 5, "com/barra" * 5])
def test_the_notification_token_must_fit_in_an_address(folder: Path, token: str) -> None:
    with pytest.raises(SettingsError, match="GATEWAY_ENGINE_LIVE_TOKEN: bcb needs one of 32 to 200 letters"):
        load(bank(folder), engine_live_token=token)


def test_accounts_of_merchants_are_refused(folder: Path) -> None:
    with pytest.raises(SettingsError, match="GATEWAY_RECEIVING_MODE: the live engine bcb opens no accounts"):
        load(bank(folder), receiving_mode="subconta")

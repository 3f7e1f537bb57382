"""Parsing of GATEWAY_SMTP_URL and GATEWAY_MAIL_FROM."""

import pytest

from gateway.integrations.smtp.address import relay_address, sender_address
from gateway.settings import SettingsError, load_settings

REQUIRED = {"_env_file": None, "database_url": "postgresql://x/y", "redis_url": "redis://x", "secret_key": "k" * 40}


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "starttls"),
    [
        ("smtp://mail.example.com", "mail.example.com", 587, False, None),
        ("smtp://mail.example.com:25/", "mail.example.com", 25, False, None),
        ("smtps://mail.example.com", "mail.example.com", 465, True, False),
        ("smtp://[::1]:2525", "::1", 2525, False, None),
        ("smtp://u:p@mail.example.com", "mail.example.com", 587, False, True),
        ("smtp://u:p@mail.example.com?starttls=optional", "mail.example.com", 587, False, None),
        ("smtp://u:p@127.0.0.1:1025", "127.0.0.1", 1025, False, None),
        ("smtp://mail.example.com?starttls=required", "mail.example.com", 587, False, True),
        ("smtp://mail.example.com?starttls=never", "mail.example.com", 587, False, False),
    ],
)
def test_a_relay_url_is_parsed(url: str, host: str, port: int, tls: bool, starttls: bool | None) -> None:
    address = relay_address(url)
    assert (address.host, address.port, address.tls, address.starttls) == (host, port, tls, starttls)


def test_credentials_are_percent_decoded() -> None:
    address = relay_address("smtp://recibos%40example.com:s%3An%2Fha@mail.example.com")
    assert (address.username, address.password) == ("recibos@example.com", "s:n/ha")


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.com",
        "http://mail.example.com",
        "smtp://",
        "smtp://mail.example.com:99999",
        "smtp://mail.example.com/inbox",
        "smtp://mail.example.com?starttls=maybe",
        "smtp://mail.example.com?verify=no",
    ],
)
def test_an_invalid_relay_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"must be|has "):
        relay_address(url)


@pytest.mark.parametrize("text", ["", "recibos", "@example.com", "a@b.co\r\nBcc: c@d.co", "josé@example.com", "a@"])
def test_an_invalid_sender_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be an address"):
        sender_address(text)


def test_the_error_of_a_setting_has_no_password() -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(**REQUIRED, smtp_url="smtp://u:s3nha@mail.example.com:port")
    assert "GATEWAY_SMTP_URL" in str(refused.value)
    assert "s3nha" not in str(refused.value)


@pytest.mark.parametrize(
    ("source", "base", "name", "address"),
    [
        (None, "https://gateway.example.com", "Gateway Pix", "nao-responda@gateway.example.com"),
        (None, "http://[::1]:8000", "Gateway Pix", "nao-responda@localhost"),
        ("recibos@example.com", "https://x.example", "Gateway Pix", "recibos@example.com"),
        (
            "Pagamentos São João <recibos@example.com>",
            "https://x.example",
            "Pagamentos São João",
            "recibos@example.com",
        ),
        ("", "https://x.example", "Gateway Pix", "nao-responda@x.example"),
    ],
)
def test_the_sender_is_parsed_or_derived(source: str | None, base: str, name: str, address: str) -> None:
    sender = load_settings(**REQUIRED, base_url=base, mail_from=source).mail_sender
    assert (sender.display_name, sender.addr_spec) == (name, address)


def test_an_empty_url_means_no_relay() -> None:
    assert load_settings(**REQUIRED, smtp_url="").relay is None

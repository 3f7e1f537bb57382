"""The settings of a bank's Pix API in one environment, `GATEWAY_BCB_TEST_…` and `GATEWAY_BCB_LIVE_…`."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from gateway.integrations.banks.certificate import CertificateError, CertificateFiles, load_certificate
from gateway.integrations.banks.profiles import PROFILES, SCOPES, Addresses, Bank, Profile, TokenAuth, hosts

_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,200}")
Unset = BeforeValidator(lambda value: None if value == "" else value)
"""For optional settings: an empty value means none."""
Text = Annotated[str | None, Unset]
Secret = Annotated[SecretStr | None, Unset]
File = Annotated[Path | None, Unset]


class BankSettings(BaseModel):
    """The connection to one bank; `errors` reports what is missing."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    bank: Annotated[Bank | None, Unset] = Field(
        None,
        description="Profile of the bank: `bb`, `itau`, `bradesco`, `santander`, `inter`, `sicoob`, `sicredi`, `efi`, `c6`, "
        "`banrisul`, or `generico` for any other that speaks the Central Bank's API.",
    )
    url: Text = Field(None, description="Base address of the API. Default: the profile's.")
    token_url: Text = Field(None, description="Address of the token endpoint. Default: the profile's.")
    client_id: Text = Field(None, description="Client id of the application at the bank.")
    client_secret: Secret = Field(None, description="Client secret; none at Sicoob.")
    certificate: File = Field(
        None, description="File of the client certificate: PEM, or PKCS #12 (`.p12`, `.pfx`) with its key."
    )
    certificate_key: File = Field(None, description="File of the key, if a PEM certificate's file doesn't have it.")
    certificate_password: Secret = Field(None, description="Password of the key or the PKCS #12 file.")
    ca: File = Field(None, description="PEM file of authorities that issued the bank's own certificate, if not public.")
    pix_key: Annotated[Annotated[str, Field(max_length=77)] | None, Unset] = Field(
        None, description="Pix key that receives."
    )
    scopes: str = Field(SCOPES, description="Scopes that the token is requested for.")
    app_key: Secret = Field(None, description="Application key of Banco do Brasil (`gw-dev-app-key`).")
    account: Text = Field(
        None, description="Account number at Inter (`x-conta-corrente`), for an application with several accounts."
    )
    receiver_name: Text = Field(
        None, description="Receiver's name, for the BR Codes of a bank that sends only their locations."
    )
    receiver_city: Text = Field(None, description="Receiver's city, for the same.")
    webhook_mtls: bool = Field(
        True, description="`off`: tell Efí that the webhook's server demands no client certificate."
    )
    calls_per_minute: Annotated[int | None, Unset] = Field(
        None, ge=1, le=100_000, description="Calls a minute that a process makes at most. Default: the profile's."
    )

    @property
    def profile(self) -> Profile:
        return PROFILES[self.bank or Bank.generico]

    @property
    def files(self) -> CertificateFiles:
        """The certificate's files, of settings without errors."""
        assert self.certificate is not None, "`errors` requires it"
        return CertificateFiles(self.certificate, self.certificate_key, secret_text(self.certificate_password), self.ca)

    def addresses(self, environment: str) -> Addresses:
        """The addresses in use; an empty one is missing."""
        known: Addresses = getattr(self.profile, environment) or Addresses("", "")
        return Addresses((self.url or known.url).rstrip("/"), self.token_url or known.token_url)


def secret_text(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None


def bank_errors(environment: str, settings: BankSettings, token: str) -> Iterator[str]:
    """What is missing or wrong, for an environment whose engine is `bcb`. Reads the certificate. `token` is in the
    webhook's address.
    """
    prefix = f"GATEWAY_BCB_{environment.upper()}"
    if settings.bank is None:
        yield f"{prefix}_BANK is not set, and bcb is the {environment} engine"
        return
    for name in required_names(settings):
        if not getattr(settings, name):
            yield f"{prefix}_{name.upper()} is not set, and {settings.bank} needs it"
    addresses = settings.addresses(environment)
    yield from _address_errors(f"{prefix}_URL", addresses.url, environment, settings.bank)
    yield from _address_errors(f"{prefix}_TOKEN_URL", addresses.token_url, environment, settings.bank)
    if settings.certificate is not None:
        yield from _certificate_errors(f"{prefix}_CERTIFICATE", settings.files)
    if not _TOKEN.fullmatch(token):
        yield (
            f"GATEWAY_ENGINE_{environment.upper()}_TOKEN: bcb needs one of 32 to 200 letters, digits, - and _, because it "
            "is in the webhook's address: `openssl rand -hex 32`"
        )


def required_names(settings: BankSettings) -> Iterator[str]:
    """The settings that the bank of the profile needs, besides addresses that the profile lacks."""
    yield from ("client_id", "certificate", "pix_key")
    profile = settings.profile
    if profile.token_auth is not TokenAuth.certificate:
        yield "client_secret"
    if profile.app_key_parameter:
        yield "app_key"
    if not profile.code_field:
        yield from ("receiver_name", "receiver_city")


def _address_errors(variable: str, address: str, environment: str, bank: Bank) -> Iterator[str]:
    try:
        url = urlsplit(address)
        host = url.hostname or ""
    except ValueError:
        host = ""
    other = "live" if environment == "test" else "test"
    if not address:
        yield f"{variable} is not set, and {bank} has no known address of the {environment} environment"
    elif not host or url.scheme != "https":
        yield f"{variable} must be an https address"
    elif host in hosts(other):
        yield f"{variable} is an address of the {other} environment"


def _certificate_errors(variable: str, files: CertificateFiles) -> Iterator[str]:
    try:
        expires_at = load_certificate(files).expires_at
    except CertificateError as error:
        yield f"{variable}: {error}"
        return
    if expires_at <= datetime.now(UTC):
        yield f"{variable} expired on {expires_at:%Y-%m-%d}: get a new one from the bank and replace the files"

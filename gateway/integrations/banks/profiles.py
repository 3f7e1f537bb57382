"""How each bank's Pix API differs from the Central Bank's standard. Settings override addresses and scopes.

The addresses come from the code of integrators and change: an operator confirms them with the bank.
"""

from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct, field

SCOPES: Final = "cob.read cob.write pix.read pix.write webhook.read webhook.write"
"""The scopes that the gateway uses."""


class Bank(StrEnum):
    """The profiles; `generico` is the standard, with all addresses from the settings."""

    generico = "generico"
    bb = "bb"
    itau = "itau"
    bradesco = "bradesco"
    santander = "santander"
    inter = "inter"
    sicoob = "sicoob"
    sicredi = "sicredi"
    efi = "efi"
    c6 = "c6"
    banrisul = "banrisul"


class TokenAuth(StrEnum):
    """How the token endpoint authenticates the client, besides its certificate."""

    basic = "basic"
    """HTTP Basic and a form."""
    basic_json = "basic_json"
    """HTTP Basic and a JSON body."""
    form = "form"
    """Id and secret in the form."""
    certificate = "certificate"
    """The id in the form; there is no secret."""


class Addresses(Struct, frozen=True):
    """The base URL of an environment, in which `{version}` is the route's, and its token endpoint."""

    url: str
    token_url: str


class Profile(Struct, frozen=True, kw_only=True):
    """A bank. Headers and parameters that are empty are not sent."""

    live: Addresses | None = None
    test: Addresses | None = None
    token_auth: TokenAuth = TokenAuth.basic
    sends_scope: bool = True
    version: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    """The version of routes that have another one, by method and path."""
    app_key_parameter: str = ""
    client_id_header: str = ""
    account_header: str = ""
    correlation_header: str = ""
    """Receives a new UUID with each call."""
    skip_mtls_header: str = ""
    """Says whether the bank must verify the webhook server's demand for a certificate."""
    code_field: str = "pixCopiaECola"
    """The member of a charge with its BR Code; empty: the bank sends a location only."""
    milliseconds: bool = True
    """Whether times in queries may have them."""
    pays_test_charges: bool = False
    """Whether `POST /cob/pagar/{txid}` pays a test charge."""
    calls_per_minute: int | None = None


PROFILES: Final = {
    Bank.generico: Profile(),
    Bank.bb: Profile(
        live=Addresses("https://api-pix.bb.com.br/pix/v2", "https://oauth.bb.com.br/oauth/token"),
        test=Addresses("https://api-pix.hm.bb.com.br/pix/v2", "https://oauth.hm.bb.com.br/oauth/token"),
        app_key_parameter="gw-dev-app-key",
    ),
    Bank.itau: Profile(
        live=Addresses("https://secure.api.itau/pix_recebimentos/v2", "https://sts.itau.com.br/as/token.oauth2"),
        test=Addresses(
            "https://devportal.itau.com.br/sandboxapi/pix_recebimentos_ext_v2/v2",
            "https://devportal.itau.com.br/api/jwt",
        ),
        token_auth=TokenAuth.form,
        sends_scope=False,
        correlation_header="x-correlationID",
    ),
    Bank.bradesco: Profile(
        live=Addresses("https://qrpix.bradesco.com.br/v2", "https://qrpix.bradesco.com.br/oauth/token"),
        test=Addresses("https://qrpix-h.bradesco.com.br/v2", "https://qrpix-h.bradesco.com.br/oauth/token"),
        sends_scope=False,
    ),
    Bank.santander: Profile(
        live=Addresses(
            "https://trust-pix.santander.com.br/api/{version}",
            "https://trust-pix.santander.com.br/oauth/token?grant_type=client_credentials",
        ),
        test=Addresses(
            "https://trust-pix-h.santander.com.br/api/{version}",
            "https://trust-pix-h.santander.com.br/oauth/token?grant_type=client_credentials",
        ),
        token_auth=TokenAuth.form,
        sends_scope=False,
        version="v1",
        versions={"PATCH /cob/{txid}": "v2"},
        code_field="",
        milliseconds=False,
    ),
    Bank.inter: Profile(
        live=Addresses(
            "https://cdpj.partners.bancointer.com.br/pix/v2", "https://cdpj.partners.bancointer.com.br/oauth/v2/token"
        ),
        test=Addresses(
            "https://cdpj-sandbox.partners.uatinter.co/pix/v2",
            "https://cdpj-sandbox.partners.uatinter.co/oauth/v2/token",
        ),
        token_auth=TokenAuth.form,
        account_header="x-conta-corrente",
        pays_test_charges=True,
        calls_per_minute=120,
    ),
    Bank.sicoob: Profile(
        live=Addresses(
            "https://api.sicoob.com.br/pix/api/v2",
            "https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token",
        ),
        token_auth=TokenAuth.certificate,
        client_id_header="client_id",
        code_field="brcode",
    ),
    Bank.sicredi: Profile(
        live=Addresses("https://api-pix.sicredi.com.br/api/{version}", "https://api-pix.sicredi.com.br/oauth/token"),
        test=Addresses(
            "https://api-pix-h.sicredi.com.br/api/{version}", "https://api-pix-h.sicredi.com.br/oauth/token"
        ),
        version="v2",
        versions={f"{method} /cob/{{txid}}": "v3" for method in ("PUT", "PATCH", "GET")},
    ),
    Bank.efi: Profile(
        live=Addresses("https://pix.api.efipay.com.br/v2", "https://pix.api.efipay.com.br/oauth/token"),
        test=Addresses("https://pix-h.api.efipay.com.br/v2", "https://pix-h.api.efipay.com.br/oauth/token"),
        token_auth=TokenAuth.basic_json,
        sends_scope=False,
        skip_mtls_header="x-skip-mtls-checking",
    ),
    Bank.c6: Profile(
        live=Addresses("https://baas-api.c6bank.info/v2/pix", "https://baas-api.c6bank.info/v1/auth"),
        test=Addresses("https://baas-api-sandbox.c6bank.info/v2/pix", "https://baas-api-sandbox.c6bank.info/v1/auth"),
        sends_scope=False,
    ),
    Bank.banrisul: Profile(
        live=Addresses(
            "https://mtls-api.banrisul.com.br/pix/api-mtls", "https://mtls-api.banrisul.com.br/auth/oauth/v2/token"
        ),
        test=Addresses(
            "https://mtls-api-h.banrisul.com.br/pix/api-mtls",
            "https://mtls-api-h.banrisul.com.br/auth/oauth/v2/token",
        ),
        token_auth=TokenAuth.form,
    ),
}


def hosts(environment: str) -> set[str]:
    """The hosts of all banks' APIs in an environment (`test` or `live`)."""
    known = (getattr(profile, environment) for profile in PROFILES.values())
    return {urlsplit(addresses.url).hostname or "" for addresses in known if addresses}

"""Every setting of the product, read once at start from the environment and `.env` (prefix `GATEWAY_`).

`load_settings()` is the only way in; what it returns is frozen. A missing or malformed setting is one line
(`SettingsError`), never a traceback, because an operator reads it in a service log.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from email.headerregistry import Address
from enum import StrEnum
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from redis.asyncio import ConnectionPool
from redis.exceptions import RedisError

from gateway.integrations.banks.settings import BankSettings, Unset, bank_errors
from gateway.integrations.smtp.address import RelayAddress, relay_address, sender_address
from gateway.values.engine_capabilities import CAPABILITIES, Capability
from gateway.values.user_error import UserError

Network = IPv4Network | IPv6Network
_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}
_PRODUCTION = {"api.asaas.com", "www.asaas.com"}
SERVICE_NAME = "Gateway Pix"
"""The sender's name if `GATEWAY_MAIL_FROM` has none."""
_HOST = re.compile(r"(?=.{1,253}$)([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.?)+")
_DATABASE_OF_REDIS = re.compile(r"/?|/\d{1,4}")
_ORIGIN = re.compile(r"https?://[^/\s?#]+")
MIN_TOKEN_CHARACTERS = 32
TOKENS = ("job_token", "metrics_token", "engine_test_token", "engine_live_token")
"""Settings that are secrets."""
_RUN_OF_DIGITS = 5
_NUMERIC_RUNS = tuple("0123456789"[start:][:_RUN_OF_DIGITS] for start in range(11 - _RUN_OF_DIGITS))
_FOUR_EQUAL_LETTERS = re.compile(r"([A-Za-z])\1{3}")


def within(address: str, networks: tuple[Network, ...]) -> bool:
    """Whether an address is in one of the networks; also an IPv4 address mapped to IPv6."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return any((mapped or parsed) in network for network in networks)


class SettingsError(UserError):
    """A setting is missing or invalid. The message is one line for an operator."""


class LogFormat(StrEnum):
    """The format of log lines."""

    auto = "auto"
    json = "json"
    text = "text"


class ReceivingMode(StrEnum):
    """Who receives the payers' money (specification section 1, rule 6)."""

    conta_unica = "conta_unica"
    subconta = "subconta"


class EngineName(StrEnum):
    """Payment engines that this build carries."""

    simulator = "simulator"
    asaas = "asaas"
    bcb = "bcb"


def _split(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _networks(value: object) -> object:
    parts = _split(value)
    return tuple(ip_network(str(part), strict=False) for part in parts) if isinstance(parts, (list, tuple)) else parts


def _relay(value: SecretStr) -> SecretStr:
    relay_address(value.get_secret_value())
    return value


def _sender(value: str) -> str:
    return str(sender_address(value))


def _mailbox(value: str) -> str:
    if sender_address(value).addr_spec != value:
        raise ValueError("must be an address such as pagamentos@example.com")
    return value


def _host(value: str) -> str:
    try:
        ip_address(value)
    except ValueError:
        if not _HOST.fullmatch(value):
            raise ValueError("must be an address such as 127.0.0.1, or a host's name") from None
    return value


def _redis(value: str) -> str:
    """Validate a URL of Redis at start-up. redis-py silently reads an invalid database number as 0."""
    url = urlsplit(value)
    if url.scheme != "unix" and not _DATABASE_OF_REDIS.fullmatch(url.path):
        raise ValueError("must have the number of a database after the host, as in redis://host:6379/0, or nothing")
    try:
        ConnectionPool.from_url(value).make_connection()  # type: ignore[no-untyped-call]  # untyped in the library.
    except ValueError as error:
        raise ValueError(f"has an option that can't be read: {error}") from None
    except (AttributeError, TypeError, RedisError) as error:
        raise ValueError(f"has an option that there isn't: {str(error).rpartition(') ')[2]}") from None
    return value


def _documents(value: object) -> object:
    if value in {None, ""}:
        return None
    text = str(value)
    try:
        url = urlsplit(text)
    except ValueError:
        url = urlsplit("")
    folder = url.scheme == "file" and not url.netloc and url.path.startswith("/") and url.path.strip("/")
    if not (folder or (url.scheme == "s3" and url.netloc)) or url.query or url.fragment:
        raise ValueError("must be file:///an/absolute/folder or s3://bucket/prefix")
    return text.rstrip("/")


def _origins(value: tuple[str, ...]) -> tuple[str, ...]:
    for origin in value:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise ValueError(f"{origin!r} is no origin such as https://panel.example.com, nor *")
    return value


Networks = Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_networks)]
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Secrets = Annotated[tuple[Annotated[SecretStr, Field(min_length=32)], ...], NoDecode, BeforeValidator(_split)]
SmtpUrl = Annotated[SecretStr, AfterValidator(_relay)]
Sender = Annotated[str, AfterValidator(_sender)]
Token = Annotated[SecretStr | None, Unset]
DocumentsUrl = Annotated[str | None, BeforeValidator(_documents)]


def _url_of(*schemes: str, host: bool = True) -> AfterValidator:
    def validated(value: str) -> str:
        try:
            url = urlsplit(value)
            readable = url.scheme in schemes and (bool(url.hostname) or not host) and (url.port or 1) > 0
        except ValueError:  # An invalid port, or an unbalanced bracket.
            readable = False
        if not readable:
            raise ValueError(f"must be a URL that starts with {' or '.join(f'{scheme}://' for scheme in schemes)}")
        return value

    return AfterValidator(validated)


def _link(value: str) -> str:
    if not value.isprintable() or " " in value or len(value) > 2048:
        raise ValueError("must be a URL of at most 2048 characters without spaces")
    return value


def _base_url(value: str) -> str:
    """A URL to which paths are added."""
    if not value.isprintable() or not {" ", "?", "#"}.isdisjoint(value):
        raise ValueError("must be a URL without spaces, `?` and `#`: paths are added to it")
    return value


Url = Annotated[
    str,
    BeforeValidator(lambda value: value.rstrip("/") if isinstance(value, str) else value),
    _url_of("http", "https"),
    AfterValidator(_base_url),
]


Link = Annotated[str, _url_of("http", "https"), AfterValidator(_link)]
"""The URL of a page, unchanged."""


class Settings(BaseSettings):
    """The configuration of one deployment. `docs/settings.md` is generated from the descriptions here."""

    # The delimiter splits `GATEWAY_BCB_TEST_CLIENT_ID` at the end of a field with settings of its own.
    model_config = SettingsConfigDict(
        env_prefix="GATEWAY_",
        env_file=".env",
        extra="ignore",
        frozen=True,
        env_nested_delimiter="_",
        env_nested_max_split=1,
    )

    database_url: Annotated[str, _url_of("postgresql", "postgres", "postgresql+asyncpg", host=False)] = Field(
        description="PostgreSQL DSN, e.g. `postgresql://user:password@host/gateway`."
    )
    redis_url: Annotated[str, _url_of("redis", "rediss", "unix", host=False), AfterValidator(_redis)] = Field(
        description="Redis DSN: `redis://host:6379/0` or `unix:///path/to.sock`."
    )
    secret_key: SecretStr = Field(
        min_length=32, description="Signs sessions and derives the key that encrypts secrets at rest."
    )
    secret_key_previous: Secrets = Field(
        (), description="Earlier secret keys, by which secrets at rest are still opened until they are reencrypted."
    )
    base_url: Url = Field("http://127.0.0.1:8000", description="Public address of the API.")
    checkout_url: Url | Literal[""] = Field(
        "", description="Public address of the checkout pages. Default: the base URL."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least severe log level.")
    log_format: LogFormat = Field(
        LogFormat.auto,
        description="`json`: a JSON object a line. `text`: for people, and at the level `info` requests and warnings "
        "only. `auto`: `text` in a terminal, `json` elsewhere.",
    )

    receiving_mode: ReceivingMode = Field(
        ReceivingMode.conta_unica,
        description="Who receives: `conta_unica` (the main account) or `subconta` (an account of each merchant's own, "
        "[Receiving account](receiving.md)).",
    )
    engine_test: EngineName = Field(EngineName.simulator, description="Payment engine of the test environment.")
    engine_live: Annotated[EngineName | None, Unset] = Field(
        None,
        description="Payment engine of the live environment: `asaas`, `bcb` (a bank through the Central Bank's Pix API), "
        "or `simulator` to simulate live, without money. Unset, no store can be approved and live charges are refused. `gateway dev` sets `simulator`.",
    )
    engine_test_token: Token = Field(
        None, description="Token of inbound notifications about test payments; 32 characters or more."
    )
    engine_live_token: Token = Field(
        None, description="Token of inbound notifications about live payments; 32 characters or more."
    )
    documents_url: DocumentsUrl = Field(
        None,
        description="Where approval documents are stored: `file:///an/absolute/folder` or `s3://bucket/prefix`. "
        "`gateway dev` keeps them in its data dir.",
    )
    terms_url: Annotated[Link | None, Unset] = Field(
        None,
        description="Page with the terms of production that merchants accept, an address of its own for each version. It "
        "is shown with the request for approval, and stored with each acceptance.",
    )
    engine_timeout_seconds: float = Field(15.0, gt=0, le=60, description="Deadline of one call to a payment engine.")
    engine_notification_timeout_seconds: float = Field(
        3.0,
        gt=0,
        le=60,
        description="Seconds to verify a bank's notification before answering it; the worker finishes what takes longer. "
        "Asaas itself waits 10 s.",
    )
    asaas_test_api_key: SecretStr | None = Field(
        None, description="Key of the sandbox account at Asaas. Its `$` belongs to it: quote it in shells."
    )
    asaas_live_api_key: SecretStr | None = Field(None, description="Key of the production account at Asaas.")
    asaas_test_url: Url = Field("https://api-sandbox.asaas.com/v3", description="Address of Asaas' sandbox.")
    asaas_live_url: Url = Field("https://api.asaas.com/v3", description="Address of Asaas' production.")
    asaas_contact_email: Annotated[Annotated[str, AfterValidator(_mailbox)] | None, Unset] = Field(
        None, description="Contact for Asaas if its webhooks fail; required to register them."
    )
    bcb_test: BankSettings = Field(BankSettings(), description="The bank of the test environment.")
    bcb_live: BankSettings = Field(BankSettings(), description="The bank of the live environment.")
    service_fee_percent: Decimal = Field(
        Decimal(0), ge=0, le=100, description="Service fee, percent of the amount, in the mode `subconta`."
    )
    service_fee_fixed: Decimal = Field(
        Decimal(0), ge=0, le=10_000, description="Service fee, fixed part in reais, in the mode `subconta`."
    )

    appwrite_endpoint: Annotated[Url | None, Unset] = Field(
        None, description="Address of the Appwrite API that vouches for Google accounts, such as `https://host/v1`."
    )
    appwrite_project: Annotated[str | None, Unset] = Field(None, description="Id of the project there.")

    key_prefix: str = Field("service", pattern=r"^[a-z][a-z0-9]{1,15}$", description="First word of API keys.")
    job_token: Token = Field(
        None, description="Token of `POST /jobs/subscriptions` (`X-Job-Token`); 32 characters or more."
    )
    billing_hour: int = Field(
        6, ge=0, le=23, description="Hour of the day, in São Paulo, of the daily billing of subscriptions."
    )
    billing_interval_minutes: float = Field(
        5.0, gt=0, le=60, description="How often what is due meanwhile is billed, in minutes; 60 at most."
    )
    billing_concurrency: int = Field(
        40, ge=1, le=500, description="Charges that one billing run asks a payment engine for at a time."
    )
    reconciliation_rate_per_hour: int = Field(
        500, ge=1, le=100_000, description="Questions an hour that reconciliation asks a bank's engine, of its quota."
    )
    metrics_token: Token = Field(
        None,
        description="Bearer token of `/metrics`; 32 characters or more. Without one, only loopback callers read it.",
    )
    metrics_port: int | None = Field(
        None, ge=1, le=65535, description="Port for the worker's metrics; unset disables them."
    )
    metrics_host: Annotated[str, AfterValidator(_host)] = Field(
        "127.0.0.1", description="Address of the worker's metrics port. It asks for no token."
    )
    staff_requires_2fa: bool = Field(
        False, description="Refuse the staff's operations to staff whose account has no second factor."
    )
    session_hours: float = Field(1.0, gt=0, le=24, description="Lifetime of a session token, in hours.")

    webhook_allowed_networks: Networks = Field(
        (), description="Non-public networks that webhooks may reach, CIDR list. Developers open loopback here."
    )
    webhook_retry_scale: float = Field(
        1.0, gt=0, le=1, description="Multiplies the retry delays of webhooks; below 1 only in simulations."
    )
    smtp_url: Annotated[SmtpUrl | None, Unset] = Field(
        None,
        description="The relay that emails are handed to: `smtp://user:password@host:587` (STARTTLS, "
        "`?starttls=required`, `optional` or `never`) or `smtps://…:465`. Without one, emails wait ([Email](mail.md)).",
    )
    mail_from: Annotated[Sender | None, Unset] = Field(
        None,
        description="Sender of emails, such as `Gateway Pix <recibos@example.com>`. Default: `nao-responda@` the base "
        "URL's host.",
    )
    receipts_for_test: bool = Field(False, description="Email the payer's receipt for test charges, too.")

    trusted_proxies: Networks = Field((), description="Proxies whose `X-Forwarded-For` is believed, CIDR list.")
    cors_origins: Annotated[Words, AfterValidator(_origins)] = Field(
        (), description="Origins of panels that may call the API from a browser."
    )
    rate_limits: bool = Field(True, description="`off` only for load tests.")
    panel: bool = Field(True, description="Serve the merchant's panel at `/painel`, to which `/` leads browsers.")
    graphiql: bool = Field(True, description="Serve GraphiQL at `GET /graphql`.")
    graphql_introspection: bool = Field(True, description="Answer GraphQL introspection queries.")
    graphql_fast_path: bool = Field(
        True, description="Compile GraphQL selections at their second use; off leaves everything to graphql-core."
    )

    database_pool: int = Field(14, ge=2, le=100, description="Connections to PostgreSQL per process.")
    argon2_memory_kib: int = Field(
        19456, ge=8, le=1_048_576, description="Memory of one password hash, in KiB; a gibibyte at most."
    )
    argon2_time_cost: int = Field(2, ge=1, le=100, description="Passes of one password hash; 100 at most.")

    @model_validator(mode="after")
    def _engines_are_complete(self) -> Self:
        """Refuse an incomplete engine, which would fail at the first charge, or never report payments."""
        messages = [
            error
            for environment in ("test", "live")
            for errors in (_asaas_errors, _bcb_errors, _mode_errors)
            for error in errors(environment, self)
        ]
        if messages:
            raise ValueError("; ".join(messages))
        return self

    @model_validator(mode="after")
    def _identities_are_complete(self) -> Self:
        """Refuse an incomplete identity service, which would fail at the first login."""
        if (self.appwrite_endpoint is None) != (self.appwrite_project is None):
            raise ValueError(
                "GATEWAY_APPWRITE_ENDPOINT and GATEWAY_APPWRITE_PROJECT belong together: set both or neither"
            )
        return self

    @property
    def public_checkout_url(self) -> str:
        """The base of checkout pages, without a trailing slash."""
        return self.checkout_url or self.base_url

    def panel_page(self, path: str, secret: str = "") -> str | None:
        """The address of a page of the panel; None without the panel. A browser keeps what follows `#` to itself."""
        if not self.panel:
            return None
        return f"{self.base_url}/painel{path}" + (f"#{secret}" if secret else "")

    @property
    def relay(self) -> RelayAddress | None:
        """The mail relay, if configured."""
        return relay_address(self.smtp_url.get_secret_value()) if self.smtp_url else None

    @property
    def mail_sender(self) -> Address:
        """The sender of emails. The default display name is the service's."""
        host = urlsplit(self.base_url).hostname or ""
        sender = self.mail_from or f"nao-responda@{host if '.' in host else 'localhost'}"
        address = sender_address(sender)
        return address if address.display_name else Address(SERVICE_NAME, address.username, address.domain)

    @property
    def asyncpg_dsn(self) -> str:
        """The database's DSN for asyncpg, without a driver suffix."""
        return "postgresql://" + self.database_url.partition("://")[2]


def _asaas_errors(environment: str, settings: Settings) -> Iterator[str]:
    """Errors of the Asaas settings in this environment, if it is the engine there."""
    if getattr(settings, f"engine_{environment}") is not EngineName.asaas:
        return
    prefix = f"GATEWAY_ASAAS_{environment.upper()}"
    yield from _key_errors(f"{prefix}_API_KEY", _opened(settings, f"asaas_{environment}_api_key"), environment)
    yield from _url_errors(f"{prefix}_URL", getattr(settings, f"asaas_{environment}_url"), environment)
    yield from _token_errors(f"GATEWAY_ENGINE_{environment.upper()}_TOKEN", environment, settings)


def _bcb_errors(environment: str, settings: Settings) -> Iterator[str]:
    if getattr(settings, f"engine_{environment}") is EngineName.bcb:
        token = _opened(settings, f"engine_{environment}_token")
        yield from bank_errors(environment, getattr(settings, f"bcb_{environment}"), token)


def _mode_errors(environment: str, settings: Settings) -> Iterator[str]:
    """Refuse the mode `subconta` with an engine that opens no accounts."""
    engine: EngineName | None = getattr(settings, f"engine_{environment}")
    if settings.receiving_mode is not ReceivingMode.subconta or engine is None:
        return
    if not {Capability.accounts, Capability.transfers} <= CAPABILITIES[engine]:
        yield f"GATEWAY_RECEIVING_MODE: the {environment} engine {engine} opens no accounts; set conta_unica"


def _token_errors(variable: str, environment: str, settings: Settings) -> Iterator[str]:
    """Tokens that Asaas refuses when a webhook is registered (engine reference, A11)."""
    token = _opened(settings, f"engine_{environment}_token")
    if not 32 <= len(token) <= 255 or any(character.isspace() for character in token):
        yield f"{variable}: Asaas needs one of 32 to 255 characters without spaces"
    elif any(run in token for run in _NUMERIC_RUNS):
        yield f"{variable}: Asaas takes none with a run of digits such as 12345; draw another"
    elif _FOUR_EQUAL_LETTERS.search(token):
        yield f"{variable}: Asaas takes none with four equal letters in a row; draw another"
    elif "aact_" in token or token == _opened(settings, f"asaas_{environment}_api_key"):
        yield f"{variable} is a key of Asaas, and must be another secret"


def _opened(settings: Settings, name: str) -> str:
    secret: SecretStr | None = getattr(settings, name)
    return secret.get_secret_value() if secret else ""


def _key_errors(variable: str, key: str, environment: str) -> Iterator[str]:
    if not key:
        yield f"{variable} is not set, and Asaas is the {environment} engine"
    elif key.startswith("aact_"):
        yield f"{variable} has lost the $ at its beginning: quote it in a shell, double it in a compose file"
    elif key.startswith("$aact_prod_" if environment == "test" else "$aact_hmlg_"):
        yield f"{variable} is a key of the other environment"


def _url_errors(variable: str, address: str, environment: str) -> Iterator[str]:
    url = urlsplit(address)
    host = url.hostname or ""
    if not host or (url.scheme != "https" and host not in _THIS_MACHINE):
        yield f"{variable} must be an https address"
    elif environment == "test" and host in _PRODUCTION:
        yield f"{variable} is production's, where test charges would move money"
    elif environment == "live" and "sandbox" in host:
        yield f"{variable} is the sandbox's, where no money moves"


def load_settings(**overrides: object) -> Settings:
    """Read the settings; `overrides` take precedence over the environment. Raises `SettingsError` with one line."""
    try:
        return Settings(**overrides)  # type: ignore[arg-type]  # BaseSettings fills the rest from the environment.
    except ValidationError as error:
        raise SettingsError(_one_line(error)) from None


def short_tokens(settings: Settings) -> list[str]:
    """The variables with tokens that are short enough to guess."""
    return [f"GATEWAY_{name.upper()}" for name in TOKENS if 0 < len(_opened(settings, name)) < MIN_TOKEN_CHARACTERS]


def require_long_tokens(settings: Settings) -> Settings:
    """Raise `SettingsError` for a short token, which only `gateway dev` accepts."""
    if short := short_tokens(settings):
        raise SettingsError(
            f"{', '.join(short)}: needs at least {MIN_TOKEN_CHARACTERS} characters; set it to the output of "
            "`openssl rand -hex 32`"
        )
    return settings


def _one_line(error: ValidationError) -> str:
    items = error.errors(include_url=False)
    # The message of a check across settings names them itself.
    together = [item["msg"].removeprefix("Value error, ") for item in items if not item["loc"]]
    # For a union type, the first error says what is expected.
    messages = {_name(item["loc"]): _message(item) for item in reversed(items) if item["loc"]}
    return "; ".join([*(f"GATEWAY_{name.upper()}{message}" for name, message in reversed(messages.items())), *together])


def _name(location: tuple[int | str, ...]) -> str:
    """The name of a setting; those of a bank are one level deeper."""
    return "_".join(map(str, location[: 2 if location[0] in {"bcb_test", "bcb_live"} else 1]))


def variables() -> dict[str, FieldInfo]:
    """Each setting by its environment variable."""
    own = {f"GATEWAY_{name.upper()}": field for name, field in Settings.model_fields.items()}
    for engine in ("GATEWAY_BCB_TEST", "GATEWAY_BCB_LIVE"):
        del own[engine]
        own |= {f"{engine}_{name.upper()}": field for name, field in BankSettings.model_fields.items()}
    return own


def _message(item: ErrorDetails) -> str:
    if item["type"] == "missing":
        return " is not set"
    if item["type"] == "too_short":
        return f": needs at least {item['ctx']['min_length']} characters"
    return f": {item['msg'].removeprefix('Value error, ')}"

"""Settings that are valid, but unsafe or incomplete."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from gateway.doctor.check import Finding, Findings, error, ok, warning
from gateway.integrations.engines.registry import UNSET
from gateway.settings import MIN_TOKEN_CHARACTERS, TOKENS, EngineName, Settings, short_tokens

_PLACEHOLDERS = ("change", "secret", "password", "example", "12345")
_MIN_DISTINCT_IN_KEY = 12
_MIN_DISTINCT_IN_TOKEN = 8
"""A random token of 32 hexadecimal digits can lack half of them."""
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


async def check_configuration(settings: Settings) -> Findings:
    yield ok("configuration", "readable")
    for check in (_secret_key, _tokens, _addresses, _engines, _terms, _identities, _access):
        for finding in check(settings):
            yield finding


def _is_guessable(secret: str, minimum: int) -> bool:
    return len(set(secret)) < minimum or any(word in secret.lower() for word in _PLACEHOLDERS)


def _tokens(settings: Settings) -> Iterator[Finding]:
    short = short_tokens(settings)
    for variable in short:
        yield error(
            "tokens",
            f"{variable} has fewer than {MIN_TOKEN_CHARACTERS} characters, so `gateway serve` and `gateway worker` "
            "refuse to start; set it to the output of `openssl rand -hex 32`",
        )
    for name in TOKENS:
        token, variable = getattr(settings, name), f"GATEWAY_{name.upper()}"
        if token and variable not in short and _is_guessable(token.get_secret_value(), _MIN_DISTINCT_IN_TOKEN):
            yield error("tokens", f"{variable} is easily guessed; set it to the output of `openssl rand -hex 32`")


def _secret_key(settings: Settings) -> Iterator[Finding]:
    key = settings.secret_key.get_secret_value()
    if _is_guessable(key, _MIN_DISTINCT_IN_KEY):
        yield error(
            "secret key",
            "easily guessed; set GATEWAY_SECRET_KEY to the output of `openssl rand -base64 48` before going live",
        )
    else:
        yield ok("secret key", f"{len(key)} characters")


def _addresses(settings: Settings) -> Iterator[Finding]:
    url = urlsplit(settings.base_url)
    is_local = url.hostname in _LOOPBACK
    if url.scheme != "https" and not is_local:
        yield error("base URL", f"{settings.base_url} is not https; put a TLS proxy before it and set GATEWAY_BASE_URL")
    elif is_local:
        yield warning("base URL", f"{settings.base_url} is this machine's; links in webhooks lead nowhere else")
    else:
        yield ok("base URL", settings.base_url)
    if not is_local and not settings.trusted_proxies:
        yield warning(
            "proxies", "none is trusted: behind one, limits count it as the caller; set GATEWAY_TRUSTED_PROXIES"
        )


def _engines(settings: Settings) -> Iterator[Finding]:
    yield from _engine("test", settings.engine_test, has_token=settings.engine_test_token is not None)
    if settings.engine_live is None:
        yield error("live engine", UNSET)
    else:
        yield from _engine("live", settings.engine_live, has_token=settings.engine_live_token is not None)
    if settings.engine_live is EngineName.simulator:
        yield warning("live engine", "the simulator: live charges are simulated, no money moves")
    test, live = settings.engine_test_token, settings.engine_live_token
    if test and live and test.get_secret_value() == live.get_secret_value():
        yield error(
            "notifications", "test and live share a token, so live notifications count as test; make two different ones"
        )


def _engine(environment: str, engine: EngineName, *, has_token: bool) -> Iterator[Finding]:
    subject, setting = f"{environment} engine", f"GATEWAY_ENGINE_{environment.upper()}_TOKEN"
    if has_token:
        yield ok(subject, engine)
    else:  # The settings refuse a real engine without a token.
        yield warning(subject, f"{engine}; notifications from outside are refused until {setting} is set")


def _terms(settings: Settings) -> Iterator[Finding]:
    if settings.terms_url is None:
        yield warning("terms", "merchants accept terms of production that they can't read; set GATEWAY_TERMS_URL")
    else:
        yield ok("terms", f"merchants accept {settings.terms_url}")


def _identities(settings: Settings) -> Iterator[Finding]:
    if settings.appwrite_endpoint is None:
        return
    url = urlsplit(settings.appwrite_endpoint)
    if url.scheme != "https" and url.hostname not in _LOOPBACK:
        yield error("identities", f"{settings.appwrite_endpoint} is not https, and people's tokens travel to it")
    else:
        yield ok("identities", f"logins with Google are vouched for by {settings.appwrite_endpoint}")


def _access(settings: Settings) -> Iterator[Finding]:
    networks = ", ".join(str(network) for network in settings.webhook_allowed_networks)
    if networks:
        yield warning(
            "webhooks",
            f"may reach {networks} inside your network; empty GATEWAY_WEBHOOK_ALLOWED_NETWORKS in production",
        )
    else:
        yield ok("webhooks", "reach public addresses only")
    if not settings.rate_limits:
        yield error("rate limits", "off: passwords can be guessed at full speed; unset GATEWAY_RATE_LIMITS")
    if "*" in settings.cors_origins:
        yield warning("CORS", "any site's scripts may call the API; name your panels in GATEWAY_CORS_ORIGINS")
    if settings.metrics_token is None:
        yield warning("metrics", "served to this machine only; set GATEWAY_METRICS_TOKEN to scrape them from elsewhere")

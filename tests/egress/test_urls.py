import re

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.resolver import Resolver
from gateway.integrations.egress.urls import (
    DENIED_PORTS,
    DENIED_SUFFIXES,
    RefusedUrl,
    check_webhook_name,
    check_webhook_url,
    split_url,
)

from .conftest import ADDITIONS, CORPUS, Directory, section

REFUSED = [entry["url"] for entry in section("refuse_registration")]
ALLOWED = [entry["url"] for entry in section("allow")]
ALLOWED_IN_TEST = [entry["url"] for entry in section("allow_test_only")]

MORE_REFUSED = [
    "", "https", "https://", "https:///x", "//hook.merchant.com/", "javascript:alert(1)", "file:///etc/passwd",
    "https://hook.merchant.com\\@127.0.0.1/", "https://hook.merchant.com/a\\b", "https:\\\\hook.merchant.com/",
    "https://hook.merchant.com/\r\nHost: x", "https://hook.merchant.com/\t", "https://hook.merchant.com/\x7f",
    "https://hook.merchant.com/ação", "https://hook.merchant.com/x#", "https://hook.merchant.com?x#y",
    "https://@hook.merchant.com/", "https://hook.merchant.com:/", "https://hook.merchant.com:0/",
    "https://hook.merchant.com:00443/", "https://hook.merchant.com:443:443/", "https://hook.merchant.com:4e3/",
    "https://hook..merchant.com/", "https://hook.merchant.com./", "https://-hook.merchant.com/", "https://hook-.com/",
    "https://hook.merchant.com,evil.com/", "https://hook!.merchant.com/", "https://hook.merchant.123/",
    "https://hook.merchant.0x7f/", "https://0/", "https://0x/", "https://10.1/", "https://1.2.3.4.5/",
    "https://0x7F.0.0.1/", "https://2852039166/", "https://127.0.1/", "https://[::1%25lo]/", "https://[v1.a]/",
    "https://[]/", "https://[1::2::3]/", "https://[2001:4860:4860::8888]x/", "https://168.63.129.16/",
    "https://LOCALHOST/", "https://app.localhost/", "https://x.home.arpa/", "https://x.ip6.arpa/", "https://x.LAN/",
    "https://db.internal:8443/", "https://local.internal/", "https://metadata.goog/", "https://hook.merchant.com:11211/",
    "https://my_app.merchant.com/", "https://_hook.merchant.com/", "https://hook.merchant_.com/", "https://a.b_c/",
    "https://xn--localhost-.com/", "https://xn--9999999999.com/", "https://xn--ocalhost-6h39b.com/",
    "https://xn--tore-pbb.com/", "https://merchant.onion/", "https://merchant.i2p/", "https://x.alt/", "https://nas.intern/", "https://router.fritz.box/",
    "https://" + "a." * 130 + "com/", "https://hook.merchant.com/" + "a" * 2048, "HTTP://hook.merchant.com/",
]  # fmt: skip

MORE_ALLOWED = [
    "https://hook.merchant.com?x=1", "https://hook.merchant.com/a?email=a@b.c&next=http://127.0.0.1/%2e%2e",
    "https://xn--pagmento-2fg.com/x", "https://xn--n3h.com/", "https://my--app.merchant.com/", "https://merchant.test:8443/hook",
    "https://mylocal.com/", "https://internal.com/", "https://notlocalhost.com/",
    "https://hook.merchant.com:65535/", "https://hook.merchant.com:9000/", "https://hook.merchant.com:3000/",
    "https://hook.merchant.com/" + "a" * (2048 - 26), "https://a.b/",
]  # fmt: skip


def register(url: str, guard: AddressGuard, *, test: bool = False) -> str:
    return check_webhook_url(url, environment_is_test=test, guard=guard)


def refusal(url: str, guard: AddressGuard, *, test: bool = False) -> str:
    """Return the error text, or an empty string if the URL is allowed."""
    try:
        register(url, guard, test=test)
    except RefusedUrl as refused:
        return str(refused)
    return ""


def test_a_refused_url_gets_a_sentence_in_portuguese(closed):
    refusals = {url: refusal(url, closed) for url in (*REFUSED, *MORE_REFUSED)}
    assert len(refusals) > 200
    assert {url: text for url, text in refusals.items() if not re.fullmatch(r"[A-ZÀ-Þ].{,127}\.", text)} == {}


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("https://user:pass@hook.merchant.com/", "usuário e senha"),
        ("https://pagаmento.com/", "punycode"),
        ("https://127.1/", "IPv4"),
        ("https://hook.merchant.com:22/", "porta 22"),
        ("https://hook.merchant.com/#x", "fragmento"),
        ("hook.merchant.com/x", "endereço completo"),
        ("https://10.0.0.1/", "rede interna"),
        ("https://hook.merchant.com/" + "x" * 2048, "2048"),
    ],
)
def test_the_sentence_names_the_problem(url, hint, closed):
    with pytest.raises(RefusedUrl, match=hint):
        register(url, closed)


def test_the_test_environment_refuses_the_same_over_both_schemes(closed):
    secure = [url for url in (*REFUSED, *MORE_REFUSED) if not url.startswith("HTTP:")]
    spellings = (*secure, *(url.replace("https://", "http://", 1) for url in secure))
    assert [url for url in spellings if not refusal(url, closed, test=True)] == []


def test_the_additions_are_new_and_have_a_reason():
    known = {entry.get("url", entry.get("host")) for entries in CORPUS.values() for entry in entries}
    added = [entry for entries in ADDITIONS.values() for entry in entries]
    assert not known & {entry.get("url", entry.get("host")) for entry in added}
    assert all(entry["why"] for entry in added)
    assert len(added) > 150


def test_the_corpus_has_no_unknown_section():
    assert CORPUS.keys() == {
        "refuse_registration", "refuse_live_only", "refuse_by_dns", "allow", "allow_test_only", "allow_by_dns",
    }  # fmt: skip


def test_an_allowed_url_is_stored_with_a_lower_case_host(closed):
    stored = {url: register(url, closed) for url in (*ALLOWED, *MORE_ALLOWED)}
    assert {url: text for url, text in stored.items() if text.lower() != url.lower()} == {}
    assert [text for text in stored.values() if register(text, closed) != text] == []


def test_only_scheme_and_authority_are_lower_cased(closed):
    assert register("HTTPS://HOOK.Merchant.COM:8443/X?Y=Z", closed) == "https://hook.merchant.com:8443/X?Y=Z"


@pytest.mark.parametrize("url", [*ALLOWED_IN_TEST, *(entry["url"] for entry in section("refuse_live_only"))])
def test_http_is_for_the_test_environment_only(url, closed):
    assert register(url, closed, test=True) == url
    with pytest.raises(RefusedUrl, match="https://"):
        register(url, closed)


@pytest.mark.parametrize("suffix", DENIED_SUFFIXES)
def test_denied_suffixes_are_refused_as_suffix_and_alone_but_not_inside_a_name(suffix, closed):
    for host in (f"x{suffix}", f"x.y{suffix}", suffix[1:]):
        with pytest.raises(RefusedUrl, match="rede interna"):
            register(f"https://{host}/", closed)
    assert register(f"https://x{suffix}.com/", closed)


def test_web_and_ephemeral_ports_are_not_denied():
    assert len(DENIED_PORTS) > 100
    assert not DENIED_PORTS & {80, 443, 3000, 4000, 5000, 8000, 8080, 8443, 8888, 9000, 9443}
    assert max(DENIED_PORTS) < 32768


@pytest.mark.parametrize("url", ["http://127.0.0.1:9000/x", "http://localhost:9000", "http://app.localhost:9000/"])
def test_an_allowed_loopback_is_allowed_in_test_and_needs_https_in_live(url, opened, closed):
    assert register(url, opened, test=True) == url
    secure = url.replace("http:", "https:")
    assert register(secure, opened) == secure
    with pytest.raises(RefusedUrl, match="https://"):
        register(url, opened)
    with pytest.raises(RefusedUrl, match="rede interna"):
        register(url, closed, test=True)


@pytest.mark.parametrize(
    "url",
    ["http://redis:9000/", "http://10.0.0.1/", "http://[::1]:9000/", "http://db.internal/", "http://127.1:9000/",
     "http://2130706433/", "http://127.0.0.1:6379/", "http://ip6-localhost/", "http://169.254.169.254/"],
)  # fmt: skip
def test_an_allowed_loopback_allows_no_other_host(url, opened):
    with pytest.raises(RefusedUrl):
        register(url, opened, test=True)


@given(st.text(max_size=60) | st.from_regex(r"https?://[ -~]{0,40}(:[0-9]{1,5})?(/[ -~]{0,20})?", fullmatch=True))
@example("https://hook.merchant.com:443?@127.0.0.1/")
@example("https://[2804:10::10]:8443/x")
def test_an_accepted_url_is_parsed_the_same_by_httpx(url):
    try:
        parts = split_url(url)
    except RefusedUrl:
        return
    other = httpx.URL(parts.text)
    assert (other.scheme, other.host) == (parts.scheme, parts.host)
    assert (other.port or {"http": 80, "https": 443}[other.scheme]) == parts.port
    assert not other.userinfo
    assert not other.fragment


@pytest.mark.parametrize(
    ("url", "authority", "target"),
    [
        ("https://hook.merchant.com", "hook.merchant.com", "/"),
        ("https://hook.merchant.com:443/x", "hook.merchant.com", "/x"),
        ("http://hook.merchant.com:443?x=1", "hook.merchant.com:443", "/?x=1"),
        ("https://[2804:10:10:0::10]:8443/", "[2804:10:10::10]:8443", "/"),
    ],
)
def test_the_authority_and_target_of_the_request(url, authority, target):
    parts = split_url(url)
    assert (parts.authority, parts.target) == (authority, target)


class TestName:
    """`check_webhook_name`, which resolves the host."""

    async def refusal(self, host: str, answers: list[str], guard: AddressGuard) -> str | None:
        resolver = Resolver(Directory({host: answers}))
        try:
            await check_webhook_name(f"https://{host}/hook", resolver=resolver, guard=guard)
        except RefusedUrl as error:
            return str(error)
        finally:
            resolver.close()
        return None

    @pytest.mark.parametrize("entry", section("refuse_by_dns"), ids=lambda entry: entry["host"])
    async def test_a_name_with_a_non_public_address_is_refused(self, entry, closed):
        # An empty answer means that the name doesn't resolve yet; registration accepts it.
        refusal = await self.refusal(entry["host"], entry["answers"], closed)
        assert ("rede interna" in (refusal or "")) == bool(entry["answers"])

    @pytest.mark.parametrize("entry", section("allow_by_dns"), ids=lambda entry: entry["host"])
    async def test_a_name_with_public_answers_passes(self, entry, closed):
        assert await self.refusal(entry["host"], entry["answers"], closed) is None

    async def test_a_name_that_does_not_resolve_yet_passes(self, resolver, closed):
        await check_webhook_name("https://soon.merchant.com/", resolver=resolver, guard=closed)

    async def test_an_allowed_network_applies_to_dns_answers(self, opened):
        assert await self.refusal("a.merchant.test", ["127.0.0.9"], opened) is None
        assert await self.refusal("a.merchant.test", ["127.0.0.9", "10.0.0.1"], opened)

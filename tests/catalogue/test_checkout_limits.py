"""Limits of the public checkout: by address, across transports, and behind trusted proxies only."""

from collections.abc import AsyncIterator
from ipaddress import ip_network

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.rate_limits import caller_of
from gateway.resolvers.core.context import Services
from tests.api_client import Api, Merchant
from tests.catalogue.fixtures import a_link, payer

NEIGHBOURS = "203.0.113."


@pytest.fixture
async def proxied(services: Services) -> AsyncIterator[Api]:
    """The application behind a trusted proxy, which has the address of the tests."""
    settings = services.settings.model_copy(update={"trusted_proxies": (ip_network("127.0.0.0/8"),)})
    async with Api.of(Gateway(settings, replace(services, settings=settings))) as opened:
        yield opened


async def test_ten_issuances_then_429_with_headers(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant)
    path = f"/checkout/link/{link['slug']}/pay"
    answers = [await api.post(path, payer()) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [201] * 10 + [429]
    refused = answers[-1]
    assert refused.headers["ratelimit-limit"] == "10"
    assert refused.headers["ratelimit-remaining"] == "0"
    assert 0 < int(refused.headers["retry-after"]) <= 600
    assert refused.headers["ratelimit-reset"] == refused.headers["retry-after"]
    assert "codigo" not in refused.json()["error"]


async def test_aliases_of_one_document_count_like_requests(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant)
    person = 'customerName: "M", customerEmail: "m@example.com", customerCpf: "52998224725"'
    fields = " ".join(
        f'p{number}: payLink(input: {{slug: "{link["slug"]}", {person}}}) {{ txid }}' for number in range(10)
    )
    assert "errors" not in await api.graphql(f"mutation {{ {fields} }}")
    assert (await api.post(f"/checkout/link/{link['slug']}/pay", payer())).status_code == 429


async def test_three_hundred_reads_of_charges(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    answers = [await api.get(f"/checkout/{charge['txid']}") for _ in range(301)]
    assert [answer.status_code for answer in answers] == [200] * 300 + [429]
    # A limit of one route leaves the others alone.
    assert (await api.post(f"/checkout/{charge['txid']}/simular-pagamento")).status_code == 200


async def test_a_link_and_its_coupons_share_a_hundred_and_twenty(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant)
    path = f"/checkout/link/{link['slug']}"
    for _ in range(60):
        assert (await api.get(path)).status_code == 200
        assert (await api.get(f"{path}/coupon?code=guess")).status_code == 404
    assert (await api.get(path)).status_code == 429
    assert (await api.get(f"{path}/coupon?code=guess")).status_code == 429


async def test_thirty_simulations(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    path = f"/checkout/{charge['txid']}/simular-pagamento"
    assert [(await api.post(path)).status_code for _ in range(31)] == [200] * 30 + [429]


async def test_only_a_trusted_proxy_sets_the_client_address(api: Api, proxied: Api, merchant: Merchant) -> None:
    link = await a_link(merchant)
    path = f"/checkout/link/{link['slug']}/pay"
    spoofed = [await api.post(path, payer(), x_forwarded_for=f"{NEIGHBOURS}{number}") for number in range(11)]
    assert spoofed[-1].status_code == 429
    genuine = [await proxied.post(path, payer(), x_forwarded_for=f"{NEIGHBOURS}{number}") for number in range(11)]
    assert {answer.status_code for answer in genuine} == {201}
    # Only the last address is the proxy's. Addresses that the client sends are ignored.
    claims = [
        await proxied.post(path, payer(), x_forwarded_for=f"198.51.100.{number}, {NEIGHBOURS}200")
        for number in range(11)
    ]
    assert [answer.status_code for answer in claims] == [201] * 10 + [429]


@pytest.mark.parametrize(
    ("address", "counts_as"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::"),
        ("unix:", "unix:"),
        ("", ""),
    ],
)
def test_an_ipv6_subscriber_is_one_caller(address: str, counts_as: str) -> None:
    assert caller_of(address) == counts_as

"""Limits of login and registration: in Redis, shared by processes, counted in the operation (contract section 3)."""

import asyncio
from collections.abc import AsyncIterator
from ipaddress import ip_network

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.errors import RateLimited
from gateway.models.database import open_database
from gateway.rate_limits import LocalCounts, RedisRateLimiter
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from gateway.workers.notify import open_queue
from tests.api_client import PASSWORD, VALID_CNPJ, Api, Merchant

WRONG = "não é esta"


@pytest.fixture
async def second(settings: Settings, services: Services) -> AsyncIterator[Api]:
    """The gateway in another process: its own Redis client and another client address."""
    queue = open_queue(settings.redis_url)
    own = replace(services, limiter=RedisRateLimiter(queue, timeout_seconds=60))
    async with Api.of(Gateway(settings, own), address="127.0.0.9") as opened:
        yield opened
    await queue.aclose(True)


async def test_ten_failures_for_an_email_across_processes(api: Api, second: Api, merchant: Merchant) -> None:
    for number in range(10):
        caller = (api, second)[number % 2]
        email = (merchant.email, merchant.email.upper())[number % 2]
        assert (await caller.post("/auth/login", {"email": email, "password": WRONG})).status_code == 401
    refused = await second.post("/auth/login", {"email": merchant.email, "password": PASSWORD})
    assert refused.status_code == 429
    assert set(refused.json()["error"]) == {"message"}
    wait = int(refused.headers["retry-after"])
    assert 0 < wait <= 900
    limits = {name: refused.headers[f"ratelimit-{name}"] for name in ("limit", "remaining", "reset")}
    assert limits == {"limit": "10", "remaining": "0", "reset": str(wait)}


async def test_an_attacker_does_not_lock_the_owner_out_of_other_networks(
    settings: Settings, services: Services, api: Api, merchant: Merchant
) -> None:
    right = {"email": merchant.email, "password": PASSWORD}
    for stranger, neighbour in (("203.0.113.5", "203.0.113.250"), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9")):
        async with Api.of(Gateway(settings, services), address=stranger) as guesser:
            for _ in range(10):
                assert (await guesser.post("/auth/login", right | {"password": WRONG})).status_code == 401
        async with Api.of(Gateway(settings, services), address=neighbour) as same_network:
            assert (await same_network.post("/auth/login", right)).status_code == 429
    assert (await api.post("/auth/login", right)).status_code == 200


async def test_a_hundred_failures_for_an_email_from_all_networks(
    settings: Settings, services: Services, api: Api, merchant: Merchant
) -> None:
    right = {"email": merchant.email, "password": PASSWORD}
    for network in range(10):
        async with Api.of(Gateway(settings, services), address=f"198.51.{network}.7") as guesser:
            for _ in range(10):
                assert (await guesser.post("/auth/login", right | {"password": WRONG})).status_code == 401
        # A successful login clears only the count of its own network.
        assert (await api.post("/auth/login", right)).status_code == (200 if network < 9 else 429)
    refused = await api.post("/auth/login", right)
    assert (refused.status_code, refused.headers["ratelimit-limit"]) == (429, "100")
    assert (await api.post("/auth/login", right | {"email": "outra@example.com"})).status_code == 401


async def test_a_guess_that_was_not_verified_is_not_counted(
    settings: Settings, services: Services, api: Api, merchant: Merchant
) -> None:
    gone = await open_database(settings.asyncpg_dsn, size=2)
    await gone.close()
    login = {"email": merchant.email, "password": PASSWORD}
    async with Api.of(Gateway(settings, replace(services, database=gone))) as without_database:
        assert {(await without_database.post("/auth/login", login)).status_code for _ in range(12)} == {500}
    for _ in range(9):
        assert (await api.post("/auth/login", login | {"password": WRONG})).status_code == 401
    assert (await api.post("/auth/login", login)).status_code == 200


async def test_a_successful_login_clears_the_failures(api: Api, merchant: Merchant) -> None:
    for _ in range(3):
        for _ in range(9):
            await api.post("/auth/login", {"email": merchant.email, "password": WRONG})
        assert (await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})).status_code == 200


async def test_concurrent_successful_logins_are_no_failures(api: Api, merchant: Merchant) -> None:
    right = {"email": merchant.email, "password": PASSWORD}
    answers = await asyncio.gather(*(api.post("/auth/login", right) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}


async def test_concurrent_guesses_are_counted_individually(api: Api, merchant: Merchant) -> None:
    guesses = [api.post("/auth/login", {"email": merchant.email, "password": WRONG}) for _ in range(30)]
    answers = [answer.status_code for answer in await asyncio.gather(*guesses)]
    assert (answers.count(401), answers.count(429)) == (10, 20)
    assert (await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})).status_code == 429


async def test_guesses_of_the_current_password_are_limited_to_ten(api: Api, merchant: Merchant) -> None:
    form = {"current_password": WRONG, "new_password": "outra senha bem comprida"}
    guesses = [(await api.put("/auth/password", form, token=merchant.token)).status_code for _ in range(11)]
    assert guesses == [401] * 10 + [429]
    right = form | {"current_password": PASSWORD}
    assert (await api.put("/auth/password", right, token=merchant.token)).status_code == 429


async def test_guesses_by_others_do_not_count_for_a_session(api: Api, merchant: Merchant) -> None:
    """The id of a store is public, and may be sent instead of an address."""
    for _ in range(10):
        assert (await api.post("/auth/login", {"email": merchant.id, "password": WRONG})).status_code == 401
    form = {"current_password": PASSWORD, "new_password": "outra senha bem comprida"}
    assert (await api.put("/auth/password", form, token=merchant.token)).status_code == 200


async def test_an_ipv6_client_counts_by_its_64_prefix(settings: Settings, services: Services) -> None:
    answers = []
    for number in range(61):
        async with Api.of(Gateway(settings, services), address=f"2001:db8::{number:x}") as caller:
            answers.append(await caller.post("/auth/login", {"email": f"v{number}@example.com", "password": WRONG}))
    assert [answer.status_code for answer in answers] == [401] * 60 + [429]


def ten_logins(*emails: str, password: str) -> str:
    logins = [f'login(input: {{email: "{email}", password: "{password}"}}) {{ accessToken }}' for email in emails]
    return "mutation { " + " ".join(f"a{number}: {logins[number % len(logins)]}" for number in range(10)) + " }"


async def test_ten_aliased_logins_are_counted_individually(api: Api, merchant: Merchant) -> None:
    document = ten_logins(*(f"x{number}@example.com" for number in range(10)), password=WRONG)
    for _ in range(6):
        response = await api.request("POST", "/graphql", {"query": document})
        statuses = [error["extensions"]["status"] for error in response.json()["errors"]]
        assert statuses == [401] * 2 + [429] * 8, "two passwords are hashed, and all ten are counted"
    assert (await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})).status_code == 429


async def test_ten_aliased_guesses_are_counted_individually(api: Api, merchant: Merchant) -> None:
    response = await api.request("POST", "/graphql", {"query": ten_logins(merchant.email, password=WRONG)})
    assert [error["extensions"]["status"] for error in response.json()["errors"]] == [401] * 2 + [429] * 8
    refused = await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})
    assert (refused.status_code, refused.headers["ratelimit-limit"]) == (429, "10")


async def test_a_rate_limit_in_graphql_has_the_headers(api: Api) -> None:
    query = 'mutation { login(input: {email: "x@example.com", password: "y"}) { accessToken } }'
    for _ in range(10):
        await api.graphql(query)
    response = await api.request("POST", "/graphql", {"query": query})
    error = response.json()["errors"][0]
    assert error["extensions"] == {"status": 429}
    assert int(response.headers["retry-after"]) > 0
    assert response.headers["ratelimit-limit"] == "10"


async def test_sixty_logins_for_an_address(api: Api, second: Api) -> None:
    for number in range(60):
        answer = await api.post("/auth/login", {"email": f"x{number}@example.com", "password": WRONG})
        assert answer.status_code == 401
    refused = await api.post("/auth/login", {"email": "novo@example.com", "password": WRONG})
    assert (refused.status_code, refused.headers["ratelimit-limit"]) == (429, "60")
    elsewhere = await second.post("/auth/login", {"email": "novo@example.com", "password": WRONG})
    assert elsewhere.status_code == 401


async def test_sixty_registrations_for_an_address(api: Api, second: Api) -> None:
    form = {"name": "A", "password": PASSWORD, "cnpj": VALID_CNPJ}
    for number in range(60):
        assert (await api.post("/auth/register", form | {"email": f"r{number}@example.com"})).status_code == 201
    assert (await api.post("/auth/register", form | {"email": "r60@example.com"})).status_code == 429
    assert (await second.post("/auth/register", form | {"email": "r60@example.com"})).status_code == 201


async def test_forwarded_addresses_count_only_behind_a_trusted_proxy(settings: Settings, services: Services) -> None:
    async def failures(app: Gateway) -> list[int]:
        async with Api.of(app, address="10.1.1.1") as caller:
            return [
                (
                    await caller.post(
                        "/auth/login",
                        {"email": f"z{number}@example.com", "password": WRONG},
                        x_forwarded_for=f"203.0.113.{number}",
                    )
                ).status_code
                for number in range(62)
            ]

    assert (await failures(Gateway(settings, services)))[-1] == 429
    trusting = settings.model_copy(update={"trusted_proxies": (ip_network("10.0.0.0/8"),)})
    behind = Gateway(trusting, replace(services, settings=trusting))
    assert set(await failures(behind)) == {401}


async def test_a_hanging_redis_is_skipped_and_retried_later() -> None:
    attempts = 0

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal attempts
        attempts += 1
        await reader.read()
        writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    queue = open_queue(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0")
    limiter = RedisRateLimiter(queue, retry_seconds=60)
    for _ in range(5):
        await limiter.hit("login", 5, 60)
    with pytest.raises(RateLimited):
        await limiter.hit("login", 5, 60)
    await limiter.forget("login")
    assert attempts == 1

    limiter._next_try = 0.0  # A minute later.
    await limiter.hit("login", 5, 60)
    assert attempts == 2
    await queue.aclose(True)
    server.close()


def test_counters_in_memory_are_bounded() -> None:
    alone = LocalCounts(max_windows=1000)
    alone.count("long", 5, 10_000)
    for number in range(20_000):
        alone.count(f"short {number}", 1, 1000)
        assert len(alone) <= 1000
    assert alone.count("long", 1, 10_000)[0] == 6, "the windows that end first were removed"
    assert alone.count("short 19999", 1, 1000)[0] == 2


async def test_a_recovered_redis_counts_again(settings: Settings, services: Services) -> None:
    queue = open_queue(settings.redis_url)
    limiter = RedisRateLimiter(queue, timeout_seconds=60)
    limiter._unavailable = True
    await limiter.hit("shared", 2, 60)
    await limiter.hit("shared", 2, 60)
    with pytest.raises(RateLimited):
        await services.limiter.hit("shared", 2, 60)
    await queue.aclose(True)

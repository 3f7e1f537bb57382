"""The billing job, started by token, by staff, by the CLI and by the worker."""

import asyncio
import json
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.subscriptions.billing_job import lock_job
from gateway.values.clock import SAO_PAULO
from gateway.workers.arq_settings import cron_jobs, open_worker
from gateway.workers.notify import open_queue
from gateway.workers.periodic_jobs import PeriodicJob, all_jobs, bill_all, bill_due
from tests import sql
from tests.api.actors import SET_STAFF
from tests.api.rows import fingerprint
from tests.api_client import Api, Merchant
from tests.commands import Commands
from tests.fake_clock import MovedClock
from tests.subscriptions.fixtures import Biller, put_subscriptions

TOKEN = "a job token for tests"
BILL = """mutation($asOf: DateTime, $dryRun: Boolean! = false) { billSubscriptions(asOf: $asOf, dryRun: $dryRun) {
    iniciadoEm concluidoEm analisadas cobradas jaCobradas falhas semData
    detalhes { subscriptionId chargeId resultado motivo } } }"""
KEYS = ["iniciado_em", "concluido_em", "analisadas", "cobradas", "ja_cobradas", "falhas", "sem_data", "detalhes"]


@pytest.fixture
async def guarded(services: Services) -> Any:
    """The application with a job token."""
    settings = services.settings.model_copy(update={"job_token": SecretStr(TOKEN)})
    async with Api.of(Gateway(settings, replace(services, settings=settings))) as api:
        yield api


async def run_job(api: Api, body: Any = None, query: str = "", token: str | None = TOKEN) -> Any:
    headers = {} if token is None else {"x-job-token": token}
    return await api.client.post(f"/jobs/subscriptions{query}", json=body, headers=headers)


async def test_it_runs_by_token(guarded: Api, merchant: Merchant, clock: MovedClock, database: Database) -> None:
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    answer = await run_job(guarded)
    assert answer.status_code == 200, answer.text
    summary = answer.json()["data"]
    assert list(summary) == KEYS
    assert (summary["analisadas"], summary["cobradas"]) == (1, 1)
    [detail] = summary["detalhes"]
    assert detail["subscription_id"] == row_id
    assert detail["charge_id"]
    assert (detail["resultado"], detail["motivo"]) == ("cobrada", None)


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN[:-1]])
async def test_without_the_token_nothing_runs(
    guarded: Api, merchant: Merchant, clock: MovedClock, database: Database, token: str | None
) -> None:
    await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    before = await fingerprint(database)
    answer = await run_job(guarded, token=token)
    assert (answer.status_code, answer.json()) == (401, {"error": "Token inválido ou expirado"})
    assert await fingerprint(database) == before


UNREADABLE: dict[str, tuple[str, bytes, str]] = {
    "a date": ("", b'{"as_of": "zz"}', "application/json"),
    "a date in the query": ("?as_of=zz", b"", "application/json"),
    "no JSON": ("", b"{", "application/json"),
    "no JSON at all": ("", b"as_of=zz", "text/plain"),
    "twice": ("?dry_run=true", b'{"dry_run": true}', "application/json"),
}


@pytest.mark.parametrize(("query", "body", "kind"), UNREADABLE.values(), ids=UNREADABLE.keys())
async def test_without_the_token_the_input_is_not_validated(guarded: Api, query: str, body: bytes, kind: str) -> None:
    async def status_of(token: str) -> int:
        headers = {"content-type": kind, "x-job-token": token}
        return (await guarded.client.post(f"/jobs/subscriptions{query}", content=body, headers=headers)).status_code

    assert await status_of("wrong") == 401
    assert await status_of(TOKEN) in {400, 415}


async def test_without_a_configured_token_all_are_refused(api: Api) -> None:
    for token in ("", "None", TOKEN):
        assert (await run_job(api, token=token)).status_code == 401


async def test_an_option_in_body_and_query_is_refused(
    guarded: Api, merchant: Merchant, clock: MovedClock, database: Database
) -> None:
    await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    before = await fingerprint(database)
    answer = await run_job(guarded, {"dry_run": False}, query="?dry_run=true")
    assert (answer.status_code, answer.json()["error"]["campos"][0]["campo"]) == (400, "dry_run")
    assert await fingerprint(database) == before


@pytest.mark.parametrize("where", ["body", "query"])
async def test_dry_run_and_as_of_by_body_or_query(
    guarded: Api, merchant: Merchant, clock: MovedClock, database: Database, where: str
) -> None:
    later = clock.now() + timedelta(days=10)
    await put_subscriptions(database, merchant.id, [{}, {"next_billing_at": later}], due=clock.now())
    before = await fingerprint(database)

    async def run(**options: Any) -> dict[str, Any]:
        if where == "body":
            answer = await run_job(guarded, options)
        else:
            query_string = "&".join(f"{name}={json.dumps(value).strip(chr(34))}" for name, value in options.items())
            answer = await run_job(guarded, query="?" + query_string.replace("+", "%2B"))
        assert answer.status_code == 200, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    assert (await run(dry_run=True))["cobradas"] == 1
    assert (await run(dry_run=True, as_of=later.isoformat()))["cobradas"] == 2
    assert await fingerprint(database) == before
    assert (await run(as_of=later.isoformat(), dry_run=False))["cobradas"] == 2
    assert (await run())["analisadas"] == 0


@pytest.mark.parametrize("body", [{"as_of": "amanhã"}, {"dry_run": "talvez"}, {"as_of": 5}, [], "x"])
async def test_a_bad_request_is_refused(guarded: Api, database: Database, body: Any) -> None:
    before = await fingerprint(database)
    assert (await run_job(guarded, body)).status_code == 400
    assert (await run_job(guarded, query="?as_of=ontem")).status_code == 400
    assert await fingerprint(database) == before


async def test_a_second_run_is_a_conflict(guarded: Api, merchant: Merchant, database: Database) -> None:
    await database.run(SET_STAFF, user_id=merchant.id, staff=True)
    async with lock_job(database):
        answer = await run_job(guarded)
        assert (answer.status_code, answer.json()["error"]["codigo"]) == (409, "JOB_EM_EXECUCAO")
        result = await guarded.graphql(BILL, token=merchant.token)
        assert result["errors"][0]["extensions"] == {"codigo": "JOB_EM_EXECUCAO", "status": 409}
    assert (await run_job(guarded)).status_code == 200


async def test_only_platform_admins_run_it(api: Api, merchant: Merchant, clock: MovedClock, database: Database) -> None:
    await put_subscriptions(database, merchant.id, [{}, {"customer_cpf": None}], due=clock.now())
    staff = await api.register_merchant()
    for token in (merchant.token, merchant.key, staff.token, None):
        refused = await api.graphql(BILL, token=token)
        assert refused["errors"][0]["extensions"]["status"] in {401, 403}
    await database.run(SET_STAFF, user_id=staff.id, staff=True)
    simulated = (await api.graphql(BILL, token=staff.token, dryRun=True))["data"]["billSubscriptions"]
    assert (simulated["cobradas"], simulated["falhas"]) == (1, 1)
    summary = (await api.graphql(BILL, token=staff.token))["data"]["billSubscriptions"]
    assert (summary["analisadas"], summary["cobradas"], summary["falhas"]) == (2, 1, 1)
    assert {detail["resultado"] for detail in summary["detalhes"]} == {"cobrada", "falha"}
    assert (await api.post("/jobs/subscriptions", token=staff.token)).status_code == 401


@pytest.mark.timeout(300)
async def test_the_cli_runs_it(
    gateway: Commands, merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    now = clock.now()
    rows = [{}, {"customer_cpf": None}, {"next_billing_at": now + timedelta(days=3)}]
    ids = await put_subscriptions(database, merchant.id, rows, due=now - timedelta(minutes=1))
    later = (now + timedelta(days=4)).isoformat()
    simulated = await asyncio.to_thread(gateway, "bill", "--dry-run", "--as-of", later)
    wrong = await asyncio.to_thread(gateway, "bill", "--as-of", "x")
    assert simulated.returncode == 0, simulated.stderr
    assert counted(simulated.stdout) == {"seen": 3, "charged": 2, "already_charged": 0, "failed": 1, "rescheduled": 0}
    assert "Dry run" in simulated.stdout
    assert wrong.returncode == 2
    assert wrong.stderr.splitlines()[-1].startswith("gateway: --as-of: give a date")
    assert await biller.cycles() == []

    billed = await asyncio.to_thread(gateway.afresh, "bill")
    assert billed.returncode == 0, billed.stderr
    assert counted(billed.stdout) == {"seen": 2, "charged": 1, "already_charged": 0, "failed": 1, "rescheduled": 0}
    assert f"{ids[1]}: the payer's CPF or CNPJ is missing" in billed.stdout
    assert [cycle.subscription_id for cycle in await biller.cycles()] == [ids[0]]

    async with lock_job(database):
        refused = await asyncio.to_thread(gateway, "bill")
    assert (refused.returncode, refused.stderr.splitlines()[-1]) == (1, "gateway: another billing run is under way")


def counted(printed: str) -> dict[str, int]:
    """The table of the summary."""
    words = (line.split() for line in printed.splitlines())
    return {pair[0]: int(pair[1]) for pair in words if len(pair) == 2 and pair[1].isdecimal()}


async def test_the_cron_is_daily_in_sao_paulo_and_has_a_notification(services: Services) -> None:
    settings = services.settings.model_copy(update={"billing_hour": 4, "billing_interval_minutes": 15.0})
    jobs = all_jobs(settings)
    table = {job.name: job for job in cron_jobs(jobs)}
    daily = table["cron:day"]
    assert (daily.hour, daily.minute, daily.unique) == (4, 0, True)
    assert table["cron:billing"].minute == {0, 15, 30, 45}
    queue = open_queue(settings.redis_url)
    assert open_worker(queue, {"settings": settings, "jobs": jobs}).timezone is SAO_PAULO
    await queue.aclose(True)


async def look(jobs: Iterable[PeriodicJob], name: str) -> None:
    """Run the cron of this name."""
    [job] = [job for job in cron_jobs(jobs) if job.name == name]
    await job.coroutine({})


async def test_the_daily_billing_retries_recent_failures(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    await put_subscriptions(database, merchant.id, [{"customer_cpf": None}], due=clock.now())
    await bill_due(biller.ctx)
    await sql.run(database, "update subscriptions set customer_cpf = '52998224725'")
    async with lock_job(database):
        await bill_all(biller.ctx)  # Another run is in progress: that is no failure.
    await bill_due(biller.ctx)
    assert await biller.cycles() == []
    jobs = {job.name: job for job in all_jobs(services.settings)}
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        task = group.create_task(jobs["daily_billing"].run(services))
        await asyncio.sleep(0.05)
        assert await biller.cycles() == []  # Not at worker start: a restarting worker would retry endlessly.
        await look(jobs.values(), "cron:day")
        while not await biller.cycles():  # noqa: ASYNC110  # PostgreSQL announces nothing.
            await asyncio.sleep(0.02)
        task.cancel()


async def test_the_periodic_job_bills_when_it_is_notified(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    jobs = {job.name: job for job in all_jobs(services.settings)}
    assert jobs["billing"].schedule.every == 300
    task = asyncio.create_task(jobs["billing"].run(services))
    try:
        await asyncio.sleep(0)
        await put_subscriptions(database, merchant.id, [{}], due=clock.now())
        await look(jobs.values(), "cron:billing")
        async with asyncio.timeout(60):
            while not await biller.cycles():  # noqa: ASYNC110  # PostgreSQL announces nothing.
                await asyncio.sleep(0.02)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

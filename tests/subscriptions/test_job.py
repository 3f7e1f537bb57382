"""The billing job: the result of each subscription, and its events."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from gateway.errors import JobInProgress
from gateway.integrations.engines.interface import (
    EngineCharge,
    Engines,
    NewCharge,
)
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.database import Database
from gateway.models.subscriptions import Interval
from gateway.resolvers.subscriptions.billing import BillingOptions
from gateway.resolvers.subscriptions.billing_job import bill, count_due, lock_job
from gateway.resolvers.subscriptions.due import PAGE_SIZE
from gateway.resolvers.subscriptions.record_cycles import INSERT_CYCLE_CHARGES
from gateway.resolvers.subscriptions.schedule import Recurrence
from gateway.values.clock import SAO_PAULO
from gateway.workers.periodic_jobs import bill_due
from tests import sql
from tests.api.actors import set_status
from tests.api.rows import fingerprint
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.simulators import simulator
from tests.subscriptions.fixtures import (
    Biller,
    counts,
    lock_subscriptions,
    put_subscriptions,
    read_subscription,
    subscribed,
    wait_until_blocked,
)


async def test_a_due_subscription_is_charged_with_its_events(
    api: Api, merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    endpoint = {"name": "loja", "url": "http://127.0.0.1:8080/avisos"}
    assert (await api.post("/webhook-endpoints", endpoint, token=merchant.token)).status_code == 201
    made = await subscribed(merchant, next_billing_at=(clock.now() + timedelta(days=3)).isoformat())
    assert counts(await biller.run()) == {}
    clock.advance(timedelta(days=3, minutes=1))
    started = clock.now()
    summary = await biller.run()
    assert counts(summary) == {"analisadas": 1, "cobradas": 1}
    assert (summary.iniciado_em, summary.concluido_em) == (started, started)

    [charge] = (await api.get(f"/pix?subscription_id={made['id']}", token=merchant.key)).json()["data"]
    [detail] = summary.detalhes
    assert (detail.subscription_id, detail.charge_id, detail.resultado) == (made["id"], charge["id"], "cobrada")
    assert (charge["amount"], charge["description"], charge["status"]) == (49.9, "Plano ouro", "pending")
    assert (charge["customer_cpf"], charge["environment"]) == ("52998224725", "test")
    after = await read_subscription(merchant, made["id"])
    assert after["cycles_count"] == 1
    assert datetime.fromisoformat(after["next_billing_at"]) > clock.now()

    events = await sql.rows(database, "select type, body, dedupe_key from webhook_events order by type")
    assert [event["type"] for event in events] == ["charge.created", "subscription.charged"]
    created, charged = (orjson.loads(event["body"])["data"] for event in events)
    whole = (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]
    assert _alike(created, whole)
    assert charged["trigger"] == "schedule"
    assert _alike(charged["charge"], whole)
    assert _alike(charged["subscription"], after)
    assert await biller.count("webhook_deliveries where state = 0") == 2
    assert biller.services.notifier.webhook_calls == 1  # type: ignore[attr-defined]  # the tests' own notifier.
    acts = await sql.rows(
        database, "select action, resource_id, actor_type, source from audit_trail order by created_at"
    )
    written = {(act["action"], act["resource_id"], act["actor_type"], act["source"]) for act in acts}
    assert ("charge.created", charge["id"], "system", "job") in written
    assert ("subscription.charged", made["id"], "system", "job") in written
    assert ("subscriptions.billed", None, "system", "job") in written
    await merchant.pay(charge["id"])


def _alike(result: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Equal, with timestamps in any text form."""
    return {name: _plain(value) for name, value in result.items()} == {k: _plain(v) for k, v in expected.items()}


def _plain(value: Any) -> Any:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return value


async def test_without_endpoints_the_events_are_inserted_without_a_qr_image(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    bodies = await sql.rows(database, "select body from webhook_events where type = 'charge.created'")
    [result] = [orjson.loads(row["body"])["data"] for row in bodies]
    assert result["pix_code"].startswith("000201")
    assert result["qr_code_url"] is None
    assert await biller.count("webhook_events") == 2
    assert await biller.count("webhook_deliveries") == 0
    assert biller.services.notifier.webhook_calls == 0  # type: ignore[attr-defined]  # as above.


async def test_several_pages_in_both_environments(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    await set_status(database, merchant, "approved")
    now = clock.now()
    count = PAGE_SIZE * 2 + 3
    rows = [{"environment": "live" if number % 3 == 0 else "test"} for number in range(count)]
    await put_subscriptions(database, merchant.id, rows, due=now - timedelta(hours=1))
    seen: list[int] = []
    assert await count_due(biller.ctx, BillingOptions()) == count
    assert counts(await bill(biller.ctx, BillingOptions(), seen.append)) == {"analisadas": count, "cobradas": count}
    assert seen == sorted(seen)
    assert seen[-1] == count
    assert counts(await biller.run()) == {}
    assert len(await biller.cycles()) == count
    query = "charges c join subscriptions s on s.id = c.subscription_id and s.environment = c.environment and s.cycles_count = 1"
    assert await biller.count(query) == count
    assert await biller.count("webhook_events") == 2 * count
    assert await biller.count("simulator_charges") == count
    assert await biller.count("issuances") == 0


async def test_only_active_and_due_subscriptions_are_charged(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    now = clock.now()
    rows = [{"status": "paused"}, {"status": "canceled"}, {"next_billing_at": now + timedelta(seconds=1)}, {}]
    ids = await put_subscriptions(database, merchant.id, rows, due=now)
    summary = await biller.run()
    assert [detail.subscription_id for detail in summary.detalhes] == [ids[3]]
    assert counts(summary) == {"analisadas": 1, "cobradas": 1}


async def test_an_overdue_subscription_is_charged_once_and_continues_from_now(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    year = clock.now().year + 1
    due = datetime(year, 1, 31, 15, tzinfo=UTC)
    clock.advance(datetime(year, 12, 24, tzinfo=UTC) - clock.now())
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=due)
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    assert [cycle.billing_cycle for cycle in await biller.cycles()] == [due]
    assert (await read_subscription(merchant, row_id))["next_billing_at"] == f"{year}-12-31T15:00:00+00:00"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"customer_cpf": None}, "Falta o CPF ou CNPJ do pagador."),
        ({"environment": "live"}, "A loja não está liberada para operar em produção."),
        ({"amount": 499}, "O valor é menor que o mínimo de uma cobrança."),
    ],
)
async def test_an_unchargeable_subscription_fails_alone(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database, row: dict[str, Any], reason: str
) -> None:
    now = clock.now()
    bad, good = await put_subscriptions(database, merchant.id, [row, {}], due=now)
    summary = await biller.run()
    assert counts(summary) == {"analisadas": 2, "cobradas": 1, "falhas": 1}
    assert {(d.subscription_id, d.resultado.value, d.motivo) for d in summary.detalhes} == {
        (bad, "falha", reason),
        (good, "cobrada", None),
    }
    failed = await sql.row(database, "select last_failure, next_billing_at from subscriptions where id = $1", bad)
    assert failed is not None
    assert (failed["last_failure"], failed["next_billing_at"]) == (reason, now)
    assert await biller.count("issuances") == 0

    await sql.run(database, "update subscriptions set customer_cpf = '52998224725', amount = 500 where id = $1", bad)
    await set_status(database, merchant, "approved")
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    assert await sql.value(database, "select last_failure from subscriptions where id = $1", bad) is None


async def test_the_saved_customer_completes_the_payer(
    api: Api, merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    customer = (await api.post("/customers", {"name": "Maria"}, token=merchant.key)).json()["data"]
    row = {"customer_id": customer["id"], "customer_cpf": None, "customer_email": None}
    await put_subscriptions(database, merchant.id, [row], due=clock.now())
    assert counts(await biller.run()) == {"analisadas": 1, "falhas": 1}
    await api.put(
        f"/customers/{customer['id']}", {"cpf": "111.444.777-35", "email": "m@example.com"}, token=merchant.key
    )
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    [charge] = (await api.get("/pix", token=merchant.key)).json()["data"]
    assert (charge["customer_cpf"], charge["customer_email"]) == ("11144477735", "m@example.com")
    assert (charge["customer_name"], charge["customer_id"]) == ("José Pagador", customer["id"])


async def test_the_periodic_job_waits_an_hour_after_a_failure_and_a_manual_run_does_not(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    await put_subscriptions(database, merchant.id, [{"customer_cpf": None}], due=clock.now())
    await biller.run()
    await sql.run(database, "update subscriptions set customer_cpf = '52998224725'")
    clock.advance(timedelta(minutes=59))
    await bill_due(biller.ctx)
    assert await biller.cycles() == []
    clock.advance(timedelta(minutes=1))
    await bill_due(biller.ctx)
    assert len(await biller.cycles()) == 1


@pytest.mark.parametrize(
    ("behaviours", "reason"),
    [
        ([Behaviour.refuse], "O provedor de pagamentos recusou ou falhou."),
        ([Behaviour.unavailable], "O provedor de pagamentos recusou ou falhou."),
        ([Behaviour.bad_code], "O provedor de pagamentos devolveu um código Pix inválido."),
    ],
)
async def test_an_engine_failure_costs_one_cycle_per_run(
    merchant: Merchant,
    biller: Biller,
    clock: MovedClock,
    database: Database,
    engines: Engines,
    behaviours: list[Behaviour],
    reason: str,
) -> None:
    engines.test.scenario.plan("create_charge", *behaviours)  # type: ignore[attr-defined]  # the tests' engines have scripts.
    await put_subscriptions(database, merchant.id, [{}, {}, {}], due=clock.now())
    summary = await biller.run()
    assert counts(summary) == {"analisadas": 3, "cobradas": 2, "falhas": 1}
    assert [d.motivo for d in summary.detalhes if d.motivo] == [reason]
    assert await biller.count("issuances") == 0
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    assert len(await biller.cycles()) == 3
    assert await biller.count("simulator_charges where status = 'PENDING'") == 3


@pytest.mark.parametrize("lost", [Behaviour.timeout_after, Behaviour.timeout_before])
async def test_a_lost_response_is_looked_up_and_never_sent_again(
    merchant: Merchant,
    biller: Biller,
    clock: MovedClock,
    database: Database,
    engines: Engines,
    lost: Behaviour,
) -> None:
    engines.test.scenario.plan("create_charge", lost)  # type: ignore[attr-defined]  # the tests' engines have scripts.
    await put_subscriptions(database, merchant.id, [{}, {}], due=clock.now())
    assert counts(await biller.run()) == {"analisadas": 2, "cobradas": 2}
    assert await biller.count("simulator_charges") == 2


@pytest.mark.parametrize("lost", [Behaviour.timeout_after, Behaviour.timeout_before])
async def test_after_a_failed_look_up_the_next_run_finishes_the_cycle(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database, engines: Engines, lost: Behaviour
) -> None:
    engines.test.scenario.plan("create_charge", lost)  # type: ignore[attr-defined]  # the tests' engines have scripts.
    engines.test.scenario.plan("find_charge", Behaviour.unavailable, Behaviour.unavailable)  # type: ignore[attr-defined]  # as above.
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    summary = await biller.run()
    assert counts(summary) == {"analisadas": 1, "falhas": 1}
    assert "confere antes de cobrar" in str(summary.detalhes[0].motivo)
    assert counts(await biller.run()) == {"analisadas": 1, "falhas": 1}
    assert await biller.count("issuances") == 1
    busy = await merchant.api.delete(f"/subscriptions/{row_id}", token=merchant.key)
    assert busy.status_code == 409
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    assert await biller.count("simulator_charges where status = 'PENDING'") == 1
    assert await biller.count("issuances") == 0
    assert len(await biller.cycles()) == 1


async def test_a_missing_date_is_repaired_and_counted(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    now = clock.now()
    schedules = [("weekly", 1), ("monthly", 1), ("yearly", 1), ("quarterly", 1), ("weekly", 2), ("monthly", 2)]
    rows: list[dict[str, Any]] = [
        {"next_billing_at": None, "interval": interval, "interval_count": every} for interval, every in schedules
    ]
    ids = await put_subscriptions(
        database, merchant.id, [*rows, {"next_billing_at": None, "status": "paused"}], due=now
    )
    before = await fingerprint(database)
    assert counts(await biller.run(dry_run=True)) == {"analisadas": 6, "sem_data": 6}
    assert await fingerprint(database) == before
    summary = await biller.run()
    assert counts(summary) == {"analisadas": 6, "sem_data": 6}
    assert {d.resultado.value for d in summary.detalhes} == {"sem_data"}
    dates = [
        datetime.fromisoformat((await read_subscription(merchant, row_id))["next_billing_at"]) for row_id in ids[:6]
    ]
    assert dates[0] == now + timedelta(days=7)
    assert timedelta(days=27) < dates[1] - now < timedelta(days=32)
    assert timedelta(days=364) < dates[2] - now < timedelta(days=367)
    assert timedelta(days=88) < dates[3] - now < timedelta(days=93)
    assert dates[4] == now + timedelta(days=14)
    assert timedelta(days=58) < dates[5] - now < timedelta(days=63)
    assert (await read_subscription(merchant, ids[6]))["next_billing_at"] is None
    assert counts(await biller.run()) == {}


async def test_it_ends_after_its_last_cycle_or_at_its_end_date(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    now = clock.now()
    rows: list[dict[str, Any]] = [
        {"max_cycles": 3, "cycles_count": 2},
        {"end_date": now + timedelta(days=20)},
        {"end_date": now - timedelta(hours=1)},
        {"max_cycles": 2},
    ]
    last, ending, over, going_on = await put_subscriptions(database, merchant.id, rows, due=now)
    summary = await biller.run()
    assert counts(summary) == {"analisadas": 4, "cobradas": 3}
    assert [(d.subscription_id, d.motivo) for d in summary.detalhes if d.resultado.value == "encerrada"] == [
        (over, "A assinatura chegou ao fim.")
    ]
    for row_id, cycles in ((last, 3), (ending, 1), (over, 0)):
        after = await read_subscription(merchant, row_id)
        assert (after["status"], after["next_billing_at"], after["cycles_count"]) == ("canceled", None, cycles), row_id
    assert (await read_subscription(merchant, going_on))["status"] == "active"
    again = await merchant.api.put(f"/subscriptions/{last}", {"status": "active"}, token=merchant.key)
    assert again.status_code == 400
    again = await merchant.api.put(f"/subscriptions/{last}", {"status": "active", "max_cycles": 4}, token=merchant.key)
    assert again.status_code == 200
    assert again.json()["data"]["next_billing_at"] is not None


async def test_a_dry_run_counts_and_writes_nothing(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    rows = [{}, {"customer_cpf": None}, {"environment": "live"}, {"end_date": clock.now() - timedelta(1)}]
    await put_subscriptions(database, merchant.id, rows, due=clock.now())
    before = await fingerprint(database)
    async with lock_job(database):  # It needs no lock, because it claims nothing.
        summary = await biller.run(dry_run=True)
    assert counts(summary) == {"analisadas": 4, "cobradas": 1, "falhas": 2}
    assert await fingerprint(database) == before


async def test_as_of_charges_subscriptions_due_at_that_time_once(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    later = clock.now() + timedelta(days=40)
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=clock.now() + timedelta(days=3))
    assert counts(await biller.run(as_of=later)) == {"analisadas": 1, "cobradas": 1}
    assert datetime.fromisoformat((await read_subscription(merchant, row_id))["next_billing_at"]) > later
    assert counts(await biller.run(as_of=later)) == {}


async def test_an_already_charged_cycle_is_skipped(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    due = clock.now()
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=due)
    await biller.run()
    await sql.run(database, "update subscriptions set next_billing_at = $1", due)
    summary = await biller.run()
    assert counts(summary) == {"analisadas": 1, "ja_cobradas": 1}
    after = await read_subscription(merchant, row_id)
    assert (after["cycles_count"], datetime.fromisoformat(after["next_billing_at"]) > due) == (1, True)
    assert await biller.count("simulator_charges") == 1
    assert counts(await biller.run()) == {}


async def test_a_skipped_cycle_does_not_end_the_subscription_early(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    due = clock.now()
    [row_id] = await put_subscriptions(database, merchant.id, [{"max_cycles": 2}], due=due)
    await biller.run()
    await sql.run(database, "update subscriptions set next_billing_at = $1", due)
    assert counts(await biller.run()) == {"analisadas": 1, "ja_cobradas": 1}
    after = await read_subscription(merchant, row_id)
    assert (after["status"], after["cycles_count"]) == ("active", 1)
    clock.advance(timedelta(days=31))
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    assert (await read_subscription(merchant, row_id))["status"] == "canceled"


async def test_a_second_run_is_refused(
    api: Api, merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    async with lock_job(database):
        with pytest.raises(JobInProgress):
            await biller.run()
    assert await biller.cycles() == []
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}


async def test_a_change_during_the_engine_call_wins(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}, {}], due=clock.now())
    date = (clock.now() + timedelta(days=5)).isoformat()
    changes = {ids[0]: {"next_billing_at": date}, ids[1]: {"status": "paused"}}

    async def meanwhile() -> None:
        for row_id, change in changes.items():
            put = await merchant.api.put(f"/subscriptions/{row_id}", change, token=merchant.key)
            assert put.status_code == 200, put.text
            busy = await merchant.api.delete(f"/subscriptions/{row_id}", token=merchant.key)
            assert busy.status_code == 409, busy.text

    assert counts(await _interrupted(biller, meanwhile).run()) == {"analisadas": 2, "cobradas": 2}
    moved, paused = [await read_subscription(merchant, row_id) for row_id in ids]
    assert (moved["next_billing_at"], moved["cycles_count"]) == (date, 1)
    assert (paused["status"], paused["cycles_count"]) == ("paused", 1)
    assert datetime.fromisoformat(paused["next_billing_at"]) > clock.now()


@pytest.mark.parametrize(
    ("row", "change"),
    [
        ({"max_cycles": 12, "cycles_count": 11}, {"max_cycles": 13}),
        ({"max_cycles": 12, "cycles_count": 11}, {"max_cycles": None}),
        ({"end_date": timedelta(days=1)}, {"end_date": timedelta(days=400)}),
        ({}, {"interval": "weekly"}),
        ({}, {"interval_count": 2}),
    ],
)
async def test_a_schedule_changed_during_the_engine_call_decides_the_next_date(
    merchant: Merchant,
    biller: Biller,
    clock: MovedClock,
    database: Database,
    row: dict[str, Any],
    change: dict[str, Any],
) -> None:
    due = clock.now()
    columns = {name: due + value if name == "end_date" else value for name, value in row.items()}
    body = {name: (due + value).isoformat() if name == "end_date" else value for name, value in change.items()}
    [row_id] = await put_subscriptions(database, merchant.id, [columns], due=due)

    async def meanwhile() -> None:
        put = await merchant.api.put(f"/subscriptions/{row_id}", body, token=merchant.key)
        assert put.status_code == 200, put.text

    assert (await _interrupted(biller, meanwhile).run()).cobradas == 1
    await biller.run()
    after = await read_subscription(merchant, row_id)
    assert (after["status"], after["cycles_count"]) == ("active", row.get("cycles_count", 0) + 1)
    recurrence = Recurrence(Interval(after["interval"]), after["interval_count"], due.astimezone(SAO_PAULO).day)
    assert after["next_billing_at"] == recurrence.after(due, due).isoformat()
    assert len(await biller.cycles()) == 1


async def test_customers_deleted_during_the_engine_call_leave_no_reference(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    """One is deleted, another is being deleted, and a third one stays when the charges are stored."""

    async def a_customer() -> str:
        made = await merchant.api.post("/customers", {"name": "Maria"}, token=merchant.key)
        found: str = made.json()["data"]["id"]
        return found

    gone, going, staying = [await a_customer() for _ in range(3)]
    rows = [{"customer_id": each} for each in (gone, going, going, staying, None)]
    ids = await put_subscriptions(database, merchant.id, rows, due=clock.now())
    under_way: list[asyncio.Task[Any]] = []

    async def meanwhile() -> None:
        assert (await merchant.api.delete(f"/customers/{gone}", token=merchant.key)).status_code == 200
        under_way.append(asyncio.create_task(merchant.api.delete(f"/customers/{going}", token=merchant.key)))

    summary = await _interrupted(biller, meanwhile).run()
    assert (await under_way[0]).status_code == 200
    assert counts(summary) == {"analisadas": 5, "cobradas": 5}
    stored = await sql.rows(
        database, "select subscription_id, customer_id, customer_name from charges where customer_id is not null"
    )
    assert [tuple(row) for row in stored] == [(ids[3], staying, "José Pagador")]
    assert await biller.count("subscriptions where customer_id is not null") == 1


async def test_a_locked_subscription_is_charged_after_the_lock_is_released(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    """One is changed, one is paused and one is deleted during a run."""
    customer = (
        await merchant.api.post("/customers", {"name": "Ana", "cpf": "111.444.777-35"}, token=merchant.key)
    ).json()
    dearer, paused, gone, free = ids = await put_subscriptions(database, merchant.id, [{}] * 4, due=clock.now())
    async with lock_subscriptions(database, ids[:3]) as locker:
        running = asyncio.create_task(biller.run(lock_timeout=timedelta(minutes=1)))
        await wait_until_blocked(database, running)
        assert [cycle.subscription_id for cycle in await biller.cycles()] == [free]
        change = "update subscriptions set amount = 8000, customer_cpf = null, customer_id = $1 where id = $2"
        await locker.execute(change, customer["data"]["id"], dearer)
        await locker.execute("update subscriptions set status = 'paused' where id = $1", paused)
        await locker.execute("delete from subscriptions where id = $1", gone)
    assert counts(await running) == {"analisadas": 2, "cobradas": 2}
    charged = "select customer_cpf from charges where subscription_id = $1 and amount = 8000"
    assert await sql.value(database, charged, dearer) == "11144477735"
    assert {cycle.subscription_id for cycle in await biller.cycles()} == {dearer, free}
    assert await biller.count("issuances") == 0


async def test_a_lock_timeout_is_a_failure_for_the_next_run(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}, {}, {"customer_cpf": None}, {}], due=clock.now())
    async with lock_subscriptions(database, ids[:2]):
        summary = await biller.run(lock_timeout=timedelta(milliseconds=20))
    assert counts(summary) == {"analisadas": 4, "cobradas": 1, "falhas": 3}
    result = {detail.subscription_id: detail.motivo for detail in summary.detalhes if detail.resultado.value == "falha"}
    assert set(result) == set(ids[:3])
    assert [result[each] for each in ids[:2]] == ["A assinatura estava sendo alterada. A próxima execução cobra."] * 2
    assert counts(await biller.run()) == {"analisadas": 3, "cobradas": 2, "falhas": 1}
    assert sorted(cycle.subscription_id for cycle in await biller.cycles()) == sorted([*ids[:2], ids[3]])


async def test_a_manual_charge_is_not_waited_for(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    async with lock_subscriptions(database, ids, "for key share"):
        assert counts(await biller.run(lock_timeout=timedelta(milliseconds=1))) == {"analisadas": 1, "cobradas": 1}


def _interrupted(biller: Biller, meanwhile: Callable[[], Awaitable[None]]) -> Biller:
    """The job, with a callback during the engine call."""
    engine = simulator(biller.services.database, biller.clock, kind=_InterruptedEngine)
    engine.meanwhile = meanwhile
    return replace(biller, services=replace(biller.services, engines=replace(biller.services.engines, test=engine)))


class _InterruptedEngine(Simulator):
    meanwhile: Callable[[], Awaitable[None]] | None

    async def create_charge(self, request: NewCharge) -> EngineCharge:
        created = await super().create_charge(request)
        if meanwhile := self.meanwhile:
            self.meanwhile = None
            await meanwhile()
        return created


async def test_the_cached_plan_of_a_page_expects_many_rows(database: Database) -> None:
    """PostgreSQL estimates unknown arrays at ten elements, and would join 500 by 500 rows in a nested loop."""
    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("""
            create function pg_temp.planned(statement text) returns setof text language plpgsql as
            $$ begin return query execute 'explain (generic_plan) ' || statement; end $$
        """)
        plan = await connection.fetch("select * from pg_temp.planned($1)", INSERT_CYCLE_CHARGES.sql)
        await connection.execute("drop function pg_temp.planned(text)")
    source = [row[0] for row in plan if "Function Scan" in row[0]]
    assert len(source) == 2
    assert all("rows=1000 " in line for line in source), source

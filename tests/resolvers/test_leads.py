"""Of several filters the one that finds the fewest rows leads, and none if that is a large
part of the list (ADR 0042).
"""

from datetime import timedelta

from gateway.models.database import Database
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import CHARGES
from gateway.resolvers.context import Services, system_context
from gateway.resolvers.listing.leads import lead_of
from gateway.resolvers.listing.statements import MOST_SORTED, Asked
from gateway.resolvers.listing.sweep import sweep_lists
from tests.moved_clock import MovedClock
from tests.rows import put_charges
from tests.watched import watching

STATUS, AMOUNTS = (("status", "refunded"),), (("amount_min", None), ("amount_max", None))


def asked(**draft: str) -> Asked:
    return CHARGES.asked(ListCharges.from_draft(draft))


def test_the_filter_that_finds_the_fewest_rows_leads() -> None:
    given = asked(status="refunded", amount_min="5", amount_max="10", created_from="2026-01-01")
    assert CHARGES.is_weighed(given)
    assert CHARGES.lead(given, [900_000, 10_000, 30_000, 1_000_000]) == (STATUS, 10_000)
    assert CHARGES.lead(given, [900_000, 30_000, 10_000, 1_000_000]) == (AMOUNTS, 10_000)
    assert CHARGES.lead(given, [900_000, 300_000, 400_000, 1_000_000]) == ((), 1_000_000)


def test_none_leads_in_a_list_of_nothing() -> None:
    assert lead_of([STATUS, AMOUNTS], [0, 0], 0) == ((), 0)


def test_filters_whose_total_is_known_or_that_find_a_few_rows_are_not_weighed() -> None:
    for known in (
        {"status": "paid"},
        {"status": "paid", "created_from": "2026-01-01"},
        {"amount_min": "5", "amount_max": "10", "created_to": "2026-01-01"},
        {"status": "paid", "txid": "a" * 26},
        {"status": "paid", "q": "maria"},
    ):
        assert not CHARGES.is_weighed(asked(**known)), known
    assert CHARGES.is_weighed(asked(status="paid", amount_min="5"))
    assert CHARGES.is_weighed(asked(status="pending", created_from="2026-01-01"))


async def test_beside_a_search_what_finds_fewer_leads_at_last(
    services: Services, database: Database, clock: MovedClock
) -> None:
    """Among the first rows of the order there are none, and to put in order all that the search finds takes longer."""
    canceled, others = MOST_SORTED + 60, 3100
    async with watching(services) as (api, sent):
        merchant = await api.register_merchant()
        rows = [{"status": "canceled", "amount": 100 + n} for n in range(canceled)]
        rows += [{"status": "paid", "paid_at": clock.now(), "amount": 90_000 + n} for n in range(others)]
        await put_charges(database, merchant.id, rows, now=clock.now() - timedelta(hours=2))
        await sweep_lists(system_context(services, source="job", request_id="test"))
        sent.clear()
        for window in ("page=1", "page=1&total=exact", "page=101", "after="):
            asked = f"q=pedido&status=canceled&sort=-amount&limit=100&{window}"
            told = (await api.get(f"/pix?{asked}", token=merchant.key)).json()
            shown = range(60) if window == "page=101" else range(canceled - 100, canceled)
            assert [one["amount"] for one in told["data"]] == [(100 + n) / 100 for n in reversed(shown)]
            assert told["pagination"].get("total", canceled) == canceled
            assert "total_capped" not in told["pagination"]
    of_samples = "max(stretch.stretches)"
    assert any(of_samples in statement for statement in sent)
    assert not [statement for statement in sent if "search_texts" in statement and of_samples not in statement]

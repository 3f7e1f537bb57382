"""Of several filters the one that finds the fewest rows leads, and none if that is a large
part of the list (ADR 0042).
"""

from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import CHARGES
from gateway.resolvers.listing.leads import lead_of
from gateway.resolvers.listing.statements import Asked

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

"""The events of a charge."""

import orjson

from gateway.models.database import Database
from gateway.resolvers.webhooks.outbox import MAX_BODY_BYTES
from tests import sql
from tests.api_client import Merchant
from tests.resolvers.webhooks.conftest import Register

WIDE = "\U0001f3b8"
"""A character of four bytes in UTF-8, which is the maximum."""


async def test_the_largest_charge_fits_into_an_event(
    merchant: Merchant, register: Register, database: Database
) -> None:
    """An event that is too large would fail its payment."""
    await register()
    charge = await merchant.issue(
        description=WIDE * 140,
        customer_name=WIDE * 120,
        customer_phone="11988887777",
        external_reference=WIDE * 120,
        metadata={f"{n:02}" + WIDE * 38: WIDE * 500 for n in range(20)},
    )
    await merchant.pay(charge["id"])
    bodies = [row["body"] for row in await sql.rows(database, "select body from webhook_events order by id")]
    assert [orjson.loads(body)["event"] for body in bodies] == ["charge.created", "charge.paid"]
    assert 40_000 < max(map(len, bodies)) < MAX_BODY_BYTES

"""The bank of experiments: a fake of the Central Bank's Pix API over HTTPS, and the invariants B1 to B8 between it and
the gateway.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.chaos.environment import ChaosEnvironment
from tests.chaos.fixtures import NOTIFICATION_TOKENS
from tests.chaos.processes import until
from tests.engines.fake_bcb import FakeBcb
from tests.engines.fake_bcb.bank import centavos
from tests.engines.fake_http import Json

CHARGES = """select id::text, txid, status, amount, refunded_amount, end_to_end_id, external_reference
               from charges where engine = 'bcb'"""
REFUNDS = "select id::text, charge_id::text, status, amount, return_id from refunds where engine = 'bcb'"
DIFFERENCES = "select kind, engine_id, end_to_end_id from reconciliation_discrepancies"
# What waits for a lease or a back-off is due now.
MAKE_DUE = (
    "update issuances set next_attempt_at = now() where next_attempt_at > now()",
    "update engine_notifications set next_attempt_at = now() where outcome = 'received' and next_attempt_at > now()",
)
# As if an hour had passed: a refund that the bank does not show by then was never made.
IN_FLIGHT_DUE = (
    "update refunds set next_attempt_at = now(), attempts = 7 where status in ('pending', 'processing')",
    "update withdrawals set next_attempt_at = now() where status in ('pending', 'processing')",
)
IN_FLIGHT = """select (select count(*) from refunds where status in ('pending', 'processing'))
                   + (select count(*) from withdrawals where status in ('pending', 'processing'))"""
OPEN_WORK = """select (select count(*) from issuances)
                    + (select count(*) from engine_notifications where outcome = 'received')"""


def bank_variables(fake: FakeBcb, folder: Path) -> dict[str, str]:
    """Settings for the bank as the test engine. Its certificates are in the folder."""
    bank = {
        "BANK": "generico",
        "URL": fake.url,
        "TOKEN_URL": fake.token_url,
        "CLIENT_ID": fake.bank.client_id,
        "CLIENT_SECRET": fake.bank.client_secret,
        "CERTIFICATE": str(folder / "client.pem"),
        "CA": str(folder / "ca.pem"),
        "PIX_KEY": fake.bank.key,
    }
    return {"ENGINE_TEST": "bcb", **{f"BCB_TEST_{name}": value for name, value in bank.items()}}


async def deliver(env: ChaosEnvironment, fake: FakeBcb, *pix: Json) -> httpx.Response:
    """Call the gateway as the bank does."""
    path = f"/engine/notifications/bcb/{NOTIFICATION_TOKENS['test']}/pix"
    return await env.client.post(path, json=fake.callback(*pix))


async def finish_open_work(env: ChaosEnvironment) -> None:
    """Run `gateway reconcile` until no order and no notification waits."""
    for _ in range(5):
        for statement in MAKE_DUE:
            await env.run(statement)
        assert await env.reconcile().ends()
        if not await env.value(OPEN_WORK):
            return
    raise AssertionError(f"{await env.value(OPEN_WORK)} orders and notifications still wait")


async def finish_in_flight(env: ChaosEnvironment) -> None:
    """Start workers, which check refunds and withdrawals when they start, until none is in flight."""

    async def finished() -> bool:
        return not await env.value(IN_FLIGHT)

    for _ in range(5):
        if await finished():
            return
        for statement in IN_FLIGHT_DUE:
            await env.run(statement)
        worker = await env.worker()
        with suppress(AssertionError):
            await until(finished, "refunds and withdrawals to end", 5.0)
        await worker.stop()
    assert await finished(), f"{await env.value(IN_FLIGHT)} refunds and withdrawals are still in flight"


@dataclass(frozen=True)
class Books:
    """What the bank and the gateway have at the end."""

    fake: FakeBcb
    charges: dict[str, Any]
    """By txid."""
    differences: list[Any]
    refunds: list[Any] = field(default_factory=list)


def b1_every_payment_is_seen(books: Books) -> Iterator[str]:
    """Each payment of the key that has a txid is that of a paid charge, or a difference."""
    paid = {charge["end_to_end_id"] for charge in books.charges.values() if charge["status"] in PAID}
    listed = {row["end_to_end_id"] for row in books.differences}
    for pix in books.fake.bank.pix.values():
        if "txid" in pix and pix["chave"] == books.fake.bank.key and pix["endToEndId"] not in paid | listed:
            yield f"the payment {pix['endToEndId']} of {pix['txid']} is nowhere"


def b2_only_payments_pay(books: Books) -> Iterator[str]:
    """Each paid charge has its payment at the bank, and each charge that the bank has as paid is paid."""
    for txid, charge in books.charges.items():
        cob = books.fake.bank.cobs[txid]
        if (charge["status"] in PAID) is not bool(cob.pix):
            yield f"charge {charge['id']} is {charge['status']}, and the bank has {len(cob.pix)} payments of it"


def b3_only_charges_are_payable(books: Books) -> Iterator[str]:
    """The bank has no payable charge that the gateway does not have as pending, and no second order changed one."""
    for txid, cob in books.fake.bank.cobs.items():
        charge = books.charges.get(txid)
        if cob.status == "ATIVA" and (charge is None or charge["status"] != "pending"):
            yield f"{txid} is payable at the bank, and {charge['status'] if charge else 'no charge'} here"
        if cob.revision and cob.status == "ATIVA":
            yield f"{txid} was changed at the bank by another order"


def b4_one_charge_per_order(books: Books) -> Iterator[str]:
    """No order of the merchant has two charges, and no charge lacks its record at the bank."""
    seen: set[str] = set()
    for txid, charge in books.charges.items():
        if txid not in books.fake.bank.cobs:
            yield f"charge {charge['id']} is not at the bank"
        reference = charge["external_reference"]
        if reference in seen:
            yield f"order {reference} has two charges"
        if reference is not None:
            seen.add(reference)


def b5_the_bank_returns_what_was_ordered(books: Books) -> Iterator[str]:
    """Each completed refund is one return at the bank, of its amount, and no other return there is ours."""
    ours = {row["id"].replace("-", ""): row for row in books.refunds}
    returned = set()
    for pix in books.fake.bank.pix.values():
        for each in pix.get("devolucoes", []):
            row = ours.get(each["id"])
            returned.add(each["id"])
            if row is None:
                if not each["natureza"].startswith("MED_"):
                    yield f"the return {each['id']} is of no refund"
            elif (each["status"] == "DEVOLVIDO") is not (row["status"] == "completed"):
                yield f"refund {row['id']} is {row['status']}, and {each['status']} at the bank"
            elif centavos(each["valor"]) != row["amount"]:
                yield f"refund {row['id']} is of {row['amount']}, and of {each['valor']} at the bank"
    for number, row in ours.items():
        if row["status"] == "completed" and number not in returned:
            yield f"refund {row['id']} is completed, and not at the bank"


def b6_no_more_is_returned_than_was_paid(books: Books) -> Iterator[str]:
    """At the bank and here, the sum of a charge's refunds is at most its payment."""
    for pix in books.fake.bank.pix.values():
        returns = [each for each in pix.get("devolucoes", []) if each["status"] != "NAO_REALIZADO"]
        if sum(centavos(each["valor"]) for each in returns) > centavos(pix["valor"]):
            yield f"more than the payment {pix['endToEndId']} was returned"
    for charge in books.charges.values():
        if _refunded(books, charge, "pending", "processing", "completed") > charge["amount"]:
            yield f"more than the amount of charge {charge['id']} is refunded"


def b7_charges_know_their_refunds(books: Books) -> Iterator[str]:
    """A charge's refunded amount is the sum of its completed refunds; at the whole amount it is refunded."""
    for charge in books.charges.values():
        completed = _refunded(books, charge, "completed")
        if charge["refunded_amount"] != completed:
            yield f"charge {charge['id']} has {charge['refunded_amount']} refunded, and refunds of {completed}"
        if (charge["status"] == "refunded") is not (0 < charge["amount"] == completed):
            yield f"charge {charge['id']} is {charge['status']} with {completed} of {charge['amount']} refunded"


def b8_every_refund_ends(books: Books) -> Iterator[str]:
    """No refund is in flight at the end."""
    for row in books.refunds:
        if row["status"] not in {"completed", "rejected"}:
            yield f"refund {row['id']} is {row['status']}"


def _refunded(books: Books, charge: Any, *statuses: str) -> int:
    return sum(row["amount"] for row in books.refunds if row["charge_id"] == charge["id"] and row["status"] in statuses)


PAID = {"paid", "refunded"}
CHECKS: dict[str, Callable[[Books], Iterator[str]]] = {
    "B1": b1_every_payment_is_seen,
    "B2": b2_only_payments_pay,
    "B3": b3_only_charges_are_payable,
    "B4": b4_one_charge_per_order,
    "B5": b5_the_bank_returns_what_was_ordered,
    "B6": b6_no_more_is_returned_than_was_paid,
    "B7": b7_charges_know_their_refunds,
    "B8": b8_every_refund_ends,
}


def violations(books: Books) -> list[str]:
    return [f"{name}: {fault}" for name, check in CHECKS.items() for fault in check(books)]


async def bank_violations(env: ChaosEnvironment, fake: FakeBcb) -> list[str]:
    """All violations, and what either side sent against the API's schema."""
    charges = {row["txid"]: row for row in await env.rows(CHARGES)}
    books = Books(fake, charges, list(await env.rows(DIFFERENCES)), list(await env.rows(REFUNDS)))
    return violations(books) + fake.refused + fake.mistakes

"""The bank of experiments: a fake of the Central Bank's Pix API over HTTPS, and the invariants B1 to B4 between it and
the gateway.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.chaos.environment import ChaosEnvironment
from tests.chaos.fixtures import NOTIFICATION_TOKENS
from tests.engines.fake_bcb import FakeBcb
from tests.engines.fake_http import Json

CHARGES = "select id::text, txid, status, end_to_end_id, external_reference from charges where engine = 'bcb'"
DIFFERENCES = "select kind, engine_id, end_to_end_id from reconciliation_discrepancies"
# What waits for a lease or a back-off is due now.
MAKE_DUE = (
    "update issuances set settle_after = now() where settle_after > now()",
    "update engine_notifications set retry_after = now() where outcome = 'received' and retry_after > now()",
)
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


@dataclass(frozen=True)
class Books:
    """What the bank and the gateway have at the end."""

    fake: FakeBcb
    charges: dict[str, Any]
    """By txid."""
    differences: list[Any]


def b1_every_payment_is_seen(books: Books) -> Iterator[str]:
    """Each payment of the key that has a txid is that of a paid charge, or a difference."""
    paid = {charge["end_to_end_id"] for charge in books.charges.values() if charge["status"] == "paid"}
    listed = {row["end_to_end_id"] for row in books.differences}
    for pix in books.fake.bank.pix.values():
        if "txid" in pix and pix["chave"] == books.fake.bank.key and pix["endToEndId"] not in paid | listed:
            yield f"the payment {pix['endToEndId']} of {pix['txid']} is nowhere"


def b2_only_payments_pay(books: Books) -> Iterator[str]:
    """Each paid charge has its payment at the bank, and each charge that the bank has as paid is paid."""
    for txid, charge in books.charges.items():
        cob = books.fake.bank.cobs[txid]
        if (charge["status"] == "paid") is not bool(cob.pix):
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
        if charge["external_reference"] in seen:
            yield f"order {charge['external_reference']} has two charges"
        seen.add(charge["external_reference"])


CHECKS: dict[str, Callable[[Books], Iterator[str]]] = {
    "B1": b1_every_payment_is_seen,
    "B2": b2_only_payments_pay,
    "B3": b3_only_charges_are_payable,
    "B4": b4_one_charge_per_order,
}


def violations(books: Books) -> list[str]:
    return [f"{name}: {fault}" for name, check in CHECKS.items() for fault in check(books)]


async def bank_violations(env: ChaosEnvironment, fake: FakeBcb) -> list[str]:
    """All violations, and what either side sent against the API's schema."""
    charges = {row["txid"]: row for row in await env.rows(CHARGES)}
    books = Books(fake, charges, list(await env.rows(DIFFERENCES)))
    return violations(books) + fake.refused + fake.mistakes

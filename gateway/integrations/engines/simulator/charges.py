"""The simulator's books of charges."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from msgspec.structs import replace
from sqlalchemy import and_, bindparam, func, insert, select, update

from gateway.integrations.engines.br_code import build_dynamic, is_writable
from gateway.integrations.engines.end_to_end_id import is_end_to_end_id, new_end_to_end_id
from gateway.integrations.engines.port import EngineCharge, EngineRefused, EngineState, NewCharge, Notice
from gateway.models.base import Environment
from gateway.models.batching import BatchLoader
from gateway.models.database import Database, Row, Statement, columns_of, given_rows, unflushed
from gateway.models.engines import simulator_charges as books
from gateway.values.clock import SAO_PAULO, Clock
from gateway.values.money import reais_from_centavos

CITY = "BRASILIA"
NAMELESS = "RECEBEDOR PIX"
STATES = {
    "PENDING": EngineState.pending,
    "CONFIRMED": EngineState.held,
    "RECEIVED": EngineState.paid,
    "DELETED": EngineState.retired,
    "REFUNDED": EngineState.refunded,
}


class _Entry(NamedTuple):
    """What is entered of a new charge."""

    id: str
    environment: str
    external_reference: str
    amount: int
    br_code: str
    created_at: datetime
    account_id: str | None
    fee: int

    @property
    def charge(self) -> EngineCharge:
        """It in the port's words."""
        return EngineCharge(self.id, self.external_reference, self.br_code, self.amount, EngineState.pending)


_entries = given_rows("entry", {name: books.c[name].type for name in _Entry._fields})
ENTER = Statement(
    insert(books).from_select(
        list(_Entry._fields), select(*(_entries.c[name] for name in _Entry._fields)).select_from(_entries, unflushed())
    )
)
"""Nobody has seen a BR Code before the gateway has committed its charge, which brings its entry to the disk, too."""
BY_REFERENCE = Statement(
    select(books)
    .where(books.c.environment == bindparam("environment"), books.c.external_reference == bindparam("reference"))
    .order_by(
        books.c.status == "DELETED", books.c.status != "RECEIVED", books.c.status != "CONFIRMED", books.c.created_at
    )
)
BY_ID = Statement(select(books).where(books.c.environment == bindparam("environment"), books.c.id == bindparam("id")))
PAY = Statement(
    update(books)
    .where(
        books.c.environment == bindparam("environment_"),
        books.c.id == bindparam("id_"),
        # A payment of the right amount is entered once, whoever comes first; a wrong one gives way to a right one. What
        # was given back stays so, however late its payment is told of.
        books.c.status != "REFUNDED",
        ~and_(books.c.status == "RECEIVED", books.c.paid_amount == books.c.amount),
    )
    .values(
        status="RECEIVED",
        paid_amount=bindparam("paid_amount"),
        paid_at=bindparam("now"),
        end_to_end_id=bindparam("end_to_end_id"),
    )
    .returning(books)
)
HOLD = Statement(
    update(books)
    .where(
        books.c.environment == bindparam("environment_"),
        books.c.id == bindparam("id_"),
        books.c.amount == bindparam("amount_", type_=books.c.amount.type),
        books.c.status == "PENDING",
    )
    .values(status="CONFIRMED")
)
RETIRE = Statement(
    update(books)
    .where(
        books.c.environment == bindparam("environment_"), books.c.id == bindparam("id_"), books.c.status == "PENDING"
    )
    .values(status="DELETED")
)
WITHDRAW = Statement(
    update(books)
    .where(
        books.c.environment == bindparam("environment_"),
        books.c.id == bindparam("id_"),
        books.c.status.in_(["PENDING", "CONFIRMED"]),
    )
    .values(status="DELETED")
)
"""As the bank does it: it may also refuse a payment that it held back. We ask only for what nobody has paid."""

RESTORE = Statement(
    update(books)
    .where(
        books.c.environment == bindparam("environment_"),
        books.c.id == bindparam("id_"),
        books.c.status.in_(["DELETED", "CONFIRMED"]),
    )
    .values(status="PENDING")
)
REFUND = Statement(
    update(books)
    .where(
        books.c.environment == bindparam("environment_"), books.c.id == bindparam("id_"), books.c.status != "REFUNDED"
    )
    .values(
        status="REFUNDED",
        # Its payment may be told of later, or never.
        paid_amount=func.coalesce(books.c.paid_amount, books.c.amount),
        paid_at=func.coalesce(books.c.paid_at, bindparam("now", type_=books.c.paid_at.type)),
    )
)


class ChargeBook:
    """Charges of one environment. `location` is where their payloads would live."""

    def __init__(self, database: Database, clock: Clock, environment: Environment, location: str) -> None:
        self._database = database
        self._clock = clock
        self._environment = environment
        self._location = location
        self._entering: BatchLoader[_Entry, None] = BatchLoader(self._write)

    async def enter(self, wanted: NewCharge) -> EngineCharge:
        """Enter a new charge with its BR Code, in one statement with all that are wanted at this moment."""
        entry = self._entry(wanted)
        await self._entering.load(entry)
        return entry.charge

    async def enter_many(self, wanted: Sequence[NewCharge]) -> list[EngineCharge]:
        """Enter new charges in one statement."""
        entries = [self._entry(each) for each in wanted]
        if entries:
            await self._write(entries)
        return [entry.charge for entry in entries]

    async def _write(self, entries: Sequence[_Entry]) -> Mapping[_Entry, None]:
        await self._database.run(ENTER, **columns_of([entry._asdict() for entry in entries], _Entry._fields))
        return {}

    def _entry(self, wanted: NewCharge) -> _Entry:
        engine_id = f"pay_{secrets.token_hex(8)}"
        return _Entry(
            id=engine_id,
            environment=self._environment.value,
            external_reference=wanted.external_reference,
            amount=wanted.amount,
            br_code=build_dynamic(
                url=f"{self._location}/{engine_id}",
                amount=wanted.amount,
                merchant_name=wanted.merchant_name if is_writable(wanted.merchant_name) else NAMELESS,
                merchant_city=CITY,
            ),
            created_at=self._clock.now(),
            account_id=wanted.account.id if wanted.account else None,
            fee=wanted.fee,
        )

    async def by_reference(self, reference: str) -> list[Row]:
        """Every charge under the reference, the one that counts first."""
        return await self._database.all(BY_REFERENCE, environment=self._environment, reference=reference)

    async def find(self, reference: str) -> EngineCharge | None:
        rows = await self.by_reference(reference)
        if not rows:
            return None
        doubles = tuple(row["id"] for row in rows[1:] if row["status"] == "PENDING")
        return replace(engine_charge(rows[0]), doubles=doubles)

    async def by_id(self, engine_id: str) -> Row | None:
        return await self._database.one(BY_ID, environment=self._environment, id=engine_id)

    async def hold(self, engine_id: str, amount: int | None) -> None:
        """A payment of this amount has come, and is held back. Any other amount holds nothing."""
        await self._database.run(HOLD, environment_=self._environment, id_=engine_id, amount_=amount)

    async def retire(self, engine_id: str) -> None:
        await self._database.run(RETIRE, environment_=self._environment, id_=engine_id)

    async def enter_payment(self, engine_id: str, amount: int, end_to_end_id: str | None = None) -> Row:
        """The charge as paid, by this payment or by one before it. Raises `EngineRefused` where there is no such
        charge.
        """
        now = self._clock.now()
        row = await self._database.one(
            PAY,
            environment_=self._environment,
            id_=engine_id,
            paid_amount=amount,
            now=now,
            end_to_end_id=_end_to_end_id(end_to_end_id) or new_end_to_end_id(now),
        )
        row = row or await self.by_id(engine_id)
        if row is None:
            raise EngineRefused("the simulator has no such charge")
        return row

    async def hear(self, notice: Notice) -> None:
        """Enter what the bank says has become of a charge, if it is one of ours."""
        if notice.state is None or (notice.state is EngineState.paid and notice.amount is None):
            return
        row = await self._meant(notice)
        if row is None or (notice.state is EngineState.refunded and notice.misstates(row["amount"])):
            return
        if notice.state is EngineState.held:
            await self.hold(row["id"], row["amount"] if not notice.states_amount else notice.amount)
        elif notice.state is EngineState.paid and notice.amount is not None:
            await self.enter_payment(row["id"], notice.amount, notice.end_to_end_id)
        elif notice.state is EngineState.refunded:
            await self._database.run(REFUND, environment_=self._environment, id_=row["id"], now=self._clock.now())
        elif notice.state is EngineState.retired:
            await self._database.run(WITHDRAW, environment_=self._environment, id_=row["id"])
        else:
            await self._database.run(RESTORE, environment_=self._environment, id_=row["id"])

    async def _meant(self, notice: Notice) -> Row | None:
        """The charge under the notice's reference, or else the one with its payment's id (contract section 6). A notice
        that names a charge by both means that one or none.
        """
        rows = await self.by_reference(notice.external_reference) if notice.external_reference else []
        if not rows:
            return await self.by_id(notice.engine_id) if notice.engine_id else None
        return next((row for row in rows if notice.engine_id in {None, row["id"]}), None)


def engine_charge(row: Row) -> EngineCharge:
    """A row of the books in the port's words."""
    return EngineCharge(
        row["id"],
        row["external_reference"],
        row["br_code"],
        row["amount"],
        STATES.get(row["status"], EngineState.pending),
        row["paid_amount"],
        row["paid_at"],
        row["end_to_end_id"],
    )


def payment_notice(row: Mapping[str, Any], *, event_id: str | None = None) -> bytes:
    """The notice of a payment, in the format of the inbound route (contract section 6)."""
    paid_at: datetime = row["paid_at"]
    payment = {
        "object": "payment",
        "id": row["id"],
        "externalReference": row["external_reference"],
        "value": reais_from_centavos(row["paid_amount"]),
        "billingType": "PIX",
        "status": "RECEIVED",
        "endToEndIdentifier": row["end_to_end_id"],
    }
    body = {
        "id": event_id or f"evt_{secrets.token_hex(16)}",
        "event": "PAYMENT_RECEIVED",
        "dateCreated": paid_at.astimezone(SAO_PAULO).strftime("%Y-%m-%d %H:%M:%S"),
        "payment": payment,
    }
    return orjson.dumps(body)


def _end_to_end_id(text: str | None) -> str | None:
    return text if text and is_end_to_end_id(text) else None

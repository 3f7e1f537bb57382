"""The simulator's table of charges."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import orjson
from msgspec.structs import replace
from sqlalchemy import and_, bindparam, func, insert, select, update

from gateway.integrations.engines.br_code import build_dynamic, is_writable
from gateway.integrations.engines.end_to_end_id import new_end_to_end_id, valid_end_to_end_id
from gateway.integrations.engines.errors import EngineRefused
from gateway.integrations.engines.interface import EngineCharge, EngineState, NewCharge, Notification
from gateway.models.base import Environment
from gateway.models.batching import BatchLoader
from gateway.models.database import Database, Row, Statement, columns_of, synchronous_commit_off, unnest_rows
from gateway.models.engines import TransferState
from gateway.models.engines import simulator_charges as table
from gateway.models.engines import simulator_refunds as refunds
from gateway.values.clock import SAO_PAULO, Clock
from gateway.values.money import reais_from_centavos

CITY = "BRASILIA"
DEFAULT_NAME = "RECEBEDOR PIX"
STATES = {
    "PENDING": EngineState.pending,
    "CONFIRMED": EngineState.held,
    "RECEIVED": EngineState.paid,
    "DELETED": EngineState.retired,
    "REFUNDED": EngineState.refunded,
}


class _NewRow(NamedTuple):
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
        return EngineCharge(self.id, self.external_reference, self.br_code, self.amount, EngineState.pending)


_rows = unnest_rows("entry", {name: table.c[name].type for name in _NewRow._fields})
INSERT = Statement(
    insert(table).from_select(
        list(_NewRow._fields),
        select(*(_rows.c[name] for name in _NewRow._fields)).select_from(_rows, synchronous_commit_off()),
    )
)
"""Without a flush: the commit of the gateway's charge, before the BR Code is returned, flushes it."""
_refunded = (
    select(func.coalesce(func.sum(refunds.c.amount), 0))
    .where(refunds.c.charge_id == table.c.id, refunds.c.status == TransferState.done.value)
    .correlate(table)
    .scalar_subquery()
    .label("refunded_amount")
)
BY_REFERENCE = Statement(
    select(table, _refunded)
    .where(table.c.environment == bindparam("environment"), table.c.external_reference == bindparam("reference"))
    .order_by(
        table.c.status == "DELETED", table.c.status != "RECEIVED", table.c.status != "CONFIRMED", table.c.created_at
    )
)
BY_ID = Statement(
    select(table, _refunded).where(table.c.environment == bindparam("environment"), table.c.id == bindparam("id"))
)
_update = update(table).where(table.c.environment == bindparam("environment_"), table.c.id == bindparam("id_"))
PAY = Statement(
    _update.where(
        # The first payment of the right amount is final. It replaces one of a wrong amount. A refund is final too.
        table.c.status != "REFUNDED",
        ~and_(table.c.status == "RECEIVED", table.c.paid_amount == table.c.amount),
    )
    .values(
        status="RECEIVED",
        paid_amount=bindparam("paid_amount"),
        paid_at=bindparam("now"),
        end_to_end_id=bindparam("end_to_end_id"),
    )
    .returning(table)
)


def _move(*sources: str, to: str) -> Statement:
    """A charge in one of these states goes to another."""
    return Statement(_update.where(table.c.status.in_(sources)).values(status=to))


HOLD = _move("PENDING", to="CONFIRMED")
CANCEL = _move("PENDING", to="DELETED")
CANCEL_BY_BANK = _move("PENDING", "CONFIRMED", to="DELETED")
"""The bank may also refuse a held payment."""
RESTORE = _move("DELETED", "CONFIRMED", to="PENDING")
REFUND = Statement(
    _update.where(table.c.status != "REFUNDED").values(
        status="REFUNDED",
        # The payment's notification may come later or never.
        paid_amount=func.coalesce(table.c.paid_amount, table.c.amount),
        paid_at=func.coalesce(table.c.paid_at, bindparam("now", type_=table.c.paid_at.type)),
    )
)


class ChargeStore:
    """Charges of one environment. `location` is the URL prefix in their BR Codes."""

    def __init__(self, database: Database, clock: Clock, environment: Environment, location: str) -> None:
        self._database = database
        self._clock = clock
        self._environment = environment
        self._location = location
        self._inserts: BatchLoader[_NewRow, None] = BatchLoader(self._insert)

    async def create(self, request: NewCharge) -> EngineCharge:
        """Insert a new charge with its BR Code; concurrent calls share one statement."""
        row = self._new_row(request)
        await self._inserts.load(row)
        return row.charge

    async def _insert(self, rows: Sequence[_NewRow]) -> Mapping[_NewRow, None]:
        await self._database.run(INSERT, **columns_of([row._asdict() for row in rows], _NewRow._fields))
        return {}

    def _new_row(self, request: NewCharge) -> _NewRow:
        engine_id = f"pay_{secrets.token_hex(8)}"
        return _NewRow(
            id=engine_id,
            environment=self._environment.value,
            external_reference=request.external_reference,
            amount=request.amount,
            br_code=build_dynamic(
                url=f"{self._location}/{engine_id}",
                amount=request.amount,
                merchant_name=request.merchant_name if is_writable(request.merchant_name) else DEFAULT_NAME,
                merchant_city=CITY,
            ),
            created_at=self._clock.now(),
            account_id=request.account.id if request.account else None,
            fee=request.fee,
        )

    async def _by_reference(self, reference: str) -> list[Row]:
        """All charges with the reference, a paid one first."""
        return await self._database.all(BY_REFERENCE, environment=self._environment, reference=reference)

    async def find(self, reference: str) -> EngineCharge | None:
        rows = await self._by_reference(reference)
        if not rows:
            return None
        duplicates = tuple(row["id"] for row in rows[1:] if row["status"] == "PENDING")
        return replace(_engine_charge(rows[0]), duplicates=duplicates)

    async def read(self, engine_id: str) -> EngineCharge | None:
        row = await self.by_id(engine_id)
        return _engine_charge(row) if row else None

    async def by_id(self, engine_id: str) -> Row | None:
        return await self._database.one(BY_ID, environment=self._environment, id=engine_id)

    async def cancel(self, engine_id: str) -> None:
        await self._move(CANCEL, engine_id)

    async def _move(self, statement: Statement, engine_id: str) -> None:
        await self._database.run(statement, environment_=self._environment, id_=engine_id)

    async def pay(self, engine_id: str, amount: int, end_to_end_id: str | None = None) -> Row:
        """Record a payment, unless the charge is paid. Returns its row. Raises `EngineRefused` if it doesn't exist."""
        now = self._clock.now()
        row = await self._database.one(
            PAY,
            environment_=self._environment,
            id_=engine_id,
            paid_amount=amount,
            now=now,
            end_to_end_id=valid_end_to_end_id(end_to_end_id) or new_end_to_end_id(now),
        )
        row = row or await self.by_id(engine_id)
        if row is None:
            raise EngineRefused("the simulator has no such charge")
        return row

    async def apply_notification(self, notification: Notification) -> None:
        """Update a charge's state."""
        if notification.state is None or (notification.state is EngineState.paid and notification.amount is None):
            return
        row = await self._find_notified(notification)
        if row is None or (notification.state is EngineState.refunded and notification.misstates(row["amount"])):
            return
        if notification.state is EngineState.held and not notification.misstates(row["amount"]):
            await self._move(HOLD, row["id"])
        elif notification.state is EngineState.paid and notification.amount is not None:
            await self.pay(row["id"], notification.amount, notification.end_to_end_id)
        elif notification.state is EngineState.refunded:
            await self._database.run(REFUND, environment_=self._environment, id_=row["id"], now=self._clock.now())
        elif notification.state is EngineState.retired:
            await self._move(CANCEL_BY_BANK, row["id"])
        elif notification.state is EngineState.pending:
            await self._move(RESTORE, row["id"])

    async def _find_notified(self, notification: Notification) -> Row | None:
        """The charge with the notification's reference, or else its payment id (contract section 6). If it has
        both, both must match.
        """
        rows = await self._by_reference(notification.external_reference) if notification.external_reference else []
        if not rows:
            return await self.by_id(notification.engine_id) if notification.engine_id else None
        return next((row for row in rows if notification.engine_id in {None, row["id"]}), None)


def _engine_charge(row: Row) -> EngineCharge:
    """The charge of a row of `BY_ID` or `BY_REFERENCE`."""
    state = STATES.get(row["status"], EngineState.pending)
    refunded = {EngineState.paid: row["refunded_amount"], EngineState.refunded: row["paid_amount"]}
    return EngineCharge(
        row["id"],
        row["external_reference"],
        row["br_code"],
        row["amount"],
        state,
        row["paid_amount"],
        row["paid_at"],
        row["end_to_end_id"],
        refunded_amount=refunded.get(state),
    )


def payment_notification(row: Row) -> bytes:
    """The notification of a payment (contract section 6)."""
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
        "id": f"evt_{secrets.token_hex(16)}",
        "event": "PAYMENT_RECEIVED",
        "dateCreated": paid_at.astimezone(SAO_PAULO).strftime("%Y-%m-%d %H:%M:%S"),
        "payment": payment,
    }
    return orjson.dumps(body)

"""The simulator's books of money that leaves, against the balance of what has come in."""

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, case, func, insert, literal_column, null, or_, select, update

from gateway.integrations.engines.end_to_end_id import new_end_to_end_id
from gateway.integrations.engines.notices import mapping, text
from gateway.integrations.engines.port import EngineRefused, EngineTransfer, NewTransfer, Notice
from gateway.models.base import Environment
from gateway.models.database import Database, Row, Statement
from gateway.models.engines import TransferState
from gateway.models.engines import simulator_charges as charges
from gateway.models.engines import simulator_transfers as books
from gateway.values.clock import Clock

EVENTS = {
    "TRANSFER_DONE": TransferState.done,
    "TRANSFER_FAILED": TransferState.failed,
    "TRANSFER_CANCELLED": TransferState.failed,
}

_environment = bindparam("environment", type_=books.c.environment.type)
_account = bindparam("account_id", type_=books.c.account_id.type)
_nothing: ColumnElement[int] = literal_column("0")


def _sum(column: ColumnElement[Any], *conditions: ColumnElement[bool]) -> ColumnElement[int]:
    return select(func.coalesce(func.sum(column), _nothing)).where(*conditions).scalar_subquery()


_paid = (charges.c.environment == _environment, charges.c.status == "RECEIVED")
_of_merchants = charges.c.account_id.is_not(null())
_received = _sum(
    charges.c.paid_amount - case((_of_merchants, charges.c.fee), else_=_nothing),
    *_paid,
    charges.c.account_id.is_not_distinct_from(_account),
)
_fees = case((_account.is_(null()), _sum(charges.c.fee, *_paid, _of_merchants)), else_=_nothing)
_sent = _sum(
    books.c.amount,
    books.c.environment == _environment,
    books.c.account_id.is_not_distinct_from(_account),
    books.c.status != TransferState.failed.value,
)
_balance: ColumnElement[int] = _received + _fees - _sent
BALANCE = Statement(select(_balance))
QUEUE = Statement(select(func.pg_advisory_xact_lock(func.hashtext(bindparam("balance_of")))))
_ENTERED = (
    "id",
    "environment",
    "account_id",
    "external_reference",
    "amount",
    "pix_key",
    "pix_key_type",
    "created_at",
)
ENTER = Statement(
    insert(books)
    .from_select(
        list(_ENTERED),
        select(*(bindparam(name, type_=books.c[name].type) for name in _ENTERED)).where(
            _balance >= bindparam("amount", type_=books.c.amount.type)
        ),
    )
    .returning(books)
)
BY_REFERENCE = Statement(
    select(books)
    .where(
        books.c.environment == _environment,
        books.c.external_reference == bindparam("reference"),
        books.c.created_at >= bindparam("since"),
    )
    .order_by(books.c.created_at)
    .limit(1)
)
BY_ID = Statement(select(books).where(books.c.environment == _environment, books.c.id == bindparam("id")))
_amount = bindparam("amount_", type_=books.c.amount.type)
FINISH = Statement(
    update(books)
    .where(
        books.c.environment == bindparam("environment_"),
        # Whoever rehearses from outside knows a transfer by our reference.
        or_(
            books.c.id == bindparam("id_", type_=books.c.id.type),
            books.c.external_reference == bindparam("reference_", type_=books.c.external_reference.type),
        ),
        or_(_amount.is_(null()), books.c.amount == _amount),
        books.c.status == TransferState.pending.value,
    )
    .values({name: bindparam(name) for name in ("status", "fail_reason", "end_to_end_id")})
    .returning(books)
)


class TransferBook:
    """Transfers and balances of one environment. An `account_id` of None is the main account's."""

    def __init__(self, database: Database, clock: Clock, environment: Environment) -> None:
        self._database = database
        self._clock = clock
        self._environment = environment

    async def balance(self, account_id: str | None) -> int:
        return int(await self._database.value(BALANCE, environment=self._environment, account_id=account_id))

    async def enter(self, wanted: NewTransfer) -> EngineTransfer:
        """Enter a transfer. Raises `EngineRefused` where the balance is short."""
        values = {
            "id": str(uuid.uuid4()),
            "environment": self._environment,
            "account_id": wanted.account.id if wanted.account else None,
            "external_reference": wanted.external_reference,
            "amount": wanted.amount,
            "pix_key": wanted.pix_key,
            "pix_key_type": wanted.pix_key_type.value,
            "created_at": self._clock.now(),
        }
        async with self._database.transaction() as transaction:
            # One transfer of an account at a time, so that two can't both see the money for one.
            await transaction.value(QUEUE, balance_of=f"simulator {self._environment} {values['account_id']}")
            row = await transaction.one(ENTER, **values)
        if row is None:
            raise EngineRefused("the balance is short", reason="o saldo no provedor não basta")
        return engine_transfer(row)

    async def by_reference(self, reference: str, since: datetime) -> Row | None:
        return await self._database.one(BY_REFERENCE, environment=self._environment, reference=reference, since=since)

    async def by_id(self, engine_id: str) -> Row | None:
        return await self._database.one(BY_ID, environment=self._environment, id=engine_id)

    async def cancel(self, engine_id: str) -> EngineTransfer:
        """Take a pending transfer back. Raises `EngineRefused` for any other."""
        end = {"status": TransferState.failed.value, "fail_reason": "Transferência cancelada.", "end_to_end_id": None}
        which = {"environment_": self._environment, "id_": engine_id, "reference_": None, "amount_": None}
        row = await self._database.one(FINISH, **which, **end)
        if row is None:
            raise EngineRefused("only a pending transfer can be canceled")
        return engine_transfer(row)

    async def hear(self, notice: Notice, body: Mapping[str, Any]) -> None:
        """Enter the end that the bank says a transfer of that amount has come to. A final state stays, and an amount
        that can't be read is none of any transfer.
        """
        state = EVENTS.get(notice.kind)
        if state is None or (notice.states_amount and notice.amount is None):
            return
        said = mapping(body.get("transfer"))
        done = state is TransferState.done
        await self._database.run(
            FINISH,
            environment_=self._environment,
            id_=notice.engine_id,
            reference_=notice.external_reference,
            amount_=notice.amount,
            status=state.value,
            fail_reason=None if done else text(said.get("failReason")) or "Transferência recusada no ensaio.",
            end_to_end_id=(notice.end_to_end_id or new_end_to_end_id(self._clock.now())) if done else None,
        )


def engine_transfer(row: Row) -> EngineTransfer:
    """A row of the books in the port's words."""
    return EngineTransfer(
        row["id"],
        row["external_reference"],
        row["amount"],
        TransferState(row["status"]),
        end_to_end_id=row["end_to_end_id"],
        fail_reason=row["fail_reason"],
    )

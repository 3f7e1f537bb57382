"""The simulator's table of transfers, and the balance of its accounts."""

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, case, func, insert, literal_column, null, or_, select, update

from gateway.integrations.engines.end_to_end_id import new_end_to_end_id
from gateway.integrations.engines.errors import EngineRefused
from gateway.integrations.engines.interface import EngineTransfer, NewTransfer, Notification
from gateway.integrations.engines.notifications import mapping, text
from gateway.models.base import Environment
from gateway.models.database import Database, Row, Statement, Transaction
from gateway.models.engines import TransferState
from gateway.models.engines import simulator_charges as charges
from gateway.models.engines import simulator_refunds as refunds
from gateway.models.engines import simulator_transfers as table
from gateway.values.clock import Clock

EVENTS = {
    "TRANSFER_DONE": TransferState.done,
    "TRANSFER_FAILED": TransferState.failed,
    "TRANSFER_CANCELLED": TransferState.failed,
}

_environment = bindparam("environment", type_=table.c.environment.type)
_account = bindparam("account_id", type_=table.c.account_id.type)
_zero: ColumnElement[int] = literal_column("0")


def _sum(column: ColumnElement[Any], *conditions: ColumnElement[bool]) -> ColumnElement[int]:
    return select(func.coalesce(func.sum(column), _zero)).where(*conditions).scalar_subquery()


_paid = (charges.c.environment == _environment, charges.c.status == "RECEIVED")
_of_merchants = charges.c.account_id.is_not(null())
_received = _sum(
    charges.c.paid_amount - case((_of_merchants, charges.c.fee), else_=_zero),
    *_paid,
    charges.c.account_id.is_not_distinct_from(_account),
)
_fees = case((_account.is_(null()), _sum(charges.c.fee, *_paid, _of_merchants)), else_=_zero)
_sent = _sum(
    table.c.amount,
    table.c.environment == _environment,
    table.c.account_id.is_not_distinct_from(_account),
    table.c.status != TransferState.failed.value,
)
# A charge that is refunded in full no longer counts as received.
_refunded = (
    select(func.coalesce(func.sum(refunds.c.amount), _zero))
    .select_from(refunds.join(charges, charges.c.id == refunds.c.charge_id))
    .where(*_paid, refunds.c.status == TransferState.done.value, charges.c.account_id.is_not_distinct_from(_account))
    .scalar_subquery()
)
_balance: ColumnElement[int] = _received + _fees - _sent - _refunded
BALANCE = Statement(select(_balance))
_COLUMNS = ("id", "environment", "account_id", "external_reference", "amount", "pix_key", "pix_key_type", "created_at")
INSERT = Statement(
    insert(table)
    .from_select(
        list(_COLUMNS),
        select(*(bindparam(name, type_=table.c[name].type) for name in _COLUMNS)).where(
            _balance >= bindparam("amount")
        ),
    )
    .returning(table)
)
BY_REFERENCE = Statement(
    select(table)
    .where(
        table.c.environment == _environment,
        table.c.external_reference == bindparam("reference"),
        table.c.created_at >= bindparam("since"),
    )
    .order_by(table.c.created_at)
    .limit(1)
)
BY_ID = Statement(select(table).where(table.c.environment == _environment, table.c.id == bindparam("id")))
_amount = bindparam("amount_", type_=table.c.amount.type)
FINISH = Statement(
    update(table)
    .where(
        table.c.environment == bindparam("environment_"),
        # A simulated notification may have only our reference.
        or_(
            table.c.id == bindparam("id_"),
            table.c.external_reference == bindparam("reference_"),
        ),
        or_(_amount.is_(null()), table.c.amount == _amount),
        table.c.status == TransferState.pending.value,
    )
    .values({name: bindparam(name) for name in ("status", "fail_reason", "end_to_end_id")})
    .returning(table)
)


class TransferStore:
    """The transfers of one environment. An `account_id` of None is the main account."""

    def __init__(self, database: Database, clock: Clock, environment: Environment) -> None:
        self._database = database
        self._clock = clock
        self._environment = environment

    async def create(self, request: NewTransfer) -> EngineTransfer:
        """Insert a transfer. Raises `EngineRefused` where the balance is too low."""
        account_id = request.account.id if request.account else None
        values = {
            "id": str(uuid.uuid4()),
            "environment": self._environment,
            "account_id": account_id,
            "external_reference": request.external_reference,
            "amount": request.amount,
            "pix_key": request.pix_key,
            "pix_key_type": request.pix_key_type.value,
            "created_at": self._clock.now(),
        }
        async with self._database.transaction() as transaction:
            await lock_balance(transaction, self._environment, account_id)
            row = await transaction.one(INSERT, **values)
        if row is None:
            raise EngineRefused("the balance is short", reason="o saldo no provedor não basta")
        return _engine_transfer(row)

    async def find(self, reference: str, since: datetime) -> EngineTransfer | None:
        row = await self._database.one(BY_REFERENCE, environment=self._environment, reference=reference, since=since)
        return _engine_transfer(row) if row else None

    async def read(self, engine_id: str) -> EngineTransfer | None:
        row = await self._database.one(BY_ID, environment=self._environment, id=engine_id)
        return _engine_transfer(row) if row else None

    async def cancel(self, engine_id: str) -> EngineTransfer:
        """Cancel a pending transfer. Raises `EngineRefused` for any other."""
        end = {"status": TransferState.failed.value, "fail_reason": "Transferência cancelada.", "end_to_end_id": None}
        which = {"environment_": self._environment, "id_": engine_id, "reference_": None, "amount_": None}
        row = await self._database.one(FINISH, **which, **end)
        if row is None:
            raise EngineRefused("only a pending transfer can be canceled")
        return _engine_transfer(row)

    async def apply_notification(self, notification: Notification, body: Mapping[str, Any]) -> None:
        """Finish a pending transfer of the notification's amount. An invalid amount matches no transfer."""
        state = EVENTS.get(notification.kind)
        if state is None or (notification.states_amount and notification.amount is None):
            return
        content = mapping(body.get("transfer"))
        done = state is TransferState.done
        await self._database.run(
            FINISH,
            environment_=self._environment,
            id_=notification.engine_id,
            reference_=notification.external_reference,
            amount_=notification.amount,
            status=state.value,
            fail_reason=None if done else text(content.get("failReason")) or "Transferência recusada no ensaio.",
            end_to_end_id=(notification.end_to_end_id or new_end_to_end_id(self._clock.now())) if done else None,
        )


async def lock_balance(transaction: Transaction, environment: Environment, account_id: str | None) -> None:
    """Lock an account until the end of the transaction, so that two orders cannot spend the same balance."""
    await transaction.lock(f"simulator_balance:{environment}:{account_id}")


def _engine_transfer(row: Row) -> EngineTransfer:
    """The transfer of a row."""
    return EngineTransfer(
        row["id"],
        row["external_reference"],
        row["amount"],
        TransferState(row["status"]),
        end_to_end_id=row["end_to_end_id"],
        fail_reason=row["fail_reason"],
    )

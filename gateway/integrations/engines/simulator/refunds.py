"""The simulator's table of refunds. A refund ends at once, because there is no payer's bank."""

from sqlalchemy import bindparam, func, insert, select, update

from gateway.integrations.engines.end_to_end_id import new_return_id
from gateway.integrations.engines.errors import EngineRefused
from gateway.integrations.engines.interface import EngineRefund, NewRefund
from gateway.integrations.engines.simulator.charges import BY_ID
from gateway.integrations.engines.simulator.transfers import BALANCE, lock_balance
from gateway.models.base import Environment
from gateway.models.database import Database, Row, Statement, Transaction
from gateway.models.engines import TransferState, simulator_charges
from gateway.models.engines import simulator_refunds as table
from gateway.values.clock import Clock

REJECTED = "O banco do pagador recusou a devolução."
_C = simulator_charges
LOCK_CHARGE = Statement(
    select(_C).where(_C.c.environment == bindparam("environment"), _C.c.id == bindparam("id")).with_for_update()
)
REFUNDED = Statement(
    select(func.coalesce(func.sum(table.c.amount), 0)).where(
        table.c.charge_id == bindparam("charge_id"), table.c.status == TransferState.done.value
    )
)
_COLUMNS = (
    *("return_id", "environment", "charge_id", "external_reference"),
    *("amount", "status", "fail_reason", "created_at"),
)
INSERT = Statement(insert(table).values({name: bindparam(name) for name in _COLUMNS}).returning(table))
MARK_REFUNDED = Statement(update(_C).where(_C.c.id == bindparam("charge_id_")).values(status="REFUNDED"))
OF_CHARGE = Statement(
    select(table)
    .where(table.c.environment == bindparam("environment"), table.c.charge_id == bindparam("charge_id"))
    .order_by(table.c.created_at)
)


class RefundStore:
    """Refunds of one environment."""

    def __init__(self, database: Database, clock: Clock, environment: Environment) -> None:
        self._database = database
        self._clock = clock
        self._environment = environment

    async def create(self, request: NewRefund) -> EngineRefund:
        """Insert a refund. Raises `EngineRefused` where the charge is not paid, or where too little is left."""
        account_id = request.account.id if request.account else None
        async with self._database.transaction() as transaction:
            await lock_balance(transaction, self._environment, account_id)
            charge = await transaction.one(LOCK_CHARGE, environment=self._environment, id=request.charge_id)
            if charge is None or charge["status"] != "RECEIVED" or charge["account_id"] != account_id:
                raise EngineRefused("only a paid charge is refunded", reason="a cobrança não está paga no provedor")
            is_whole = await self._require_money(transaction, charge, request)
            row = await self._insert(transaction, request)
            if is_whole and row["status"] == TransferState.done:
                await transaction.run(MARK_REFUNDED, charge_id_=request.charge_id)
        return _engine_refund(row)

    async def _require_money(self, transaction: Transaction, charge: Row, request: NewRefund) -> bool:
        """Whether it refunds what is left of the charge, which gives the service's fee back."""
        left = charge["paid_amount"] - await transaction.value(REFUNDED, charge_id=request.charge_id)
        if request.amount > left:
            raise EngineRefused("more than the payment", reason="o valor passa do que resta do pagamento")
        is_whole = bool(request.amount == left)
        balance = await transaction.value(BALANCE, environment=self._environment, account_id=charge["account_id"])
        if charge["account_id"] is not None and balance < request.amount - (charge["fee"] if is_whole else 0):
            raise EngineRefused("the balance is short", reason="o saldo no provedor não basta")
        return is_whole

    async def _insert(self, transaction: Transaction, request: NewRefund) -> Row:
        now = self._clock.now()
        return await transaction.single(
            INSERT,
            return_id=new_return_id(now),
            environment=self._environment,
            charge_id=request.charge_id,
            external_reference=request.external_reference,
            amount=request.amount,
            status=(TransferState.failed if request.simulate_rejection else TransferState.done).value,
            fail_reason=REJECTED if request.simulate_rejection else None,
            created_at=now,
        )

    async def of_charge(self, charge_id: str) -> list[EngineRefund]:
        rows = await self._database.all(OF_CHARGE, environment=self._environment, charge_id=charge_id)
        if not rows and await self._database.one(BY_ID, environment=self._environment, id=charge_id) is None:
            raise EngineRefused("the simulator has no such charge")
        return [_engine_refund(row) for row in rows]


def _engine_refund(row: Row) -> EngineRefund:
    """The refund of a row."""
    state = TransferState(row["status"])
    return EngineRefund(
        row["external_reference"],
        row["amount"],
        state,
        row["return_id"] if state is TransferState.done else None,
        row["fail_reason"],
    )

"""Inserts rows directly into the tables: many at once, or with a history that takes long through the API."""

from datetime import datetime, timedelta
from typing import Any

from gateway.models.charges import charges
from gateway.models.customers import customers
from gateway.models.database import Database
from gateway.models.repayments import repayments
from gateway.models.withdrawals import withdrawals
from gateway.resolvers.core.context import Services
from gateway.values.ids import new_id


async def put_charges(database: Database, store: str, rows: list[dict[str, Any]], *, now: datetime) -> list[str]:
    """Insert charges of a store: each dictionary overrides columns of a pending one. Returns their ids."""
    whole = [
        _as_refunded(_charge(store, number, min(now, row.get("paid_at") or now)) | row) | row
        for number, row in enumerate(rows)
    ]
    await _copy(database, charges.name, whole)
    return [row["id"] for row in whole]


def _as_refunded(row: dict[str, Any]) -> dict[str, Any]:
    """The row, with what a refund sets if its status is refunded."""
    refunded = row["status"] == "refunded"
    return row | {
        "refunded_at": row["paid_at"] if refunded else None,
        "refunded_amount": row["amount"] if refunded else 0,
    }


def place_in_order(row: dict[str, Any], column: str) -> tuple[Any, ...]:
    """The sort key of a row by a nullable timestamp: nulls come first, ordered by creation time."""
    value = row.get(column)
    return value is not None, row["created_at"] if value is None else value, row["id"]


async def put_customers(database: Database, store: str, rows: list[dict[str, Any]], *, now: datetime) -> list[str]:
    """Insert customers of a store; returns their ids."""
    base = {"user_id": store, "environment": "test", "created_at": now, "updated_at": now}
    whole = [base | {"id": new_id(), "name": f"Cliente {number:04d}"} | row for number, row in enumerate(rows)]
    await _copy(database, customers.name, whole)
    return [row["id"] for row in whole]


async def put_withdrawal(services: Services, store: str, **columns: Any) -> str:
    """Insert a withdrawal of the test environment that the engine may know; returns its id."""
    now = services.clock.now()
    base = {"user_id": store, "environment": "test", "status": "pending", "amount": 1250, "engine": "simulator"}
    key = {"pix_key": "ana@loja.example", "pix_key_type": "email"}
    row = base | key | {"id": new_id(), "next_attempt_at": now, "created_at": now} | columns
    await _copy(services.database, withdrawals.name, [row])
    return str(row["id"])


async def put_repayment(services: Services, store: str, **columns: Any) -> str:
    """Insert a recorded repayment of live charges; returns its id."""
    now = services.clock.now()
    figures = {"gross": 1000, "fee": 25, "net": 975, "charges_count": 1}
    period = {"paid_from": now, "paid_to": now, "created_at": now}
    base = {"id": new_id(), "user_id": store, "environment": "live", "status": "recorded", "recorded_by": store}
    row = base | figures | period | columns
    await _copy(services.database, repayments.name, [row])
    return str(row["id"])


def _charge(store: str, number: int, now: datetime) -> dict[str, Any]:
    row_id = new_id()
    return {
        "id": row_id,
        "user_id": store,
        "environment": "test",
        "txid": row_id.replace("-", ""),
        "status": "pending",
        "description": f"Pedido {number:04d}",
        "amount": 1000 + number,
        "original_amount": 1000 + number,
        "pix_code": "00020126",
        "engine": "simulator",
        "engine_id": row_id,
        "expires_at": now + timedelta(days=1),
        "created_at": now,
        "updated_at": now,
    }


async def _copy(database: Database, table: str, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    columns = sorted({name for row in rows for name in row})
    async with database.pool.acquire() as connection:
        names = ", ".join(columns)
        recordset = ", ".join(f"{name} {_TYPES.get(name, 'text')}" for name in columns)
        filled = [dict.fromkeys(columns) | row for row in rows]
        statement = f"insert into {table} ({names}) select {names} from jsonb_to_recordset($1) as r ({recordset})"
        await connection.execute(statement, [{name: _plain(value) for name, value in row.items()} for row in filled])


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


_MOMENTS = (
    *("created_at", "updated_at", "expires_at", "paid_at", "refunded_at", "due_date"),
    *("next_attempt_at", "completed_at", "paid_from", "paid_to"),
)
_IDS = (
    "id",
    "user_id",
    "customer_id",
    "product_id",
    "coupon_id",
    "subscription_id",
    "payment_link_id",
    "receiving_account_id",
    "recorded_by",
)
_TYPES = {
    **dict.fromkeys(_MOMENTS, "timestamptz"),
    **dict.fromkeys(_IDS, "uuid"),
    "paid_late": "boolean",
    **dict.fromkeys(
        ("amount", "original_amount", "discount_amount", "refunded_amount", "gross", "fee", "net", "charges_count"),
        "bigint",
    ),
    "metadata": "jsonb",
}

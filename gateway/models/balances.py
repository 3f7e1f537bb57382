"""What stores have received: sums, and ledger entries that are not added to them yet.

A trigger on `charges` inserts an entry when a charge is paid or refunded, also in part. It runs in the same transaction
and updates no shared row. A periodic job adds entries to the sums. Sums plus entries always equal the paid
charges.
"""

from sqlalchemy import BigInteger, SmallInteger
from sqlmodel import SQLModel

from gateway.models.base import column, money_column, table_of, text_column, uuid_column


class BalanceEntry(SQLModel, table=True):
    """One charge that was paid, or with negative amounts one that was refunded: a partial refund leaves the fee and the
    count. It is not in its store's sum yet.
    """

    __tablename__ = "balance_entries"

    id: str = uuid_column(primary=True, generated=True)
    user_id: str = uuid_column()
    environment: str = text_column()
    receiving_account_id: str | None = uuid_column(optional=True)
    gross: int = money_column()
    fee: int = money_column()
    charges: int = column(SmallInteger)


class StoreBalance(SQLModel, table=True):
    """The sum of what a store has received on one account; null is the service's main account."""

    __tablename__ = "store_balances"

    id: str = uuid_column(primary=True, generated=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    receiving_account_id: str | None = uuid_column(optional=True)
    gross: int = money_column()
    fee: int = money_column()
    charges: int = column(BigInteger)


balance_entries = table_of(BalanceEntry)
store_balances = table_of(StoreBalance)

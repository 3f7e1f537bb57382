"""What stores have received, kept as sums, so that nobody adds a million charges up.

A trigger on `charges` writes an entry whenever a charge becomes paid, or ceases to be (a refund): in the transaction of
the move, and without touching a row that another payment touches. A sweep folds entries into the sums. Sum and entries
together are always exactly what the paid charges add up to.
"""

from sqlalchemy import BigInteger, Column, Index, SmallInteger, UniqueConstraint
from sqlmodel import Field, SQLModel

from gateway.models.base import Environment, centavos, identifier, one_of, table_of, text


class BalanceEntry(SQLModel, table=True):
    """One charge that was paid, or with negative figures one that is no longer, and isn't in its store's sum yet."""

    __tablename__ = "balance_entries"
    __table_args__ = (Index("ix_balance_entries_store", "user_id", "environment"),)

    id: str = identifier(primary=True, generated=True)
    user_id: str = identifier()
    environment: str = text()
    receiving_account_id: str | None = identifier(optional=True)
    gross: int = centavos()
    fee: int = centavos()
    charges: int = Field(sa_column=Column(SmallInteger, nullable=False))


class StoreBalance(SQLModel, table=True):
    """The sum of what a store has received on one account; without one, on the service's main account."""

    __tablename__ = "store_balances"
    __table_args__ = (
        one_of("environment", Environment),
        UniqueConstraint(
            "user_id",
            "environment",
            "receiving_account_id",
            name="uq_store_balances_user_id",
            postgresql_nulls_not_distinct=True,
        ),
    )

    id: str = identifier(primary=True, generated=True)
    user_id: str = identifier(references="users.id")
    environment: str = text()
    receiving_account_id: str | None = identifier(optional=True)
    gross: int = centavos()
    fee: int = centavos()
    charges: int = Field(sa_column=Column(BigInteger, nullable=False))


balance_entries = table_of(BalanceEntry)
store_balances = table_of(StoreBalance)

"""Where secrets are at rest, and the statements that ask which key sealed them. Columns are found by their mark in the
models, so a new one can't be forgotten.
"""

from dataclasses import dataclass

from sqlalchemy import ARRAY, Column, LargeBinary, any_, bindparam, func, select, update

from gateway.models.base import SEALED
from gateway.models.database import Statement
from gateway.models.tables import metadata
from gateway.security import Vault

BATCH = 500


@dataclass(frozen=True)
class SealedColumn:
    """One column of secrets. `count` binds `mark` (the newest key's) and `marks` (all that can be opened); `stale` finds a
    batch of what another key sealed, beyond the row `last`; `replace` changes a secret that is still the one that was read.
    """

    name: str
    count: Statement
    first: Statement
    stale: Statement
    replace: Statement


def _of(column: Column[bytes]) -> SealedColumn:
    table = column.table
    (key,) = table.primary_key.columns
    begins = func.substring(column, 1, Vault.MARK_LENGTH)
    mark = bindparam("mark", type_=LargeBinary)
    sealed_before_marks = func.substring(column, 1, 1) != func.decode("k", "escape")
    opens = begins == any_(bindparam("marks", type_=ARRAY(LargeBinary)))
    stale = select(key.label("id"), column.label("sealed")).where(begins != mark).order_by(key).limit(BATCH)
    return SealedColumn(
        f"{table.name}.{column.name}",
        Statement(
            select(
                func.count().filter(begins == mark).label("current"),
                func.count().filter((begins != mark) & (opens | sealed_before_marks)).label("stale"),
                func.count().filter(~opens & ~sealed_before_marks).label("lost"),
            ).where(column.is_not(None))
        ),
        Statement(stale),
        Statement(stale.where(key > bindparam("last", type_=key.type))),
        Statement(
            update(table)
            .where(key == bindparam("row_id", type_=key.type), column == bindparam("was", type_=LargeBinary))
            .values({column.name: bindparam("now_sealed", type_=LargeBinary)})
        ),
    )


SEALED_COLUMNS = [
    _of(column) for table in metadata.sorted_tables for column in table.columns if column.info.get(SEALED) is True
]

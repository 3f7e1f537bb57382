"""How many secrets at rest wait to be resealed: what `gateway doctor` tells, asked of the
database without opening any.
"""

from msgspec import Struct

from gateway.models.database import Executor
from gateway.resolvers.secrets.columns import SEALED_COLUMNS
from gateway.security import Vault


class Census(Struct, frozen=True):
    """Secrets of one column: `current` under the newest key, `stale` under one that is
    still read, `lost` under none.
    """

    column: str
    current: int
    stale: int
    lost: int


async def take_census(executor: Executor, vault: Vault) -> list[Census]:
    """Every column of secrets."""
    found = [
        (column.name, await executor.one(column.count, mark=vault.mark, marks=vault.marks)) for column in SEALED_COLUMNS
    ]
    return [Census(name, row["current"], row["stale"], row["lost"]) for name, row in found if row is not None]

"""Privilege errors of PostgreSQL that an operator can fix."""

import asyncpg

_NOT_OURS_YET = (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError, asyncpg.UndefinedFunctionError)


def hint_for(error: BaseException | None) -> str | None:
    """One line for an operator; None where it isn't the database that was refused by, or it isn't theirs to mend."""
    while error is not None:
        # SQLAlchemy, by which migrations run, raises its own from the driver's.
        said = str(error).partition("\n")[0]
        if isinstance(error, asyncpg.InsufficientPrivilegeError):
            return (
                f"the database refuses this role: {said}; gateway migrate is the owner's, docs/audit.md lists the rest"
            )
        if isinstance(error, _NOT_OURS_YET):
            return f"the database's schema is not this version's: {said}; run gateway migrate"
        if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
            return f"the database takes no writes: {said}; look at GATEWAY_DATABASE_URL"
        error = error.__cause__
    return None

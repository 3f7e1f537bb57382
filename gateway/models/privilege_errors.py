"""Privilege errors of PostgreSQL that an operator can fix."""

import asyncpg

_UNDEFINED = (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError, asyncpg.UndefinedFunctionError)


def hint_for(error: BaseException | None) -> str | None:
    """One line for an operator, or None if it is not an error of the database that an operator can fix."""
    while error is not None:
        # Migrations raise SQLAlchemy's errors; their cause is the driver's.
        reason = str(error).partition("\n")[0]
        if isinstance(error, asyncpg.InsufficientPrivilegeError):
            return f"the database refuses this role: {reason}; gateway migrate is the owner's, docs/audit.md lists the rest"
        if isinstance(error, _UNDEFINED):
            return f"the database's schema is not this version's: {reason}; run gateway migrate"
        if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
            return f"the database takes no writes: {reason}; look at GATEWAY_DATABASE_URL"
        error = error.__cause__
    return None

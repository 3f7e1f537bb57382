"""What the database lets the gateway's role do: as much as it must, by what `docs/audit.md` has an operator grant."""

from collections import defaultdict
from collections.abc import AsyncIterator

from gateway.doctor.asking import connected
from gateway.doctor.findings import Finding, good, mend
from gateway.models.audit import audit_pending, audit_records, audit_seals
from gateway.models.tables import metadata
from gateway.resolvers.core.partitions import TABLES
from gateway.settings import Settings

SUBJECT = "rights"
MOST_NAMED = 5
_EVERYTHING = ("select", "insert", "update", "delete")
_LESS = {
    audit_records.name: ("select", "insert"),
    audit_seals.name: ("select", "insert"),
    audit_pending.name: ("select", "insert", "delete"),
    **{f"{table}_default": ("select",) for table in TABLES},
    "alembic_version": ("select",),
}
"""What is written once, or by others alone."""
_FUNCTIONS = ("create_month_partition(regclass,date)", "drop_webhook_partitions(date)", "flush_search_indexes()")
"""What isn't everybody's to execute."""
NEEDED = dict.fromkeys(metadata.tables, _EVERYTHING) | _LESS | {f"function {name}": ("execute",) for name in _FUNCTIONS}
"""The privileges that the gateway's role needs, on each table and on functions."""
# What isn't there is the schema's affair.
_MISSING = """
    select t.name, t.privilege from unnest($1::text[], $2::text[]) as t (name, privilege)
     where not case when starts_with(t.name, 'function ')
                    then has_function_privilege(to_regprocedure(split_part(t.name, ' ', 2)), t.privilege)
                    else has_table_privilege(to_regclass(t.name), t.privilege) end
"""
_READ_ONLY = "select current_setting('transaction_read_only') = 'on' and not pg_is_in_recovery()"


async def rights(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about what the role may do."""
    asked = [(name, privilege) for name, privileges in NEEDED.items() for privilege in privileges]
    async with connected(settings) as connection:
        if await connection.fetchval(_READ_ONLY):  # A replica is told of as such.
            yield mend(
                SUBJECT, "transactions are read-only, so nothing can be written: reset default_transaction_read_only"
            )
        found = await connection.fetch(_MISSING, *map(list, zip(*asked, strict=True)))
    missing = defaultdict[str, list[str]](list)
    for row in found:
        missing[row["name"]].append(row["privilege"])
    if missing:
        yield mend(SUBJECT, f"the database's role may not {_told(missing)}: grant it what docs/audit.md lists")
    else:
        yield good(SUBJECT, "the database's role may do what it must")


def _told(missing: dict[str, list[str]]) -> str:
    named = [f"{', '.join(privileges)} on {name}" for name, privileges in list(missing.items())[:MOST_NAMED]]
    more = len(missing) - MOST_NAMED
    return "; ".join(named) + (f" and as little on {more} more" if more > 0 else "")

"""Write the generated tables of `docs/` in place: `python scripts/docs_tables`, which `make schema` runs.

With `--check` nothing is written; an outdated page is an error.

A table is between `<!-- table: NAME -->` and `<!-- end of table -->`. All other text of a page is written by hand.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from banks import bank_addresses_table, bank_profiles_table, bank_settings_table
from errors import errors_table
from graphql_limits import graphql_limits_table
from lists import exports_list, lists_table
from permissions import permissions_table
from settings import settings_table
from webhooks import error_codes_table, events_table, retry_schedule_table

DOCS = Path(__file__).parents[2] / "docs"
_TABLE = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


TABLES: dict[str, Callable[[], str]] = {
    "errors": errors_table,
    "lists": lists_table,
    "exports": exports_list,
    "permissions": permissions_table,
    "settings": settings_table,
    "bank-settings": bank_settings_table,
    "bank-addresses": bank_addresses_table,
    "bank-profiles": bank_profiles_table,
    "graphql-limits": graphql_limits_table,
    "events": events_table,
    "retry-schedule": retry_schedule_table,
    "error-codes": error_codes_table,
}


def fill_tables(page: str) -> str:
    """The page with its tables generated from the code."""
    return _TABLE.sub(lambda table: f"{table[1]}\n{TABLES[table[2]]().strip()}\n\n{table[3]}", page)


def main() -> None:
    stale = []
    for path in sorted(DOCS.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if (filled := fill_tables(page)) != page:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(filled, encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"out of date, run `make schema`: {', '.join(stale)}")


if __name__ == "__main__":
    main()

"""The limits in `docs/graphql.md`."""

from gateway.resolvers.accounts.passwords import MAX_HASHES_PER_REQUEST
from gateway.resolvers.core.listing.pages import MAX_ROWS
from gateway.schema import query_limits as limits
from gateway.schema.connections import IMAGE_ROW_COST
from gateway.schema.document_cache import MAX_TOKENS
from gateway.schema.execution import MAX_SECONDS


def graphql_limits_table() -> str:
    values = {
        "tokens of a document": MAX_TOKENS,
        "depth": limits.MAX_DEPTH,
        "fields": limits.MAX_FIELDS,
        "aliases": limits.MAX_ALIASES,
        "fragment spreads": limits.MAX_FRAGMENT_SPREADS,
        "characters of a document": limits.MAX_DOCUMENT_CHARACTERS,
        "operations": limits.MAX_OPERATIONS,
        "mutations of an operation": limits.MAX_MUTATIONS,
        "password hashes of a request": MAX_HASHES_PER_REQUEST,
        "introspection fields": limits.MAX_INTROSPECTIONS,
        "values written in a document": limits.MAX_INLINE_VALUES,
        "values of all variables": limits.MAX_VARIABLE_VALUES,
        "seconds of a request": f"{MAX_SECONDS:g}",
        "rows of all lists of a request": MAX_ROWS,
        "rows that one row with an image counts as": IMAGE_ROW_COST,
        "body": "1 MiB",
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in values.items())])

"""The limits in `docs/graphql.md`."""

from gateway.resolvers.accounts.passwords import MAX_HASHES_PER_REQUEST
from gateway.resolvers.core.listing.pages import MAX_ROWS
from gateway.schema import limits
from gateway.schema.bounded import MAX_SECONDS
from gateway.schema.connections import ROWS_OF_AN_IMAGE
from gateway.schema.documents import MOST_TOKENS


def graphql_limits_table() -> str:
    values = {
        "tokens of a document": MOST_TOKENS,
        "depth": limits.DEEPEST,
        "fields": limits.MOST_FIELDS,
        "aliases": limits.MOST_ALIASES,
        "fragment spreads": limits.MOST_SPREADS,
        "characters of a document": limits.MAX_DOCUMENT_CHARACTERS,
        "operations": limits.MAX_OPERATIONS,
        "mutations of an operation": limits.MAX_MUTATIONS,
        "password hashes of a request": MAX_HASHES_PER_REQUEST,
        "introspection fields": limits.MAX_INTROSPECTIONS,
        "values written in a document": limits.MAX_INLINE_VALUES,
        "values of all variables": limits.MAX_VARIABLE_VALUES,
        "seconds of a request": f"{MAX_SECONDS:g}",
        "rows of all lists of a request": MAX_ROWS,
        "rows that one row with an image counts as": ROWS_OF_AN_IMAGE,
        "body": "1 MiB",
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in values.items())])

"""Re-encrypt stored secrets with the newest key (`gateway admin reencrypt`), and count them by key (`gateway doctor`).

The rotation runs next to the service, in batches that commit alone, and may be interrupted and repeated. A secret that
changed meanwhile, or that no key decrypts, stays as it is. The encrypted columns are found by their flag in the models,
and the secrets of emails by their template data, so a new one is never missed.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from sqlalchemy import ARRAY, ColumnElement, LargeBinary, Table, any_, bindparam, func, literal_column, select, update
from sqlalchemy.dialects.postgresql import JSONB

from gateway.models.base import ENCRYPTED
from gateway.models.database import Executor, Row, Statement
from gateway.models.emails import EmailState, emails
from gateway.models.tables import metadata
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.rendering import TEMPLATES
from gateway.security import Vault

BATCH_SIZE = 500
MAX_SAMPLE_IDS = 3
_new = bindparam("new", type_=LargeBinary)


class EncryptedColumn(Struct, frozen=True):
    """One column of secrets. `count` binds `key_id` (the newest key's) and `key_ids` (those of all keys).

    `first` and `next` find a batch that another key encrypted, `next` after the row `last`. `replace` updates a secret
    that is still the one that was read.
    """

    name: str
    count: Statement
    first: Statement
    next: Statement
    replace: Statement


class KeyUsage(Struct, frozen=True):
    """Secrets of one column: `current` under the newest key, `stale` under an older one, `lost` under none."""

    column: str
    current: int
    stale: int
    lost: int


class RotatedColumn(Struct, frozen=True):
    """The result for one column. `sample_ids` are the first rows that no key decrypts."""

    column: str
    rotated: int
    lost: int
    sample_ids: tuple[str, ...] = ()


def _encrypted(
    name: str, table: Table, secret: ColumnElement[Any], where: Sequence[ColumnElement[bool]], values: dict[str, Any]
) -> EncryptedColumn:
    (key,) = table.primary_key.columns
    prefix = func.substring(secret, 1, Vault.KEY_ID_LENGTH)
    key_id = bindparam("key_id", type_=LargeBinary)
    without_key_id = func.substring(secret, 1, 1) != func.decode("k", "escape")
    known = prefix == any_(bindparam("key_ids", type_=ARRAY(LargeBinary)))
    stale = (
        select(key.label("id"), secret.label("secret")).where(*where, prefix != key_id).order_by(key).limit(BATCH_SIZE)
    )
    return EncryptedColumn(
        name,
        count=Statement(
            select(
                func.count().filter(prefix == key_id).label("current"),
                func.count().filter((prefix != key_id) & (known | without_key_id)).label("stale"),
                func.count().filter(~known & ~without_key_id).label("lost"),
            ).where(*where, secret.is_not(None))
        ),
        first=Statement(stale),
        next=Statement(stale.where(key > bindparam("last", type_=key.type))),
        replace=Statement(
            update(table)
            .where(key == bindparam("row_id", type_=key.type), secret == bindparam("old", type_=LargeBinary))
            .values(values)
        ),
    )


def _table_columns() -> Iterator[EncryptedColumn]:
    for table in metadata.sorted_tables:
        for column in table.columns:
            if column.info.get(ENCRYPTED) is True:
                # Rows that are deleted in steps have an empty secret at first.
                not_empty = func.octet_length(column) > literal_column("0")
                yield _encrypted(f"{table.name}.{column.name}", table, column, (not_empty,), {column.name: _new})


def _waiting_emails() -> Iterator[EncryptedColumn]:
    """The secrets in emails that are still to be sent; those of others are never decrypted again."""
    data: ColumnElement[Any] = emails.c.template_data
    for name in dict.fromkeys(name for kind in TEMPLATES.values() for name in kind.secrets):
        kinds = [kind.value for kind, contents in TEMPLATES.items() if name in contents.secrets]
        waiting = (emails.c.kind.in_(kinds), emails.c.state == EmailState.waiting.value)
        changed = func.jsonb_build_object(name, func.convert_from(_new, "UTF8"), type_=JSONB)
        secret = func.convert_to(data[name].astext, "UTF8")
        yield _encrypted(
            f"emails.template_data.{name}", emails, secret, waiting, {"template_data": data.concat(changed)}
        )


ENCRYPTED_COLUMNS = [*_table_columns(), *_waiting_emails()]


async def count_key_usage(executor: Executor, vault: Vault) -> list[KeyUsage]:
    """Count the secrets of every column by their key. Decrypts none."""
    rows = [
        (each.name, await executor.one(each.count, key_id=vault.key_id, key_ids=vault.key_ids))
        for each in ENCRYPTED_COLUMNS
    ]
    return [KeyUsage(name, row["current"], row["stale"], row["lost"]) for name, row in rows if row is not None]


async def rotate_keys(ctx: Context) -> list[RotatedColumn]:
    """Encrypt every secret with the newest key."""
    return [await _rotate_column(ctx, column) for column in ENCRYPTED_COLUMNS]


async def _rotate_column(ctx: Context, column: EncryptedColumn) -> RotatedColumn:
    vault = ctx.services.vault
    rotated = lost = 0
    sample_ids: list[str] = []
    rows = await ctx.database.all(column.first, key_id=vault.key_id)
    while rows:
        changes = _changes(vault, rows)
        known = {change["row_id"] for change in changes}
        unknown = [str(row["id"]) for row in rows if row["id"] not in known]
        lost += len(unknown)
        sample_ids += unknown[: MAX_SAMPLE_IDS - len(sample_ids)]
        if changes:
            await _replace(ctx, column, changes)
        rotated += len(changes)
        full = len(rows) == BATCH_SIZE
        rows = await ctx.database.all(column.next, key_id=vault.key_id, last=rows[-1]["id"]) if full else []
    return RotatedColumn(column.name, rotated, lost, tuple(sample_ids))


def _changes(vault: Vault, rows: Sequence[Row]) -> list[dict[str, object]]:
    changes: list[dict[str, object]] = []
    for row in rows:
        with suppress(ValueError):  # No key decrypts it.
            changes.append({"row_id": row["id"], "old": row["secret"], "new": vault.reencrypt(row["secret"])})
    return changes


async def _replace(ctx: Context, column: EncryptedColumn, changes: list[dict[str, object]]) -> None:
    async with ctx.database.transaction() as transaction:
        await transaction.run_many(column.replace, changes)
        counts = {column.name: {"reencrypted": len(changes)}}
        await record(ctx, transaction, "secrets.reencrypted", None, changes=counts)

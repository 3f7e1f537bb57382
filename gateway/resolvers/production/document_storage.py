"""Encrypted files in object storage. No file is lost, and none is left over.

Object storage has no transactions. So an upload inserts a row in `orphaned_objects` before it writes the object. The
transaction that saves the document deletes this row, and inserts one for the object that it replaces. A periodic job
deletes the objects of due rows, and no others: the bucket may also have objects of other programs.
"""

import secrets
from datetime import timedelta

import anyio.to_thread
from msgspec import Struct
from sqlalchemy import ARRAY, Text, bindparam, delete, func, insert, select, update

from gateway.errors import ArchiveUnavailable
from gateway.models.database import Executor, Statement
from gateway.models.production import orphaned_objects
from gateway.resolvers.core.context import Context
from gateway.security import decrypt_file, encrypt_file, new_file_key
from gateway.telemetry import log

UPLOAD_TIMEOUT = timedelta(hours=1)
"""How long an object may have no document. It is far longer than the timeout of object storage."""
RETRY_INTERVAL = timedelta(minutes=10)
BATCH_SIZE = 100
MAX_FAILURES = 3
"""Failed deletions that end a batch: object storage is out of order."""

_O = orphaned_objects
INSERT = Statement(insert(_O).values({name: bindparam(name) for name in ("object_key", "writing", "delete_after")}))
CONFIRM = Statement(delete(_O).where(_O.c.object_key == bindparam("object_key"), _O.c.writing))
# `writing=False`: a slow upload can no longer confirm an object that is about to be deleted.
CLAIM = Statement(
    update(_O)
    .where(
        _O.c.object_key.in_(
            select(_O.c.object_key)
            .where(_O.c.delete_after <= bindparam("now"))
            .order_by(_O.c.delete_after)
            .limit(BATCH_SIZE)
            .with_for_update(skip_locked=True)
            .scalar_subquery()
        )
    )
    .values(writing=False, delete_after=bindparam("retry_at"))
    .returning(_O.c.object_key)
)
DELETE = Statement(delete(_O).where(_O.c.object_key == func.any(bindparam("keys", type_=ARRAY(Text)))))


class StoredFile(Struct, frozen=True):
    """A file in object storage, and its encrypted key."""

    object_key: str
    file_key: bytes


async def upload_file(ctx: Context, content: bytes) -> StoredFile:
    """Encrypt a file and store it under a random key. It is deleted later unless `confirm_file` is called."""
    object_key, key = secrets.token_hex(32), new_file_key()
    encrypted = await anyio.to_thread.run_sync(encrypt_file, content, key, object_key)
    delete_after = ctx.real_clock.now() + UPLOAD_TIMEOUT
    await ctx.database.run(INSERT, object_key=object_key, writing=True, delete_after=delete_after)
    await ctx.services.object_storage.put(object_key, encrypted)
    return StoredFile(object_key, ctx.services.vault.encrypt(key.hex()))


async def download_file(ctx: Context, stored: StoredFile) -> bytes:
    """Download and decrypt a file. Raises `ArchiveUnavailable` if it is missing or has changed."""
    encrypted = await ctx.services.object_storage.get(stored.object_key)
    try:
        key = bytes.fromhex(ctx.services.vault.decrypt(stored.file_key))
        return await anyio.to_thread.run_sync(decrypt_file, encrypted, key, stored.object_key)
    except ValueError as error:
        log.error("archive_object_unreadable", error=str(error))
        raise ArchiveUnavailable from None


async def confirm_file(transaction: Executor, object_key: str) -> None:
    """Keep an uploaded file for good. Raises `ArchiveUnavailable` if the upload has timed out."""
    if not await transaction.run(CONFIRM, object_key=object_key):
        raise ArchiveUnavailable


async def discard_file(ctx: Context, transaction: Executor, object_key: str) -> None:
    """Have a file deleted after the transaction commits."""
    await transaction.run(INSERT, object_key=object_key, writing=False, delete_after=ctx.real_clock.now())


async def delete_orphaned_objects(ctx: Context) -> int:
    """Delete the objects that are due; the number of them. A failed deletion is retried later, and doesn't stop the
    others before there are `MAX_FAILURES`. Raises the last `ArchiveUnavailable`.
    """
    now = ctx.real_clock.now()
    due = [row["object_key"] for row in await ctx.database.all(CLAIM, now=now, retry_at=now + RETRY_INTERVAL)]
    deleted: list[str] = []
    failures: list[ArchiveUnavailable] = []
    try:
        for key in due:
            try:
                await ctx.services.object_storage.delete(key)
                deleted.append(key)
            except ArchiveUnavailable as failure:
                failures.append(failure)
                if len(failures) == MAX_FAILURES:
                    break
    finally:
        if deleted:
            await ctx.database.run(DELETE, keys=deleted)
    if failures:
        raise failures[-1]
    return len(deleted)

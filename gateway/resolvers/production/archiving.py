"""Files into the archive and out of it again, so that none is lost and none is left over.

The archive takes no part in transactions. So an object is written down as a stray before it is put; the transaction
that keeps its document takes it off the list, and puts the object that it replaces on it. Whatever is still on the list
when its time has come is deleted by the sweep. Nothing is ever deleted that isn't on the list: a bucket may hold
others'.
"""

import secrets
from datetime import timedelta

import anyio.to_thread
from msgspec import Struct
from sqlalchemy import ARRAY, Text, bindparam, delete, func, insert, select, update

from gateway.errors import ArchiveUnavailable
from gateway.models.database import Executor, Statement
from gateway.models.production import archive_strays as strays
from gateway.resolvers.core.context import Context
from gateway.security import new_file_key, open_file, seal_file
from gateway.telemetry import log

WRITING = timedelta(hours=1)
"""How long a fresh object may wait for its document; far longer than the archive's patience."""
RETRY = timedelta(minutes=10)
BATCH = 100
MOST_IN_VAIN = 3
"""As many deletions that fail in one sweep say that the archive is out of order."""

_now = bindparam("now", type_=strays.c.delete_after.type)
_key = bindparam("object_key", type_=strays.c.object_key.type)
ADD = Statement(
    insert(strays).values(
        {name: bindparam(name, type_=strays.c[name].type) for name in ("object_key", "writing", "delete_after")}
    )
)
KEEP = Statement(delete(strays).where(strays.c.object_key == _key, strays.c.writing))
# From here on the object is the sweep's: a writer that wakes up late finds it gone from the list, and gives up.
CLAIM = Statement(
    update(strays)
    .where(
        strays.c.object_key.in_(
            select(strays.c.object_key)
            .where(strays.c.delete_after <= _now)
            .order_by(strays.c.delete_after)
            .limit(BATCH)
            .with_for_update(skip_locked=True)
            .scalar_subquery()
        )
    )
    .values(writing=False, delete_after=bindparam("retry_at", type_=strays.c.delete_after.type))
    .returning(strays.c.object_key)
)
FORGET = Statement(delete(strays).where(strays.c.object_key == func.any(bindparam("keys", type_=ARRAY(Text)))))


class Stored(Struct, frozen=True):
    """Where a file lies, and the key that opens it, sealed by the vault."""

    object_key: str
    file_key: bytes


async def store(ctx: Context, content: bytes) -> Stored:
    """Put a file, sealed, under a name that nobody can guess. It will be deleted unless a transaction keeps it."""
    name, key = secrets.token_hex(32), new_file_key()
    sealed = await anyio.to_thread.run_sync(seal_file, content, key, name)
    await ctx.database.run(ADD, object_key=name, writing=True, delete_after=ctx.real_clock.now() + WRITING)
    await ctx.services.archive.put(name, sealed)
    return Stored(name, ctx.services.vault.seal(key.hex()))


async def fetch(ctx: Context, stored: Stored) -> bytes:
    """A file that was stored. Raises `ArchiveUnavailable` where it isn't there, or is no longer what it was."""
    sealed = await ctx.services.archive.get(stored.object_key)
    try:
        key = bytes.fromhex(ctx.services.vault.open(stored.file_key))
        return await anyio.to_thread.run_sync(open_file, sealed, key, stored.object_key)
    except ValueError as error:
        log.error("archive_object_unreadable", error=str(error))
        raise ArchiveUnavailable from None


async def keep(transaction: Executor, key: str) -> None:
    """Keep a stored file for good. Raises `ArchiveUnavailable` where that took so long that it was given up."""
    if not await transaction.run(KEEP, object_key=key):
        raise ArchiveUnavailable


async def discard(ctx: Context, transaction: Executor, key: str) -> None:
    """Let a kept file go once the transaction has committed."""
    await transaction.run(ADD, object_key=key, writing=False, delete_after=ctx.real_clock.now())


async def sweep_archive(ctx: Context) -> int:
    """Delete the objects whose time has come; how many. What the archive doesn't delete is tried again later, and keeps
    it from nothing else, unless it comes to `MOST_IN_VAIN`. Raises the last `ArchiveUnavailable`.
    """
    now = ctx.real_clock.now()
    due = [row["object_key"] for row in await ctx.database.all(CLAIM, now=now, retry_at=now + RETRY)]
    gone: list[str] = []
    failures: list[ArchiveUnavailable] = []
    try:
        for key in due:
            try:
                await ctx.services.archive.delete(key)
                gone.append(key)
            except ArchiveUnavailable as failure:
                failures.append(failure)
                if len(failures) == MOST_IN_VAIN:
                    break
    finally:
        if gone:
            await ctx.database.run(FORGET, keys=gone)
    if failures:
        raise failures[-1]
    return len(gone)

"""`GET /auth/me` and `PUT /auth/profile`."""

from typing import Any

from sqlalchemy import Update, bindparam, select, update

from gateway.errors import InvalidInput
from gateway.models.accounts import users
from gateway.models.database import Executor, Row, Statement, StatementCache
from gateway.resolvers.accounts.queries import read_own_account
from gateway.resolvers.accounts.types import USER_COLUMNS, IdentityView, UpdateProfile, user_view
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.audit.changes import differences
from gateway.resolvers.core.access import KeyAccess, Permission
from gateway.resolvers.core.actor import COMPANY_DATA, REQUESTABLE, Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import operation

_now = bindparam("now", type_=users.c.updated_at.type)


def _update(*fields: str) -> Update:
    values: dict[str, Any] = {name: bindparam(f"new_{name}", type_=users.c[name].type) for name in fields}
    updated = update(users).where(users.c.id == bindparam("user_id")).values(values | {"updated_at": _now})
    return updated.returning(*USER_COLUMNS)


LOCK = Statement(select(users).where(users.c.id == bindparam("user_id")).with_for_update(key_share=True))
UPDATE = StatementCache(_update)


@operation("accounts.me", Permission.account, scope=KeyAccess.any_key)
async def read_me(ctx: Context, _: Empty) -> IdentityView:
    """The owner of the credential."""
    return _identity_view(ctx, await read_own_account(ctx))


@operation("accounts.update_profile", Permission.account, scope=KeyAccess.no_scoped_key)
async def update_profile(ctx: Context, form: UpdateProfile) -> IdentityView:
    """Change the fields that were sent.

    Accepted production terms stay accepted. Company data of a store that was, or is to be, approved can't be emptied.
    """
    sent = form.sent()
    if sent.pop("accept_production_terms", None):
        sent["production_terms_accepted_at"] = ctx.real_clock.now()
        sent["production_terms_url"] = ctx.settings.terms_url
    async with ctx.database.transaction() as transaction:
        row = await _change(ctx, transaction, sent)
    return _identity_view(ctx, row)


async def _change(ctx: Context, transaction: Executor, sent: dict[str, Any]) -> Row:
    before = await transaction.single(LOCK, user_id=ctx.actor.user_id)
    # Terms at another address replace the earlier acceptance, which stays in the audit trail.
    other_terms = sent.get("production_terms_url") not in {None, before["production_terms_url"]}
    if before["production_terms_accepted_at"] is not None and not other_terms:
        sent.pop("production_terms_accepted_at", None)
        sent.pop("production_terms_url", None)
    changes = differences(before, sent)
    if not changes:
        return before
    emptied = [name for name in COMPANY_DATA if name in changes and not sent[name]]
    if emptied and before["production_status"] not in REQUESTABLE:
        raise InvalidInput(*((name, "não pode ficar vazio") for name in emptied))
    values = {f"new_{name}": sent[name] for name in changes}
    after = await transaction.single(UPDATE.of(*changes), user_id=ctx.actor.user_id, now=ctx.real_clock.now(), **values)
    await record(ctx, transaction, "account.updated", ctx.actor.user_id, changes=changes)
    return after


def _identity_view(ctx: Context, row: Row) -> IdentityView:
    user = user_view(row, by_key=ctx.actor.credential is Credential.api_key)
    return IdentityView.of({"user": user, "environment": ctx.environment})

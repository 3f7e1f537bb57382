"""`PUT /auth/profile` and `PUT /auth/password`."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Update, bindparam, select, update

from gateway.errors import InvalidInput
from gateway.models.accounts import users
from gateway.models.database import Executor, Row, Shapes, Statement
from gateway.resolvers.accounts.inputs import ChangePassword, UpdateProfile
from gateway.resolvers.accounts.new_passwords import hashed, set_password
from gateway.resolvers.accounts.proving import require_password
from gateway.resolvers.accounts.records import BY_ID
from gateway.resolvers.accounts.sessions import environment_from_now_on, open_session
from gateway.resolvers.accounts.views import USER_COLUMNS, IdentityView, SessionView, user_view
from gateway.resolvers.audit.changes import HIDDEN, differences
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission, Reach
from gateway.resolvers.core.actor import COMPANY_DATA, TO_BE_REQUESTED, Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.sessions.keeping import begin, end_others

CHANGES_PER_ACCOUNT = (20, 3600)
"""Attempts to change the password, in how many seconds: each hashes twice, and each that
succeeds is a mail to the holder.
"""
_now = bindparam("now", type_=users.c.updated_at.type)
_returned = (*USER_COLUMNS, users.c.session_version)


def _update(*fields: str) -> Update:
    given: dict[str, Any] = {name: bindparam(f"new_{name}", type_=users.c[name].type) for name in fields}
    changed = update(users).where(users.c.id == bindparam("user_id")).values(given | {"updated_at": _now})
    return changed.returning(*_returned)


LOCK = Statement(select(users).where(users.c.id == bindparam("user_id")).with_for_update(key_share=True))
UPDATE = Shapes(_update)


@operation("accounts.update_profile", Permission.account, scope=Reach.no_scoped_key)
async def update_profile(ctx: Context, form: UpdateProfile) -> IdentityView:
    """Change the fields that were sent; accepting the production terms is never undone, and what a store was or is to
    be approved by can be changed and not emptied.
    """
    sent = form.sent()
    accepts = sent.pop("accept_production_terms", None)
    if accepts:
        sent["production_terms_accepted_at"] = ctx.real_clock.now()
        sent["production_terms_url"] = ctx.settings.terms_url
    async with ctx.database.transaction() as transaction:
        row = await _change(ctx, transaction, sent)
    user = user_view(row, by_key=ctx.actor.credential is Credential.api_key)
    return IdentityView.of({"user": user, "environment": ctx.environment})


def _refuse_to_empty(names: Iterable[str]) -> None:
    if refused := [(name, "não pode ficar vazio") for name in names]:
        raise InvalidInput(*refused)


async def _change(ctx: Context, transaction: Executor, sent: dict[str, Any]) -> Row:
    before = await transaction.one(LOCK, user_id=ctx.actor.user_id)
    assert before is not None, "authentication has just read this account, and accounts are never deleted"
    if before["production_terms_accepted_at"] is not None and not _accepts_other_terms(before, sent):
        sent.pop("production_terms_accepted_at", None)
        sent.pop("production_terms_url", None)
    changes = differences(before, sent)
    if not changes:
        return before
    if before["production_status"] not in TO_BE_REQUESTED:
        _refuse_to_empty(name for name in COMPANY_DATA if name in changes and not sent[name])
    values = {f"new_{name}": sent[name] for name in changes}
    after = await transaction.one(UPDATE.of(*changes), user_id=ctx.actor.user_id, now=ctx.real_clock.now(), **values)
    assert after is not None, "the row is locked"
    await record(ctx, transaction, "account.updated", ctx.actor.user_id, changes=changes)
    return after


def _accepts_other_terms(before: Row, sent: dict[str, Any]) -> bool:
    """Whether terms at another address are accepted: the earlier acceptance stays in the audit trail."""
    return sent.get("production_terms_url") not in {None, before["production_terms_url"]}


@operation("accounts.change_password", Permission.session)
async def change_password(ctx: Context, form: ChangePassword) -> SessionView:
    """Set a new password; every older session ends, and the answer carries a new one."""
    await ctx.services.limiter.hit(f"password:{ctx.actor.user_id}", *CHANGES_PER_ACCOUNT)
    row = await ctx.database.one(BY_ID, id=ctx.actor.user_id)
    assert row is not None
    await require_password(ctx, form.current_password, row["password_hash"])
    new_hash = await hashed(ctx, form.new_password, row["email"])
    async with ctx.database.transaction() as transaction:
        changed = await set_password(ctx, transaction, row, new_hash)
        await end_others(transaction, ctx.actor.user_id, ctx.actor.session_id)
        session_id = ctx.actor.session_id or await begin(ctx, transaction, ctx.actor.user_id)
        hidden = {"password": {"from": HIDDEN, "to": HIDDEN}}
        await record(ctx, transaction, "account.password_changed", ctx.actor.user_id, changes=hidden)
        environment = await environment_from_now_on(ctx, transaction)
    return open_session(ctx, changed, environment, session_id)

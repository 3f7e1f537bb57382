"""`PUT /auth/password`, `POST /auth/password/forgot` and `POST /auth/password/reset`: change a password, or reset it.

A mailed token only lets its reader choose a password: it opens no session, and replaces no second factor. A request for
a reset doesn't reveal whether the email has an account, neither by its response nor by its time.
"""

import hashlib
from datetime import timedelta

from sqlalchemy import bindparam, delete, insert, select, update

from gateway.errors import InvalidInput, InvalidSession, NotFound, RateLimited
from gateway.models.accounts import password_resets, users
from gateway.models.database import Executor, Row, Statement
from gateway.rate_limits import Limit, caller_of, network_of
from gateway.resolvers.accounts.login import LOGINS_PER_ADDRESS, as_owner, record_of_account
from gateway.resolvers.accounts.passwords import hash_password, require_password, reset_login_limits
from gateway.resolvers.accounts.queries import ACCOUNT, BY_EMAIL, MARK_VERIFIED, read_own_account
from gateway.resolvers.accounts.types import (
    NOT_THE_EMAIL,
    USER_COLUMNS,
    ChangePassword,
    PasswordResetView,
    RequestPasswordReset,
    ResetPassword,
    ResetRequestedView,
    SessionView,
    is_email,
)
from gateway.resolvers.accounts.unverified_accounts import RevokedAccess, revoke_unverified_access
from gateway.resolvers.audit.access_denied import insert_sampled_record
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.audit.changes import HIDDEN, mask_email
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.email.account_templates import PasswordChanged, PasswordReset, describe_revoked_access
from gateway.resolvers.email.outbox import EmailMessage, email_values, enqueue, insert_emails
from gateway.resolvers.sessions.store import delete_sessions
from gateway.resolvers.sessions.tokens import replace_other_sessions
from gateway.security import hash_token, new_email_token
from gateway.values.ids import new_id

CHANGES_PER_ACCOUNT = (20, 3600)
"""Attempts, and seconds. Each computes two hashes, and a successful one sends an email."""
TOKEN_LIFETIME = timedelta(hours=1)
MAILS_PER_EMAIL = ((1, 600), (100, 86400))
"""Messages, and seconds. Beyond a limit the response is the same, and no message is sent."""
MAILS_PER_NETWORK = (10, 86400)
"""Messages to one email requested from one network, so that others can't use up the owner's limit."""
REQUESTED = (
    "Se há uma conta com este e-mail, enviamos um código para escolher uma nova senha. Ele vale uma hora. Não chegou? Confira o spam, e peça de "
    "novo depois de 10 minutos."
)
UNKNOWN = "Código não encontrado. Ele vale uma vez, por uma hora; peça outro."
_HIDDEN_CHANGE = {"password": {"from": HIDDEN, "to": HIDDEN}}

_R = password_resets
SET_PASSWORD = Statement(
    update(users)
    .where(users.c.id == bindparam("user_id"), users.c.session_version == bindparam("version"))
    .values(
        password_hash=bindparam("new_hash"),
        session_version=users.c.session_version + 1,
        updated_at=bindparam("now"),
    )
    .returning(*USER_COLUMNS, users.c.session_version)
)
_values = {name: bindparam(f"new_{name}", type_=_R.c[name].type) for name in ("token_hash", "created_at", "expires_at")}
_account = select(*_values.values(), users.c.id).where(users.c.id == bindparam("account"))
_inserted = insert(_R).from_select([*_values, "user_id"], _account).returning(_R.c.user_id).cte("reset")
INSERT_RESET = Statement(insert_emails(_inserted))
_token = (
    _R.c.token_hash == bindparam("token_hash"),
    _R.c.expires_at > bindparam("now"),
)
_owner = select(_R.c.user_id).where(*_token).scalar_subquery()
ACCOUNT_BY_TOKEN = Statement(ACCOUNT.where(users.c.id == _owner))
# Every change of a password locks the account's row first.
LOCK = Statement(
    select(users.c.id, users.c.session_version, users.c.email_verified_at, users.c.production_status)
    .where(users.c.id == bindparam("user_id"))
    .with_for_update(key_share=True)
)
DELETE_RESETS = Statement(delete(_R).where(_R.c.user_id == _owner))
PURGE = Statement(delete(_R).where(_R.c.expires_at < bindparam("now")))


@operation("accounts.change_password", Permission.session)
async def change_password(ctx: Context, form: ChangePassword) -> SessionView:
    """Set a new password; every older session ends, and the answer carries a new one."""
    await ctx.services.limiter.hit(f"password:{ctx.actor.user_id}", *CHANGES_PER_ACCOUNT)
    account = await read_own_account(ctx)
    await require_password(ctx, form.current_password, account["password_hash"])
    new_hash = await _hash_new_password(ctx, form.new_password, account["email"])
    async with ctx.database.transaction() as transaction:
        row = await _set_password(ctx, transaction, account, new_hash)
        session, _ = await replace_other_sessions(ctx, transaction, row)
        await record(ctx, transaction, "account.password_changed", ctx.actor.user_id, changes=_HIDDEN_CHANGE)
    return session


@operation("accounts.request_password_reset", Permission.public)
async def request_password_reset(ctx: Context, form: RequestPasswordReset) -> ResetRequestedView:
    """Mail a token with which a new password can be chosen, if the email has an account."""
    await ctx.services.limiter.hit(f"login:ip:{caller_of(ctx.origin.ip)}", *LOGINS_PER_ADDRESS)
    email = form.email.lower()
    if await _may_send(ctx, email):
        await _send_token(ctx, email, await ctx.database.one(BY_EMAIL, email=email))
    return ResetRequestedView.of({"requested": True, "message": REQUESTED})


@operation("accounts.reset_password", Permission.public)
async def reset_password(ctx: Context, form: ResetPassword) -> PasswordResetView:
    """Set a new password with a mailed token, once; every session of the account ends, and its other tokens are
    withdrawn.

    Raises `NotFound` with the same message for a token that is unknown, used or expired.
    """
    await ctx.services.limiter.hit(f"login:ip:{caller_of(ctx.origin.ip)}", *LOGINS_PER_ADDRESS)
    token = {"token_hash": hash_token(form.token), "now": ctx.real_clock.now()}
    row = await ctx.database.one(ACCOUNT_BY_TOKEN, **token)
    if row is None:
        raise NotFound(UNKNOWN)
    user_id, new_hash = row["id"], await _hash_new_password(ctx, form.new_password, row["email"])
    owner = as_owner(ctx, row)
    async with ctx.database.transaction() as transaction:
        account = await transaction.single(LOCK, user_id=user_id)
        if not await transaction.run(DELETE_RESETS, **token):
            raise NotFound(UNKNOWN)
        revoked = await revoke_unverified_access(ctx, transaction, account)
        await transaction.run(MARK_VERIFIED, user_id=user_id, version=account["session_version"], now=token["now"])
        await _set_password(owner, transaction, account, new_hash, revoked=revoked)
        ended = await delete_sessions(transaction, user_id)
        changes = {**_HIDDEN_CHANGE, "sessions": {"from": ended}, **revoked.changes}
        await record(owner, transaction, "account.password_reset", user_id, changes=changes)
    await reset_login_limits(ctx, row["email"])
    return PasswordResetView.of({"reset": True, "email": row["email"], "message": describe_revoked_access(*revoked)})


async def purge_password_resets(ctx: Context) -> None:
    """Delete expired tokens."""
    await ctx.database.run(PURGE, now=ctx.real_clock.now())


async def _hash_new_password(ctx: Context, new_password: str, email: str) -> str:
    if is_email(new_password, email):
        raise InvalidInput(("new_password", NOT_THE_EMAIL))
    return await hash_password(ctx, new_password)


async def _set_password(
    ctx: Context, transaction: Executor, account: Row, new_hash: str, *, revoked: RevokedAccess | None = None
) -> Row:
    """Set the password, revoke older tokens, and send an email to the owner. `revoked` is passed by a reset.

    Raises `InvalidSession` if another password was set, or the sessions were revoked, since `account` was read.
    """
    now, user_id = ctx.real_clock.now(), account["id"]
    row = await transaction.one(
        SET_PASSWORD, user_id=user_id, version=account["session_version"], new_hash=new_hash, now=now
    )
    if row is None:
        raise InvalidSession
    counts = (revoked or RevokedAccess())._asdict()
    mail = PasswordChanged(
        user_id=user_id,
        email=row["email"],
        at=now,
        ip=ctx.origin.ip,
        by_mail=revoked is not None,
        link=ctx.settings.panel_page("/ajustes/seguranca"),
        **counts,
    )
    await enqueue(ctx, transaction, EmailMessage(mail, user_id))
    return row


async def _may_send(ctx: Context, email: str) -> bool:
    """Count one message, unless a limit is reached. A request beyond the limit of its network counts for no other."""
    limiter, digest = ctx.services.limiter, hashlib.sha256(email.encode()).hexdigest()[:32]
    limits = [
        Limit(f"reset:email:{digest}:{network_of(ctx.origin.ip)}", *MAILS_PER_NETWORK),
        *(Limit(f"reset:email:{seconds}:{digest}", max_count, seconds) for max_count, seconds in MAILS_PER_EMAIL),
    ]
    try:
        for limit in limits:
            await limiter.check(*limit)
        for limit in limits:
            await limiter.hit(*limit)
    except RateLimited:
        return False
    return True


async def _send_token(ctx: Context, email: str, row: Row | None) -> None:
    # Without an account the same statements run for an unknown id, and insert nothing.
    account, now, token = row["id"] if row else new_id(), ctx.real_clock.now(), new_email_token()
    expires_at = now + TOKEN_LIFETIME
    link = ctx.settings.panel_page("/senha/nova", token)
    mail = PasswordReset(email=email, requested_at=now, expires_at=expires_at, ip=ctx.origin.ip, token=token, link=link)
    values = {"new_token_hash": hash_token(token), "new_created_at": now, "new_expires_at": expires_at}
    audit = record_of_account(ctx, "account.password_reset_requested", row, {"email": mask_email(email)})
    async with ctx.database.transaction() as transaction:
        await transaction.run(
            INSERT_RESET, account=account, **values, **email_values(ctx, [EmailMessage(mail, account)])
        )
        await insert_sampled_record(ctx, 1, audit, transaction)

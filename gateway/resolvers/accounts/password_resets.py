"""`POST /auth/password/forgot` and `POST /auth/password/reset`: a new password for who has forgotten theirs.

Whoever reads the mail of an account's address may choose its password: that is all a mailed token shows, so it opens no
session, and a second factor is asked for as ever. Whether anybody has the address that was typed is told neither by the
answer nor by the work done for it.
"""

import hashlib
from datetime import timedelta

from sqlalchemy import bindparam, delete, insert, select

from gateway.errors import NotFound
from gateway.models.accounts import password_resets, users
from gateway.models.database import Row, Statement
from gateway.rate_limits import Limit, caller_of, network_of
from gateway.resolvers.accounts.inputs import RequestPasswordReset, ResetPassword
from gateway.resolvers.accounts.new_passwords import hashed, set_password
from gateway.resolvers.accounts.records import ACCOUNT, BY_EMAIL, PROVE
from gateway.resolvers.accounts.refused_logins import first_environment
from gateway.resolvers.accounts.sessions import LOGINS_PER_ADDRESS, as_holder, forget_failures
from gateway.resolvers.accounts.unproven import shut_out_others
from gateway.resolvers.accounts.views import PasswordResetView, ResetRequestedView
from gateway.resolvers.audit.changes import HIDDEN, mask_email
from gateway.resolvers.audit.refusals import note
from gateway.resolvers.audit.trail import record, record_of
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.mail.contents import what_is_open
from gateway.resolvers.mail.facts import PasswordReset
from gateway.resolvers.mail.outbox import Letter, letters_of, queueing
from gateway.resolvers.sessions.keeping import end_others
from gateway.security import hash_token, new_mailed_token
from gateway.values.ids import new_id

LASTS = timedelta(hours=1)
MAILS_PER_EMAIL = ((1, 600), (100, 86400))
"""How many, in how many seconds. Who asks more often is answered alike and not written to: it
may be somebody else who asks.
"""
MAILS_PER_NETWORK = (10, 86400)
"""Mails to one e-mail at the request of one network: strangers can't use up the owner's."""
REQUESTED = (
    "Se há uma conta com este e-mail, enviamos um código para escolher uma nova senha. Ele vale uma hora. Não chegou? Confira o spam, e peça de "
    "novo depois de 10 minutos."
)
UNKNOWN = "Código não encontrado. Ele vale uma vez, por uma hora; peça outro."

_R = password_resets
_given = {name: bindparam(f"new_{name}", type_=_R.c[name].type) for name in ("token_hash", "created_at", "expires_at")}
_account = select(*_given.values(), users.c.id).where(users.c.id == bindparam("account", type_=users.c.id.type))
_asked = insert(_R).from_select([*_given, "user_id"], _account).returning(_R.c.user_id).cte("asked")
ASK = Statement(queueing(_asked))
_shown = (
    _R.c.token_hash == bindparam("shown", type_=_R.c.token_hash.type),
    _R.c.expires_at > bindparam("now", type_=_R.c.expires_at.type),
)
SHOWN = Statement(ACCOUNT.where(users.c.id == select(_R.c.user_id).where(*_shown).scalar_subquery()))
# Who sets a password holds the account's row first, whichever way they set it.
LOCK = Statement(
    select(users.c.id, users.c.email, users.c.session_version, users.c.email_proven_at, users.c.production_status)
    .where(users.c.id == bindparam("user_id"))
    .with_for_update(key_share=True)
)
USE = Statement(delete(_R).where(_R.c.user_id == select(_R.c.user_id).where(*_shown).scalar_subquery()))
FORGET = Statement(delete(_R).where(_R.c.expires_at < bindparam("now", type_=_R.c.expires_at.type)))


@operation("accounts.request_password_reset", Permission.public)
async def request_password_reset(ctx: Context, form: RequestPasswordReset) -> ResetRequestedView:
    """Mail a token with which a new password can be chosen, if anybody has this address."""
    await ctx.services.limiter.hit(f"login:ip:{caller_of(ctx.origin.ip)}", *LOGINS_PER_ADDRESS)
    email = form.email.lower()
    if await _is_due(ctx, email):
        await _mail(ctx, email, await ctx.database.one(BY_EMAIL, email=email))
    return ResetRequestedView.of({"requested": True, "message": REQUESTED})


async def _is_due(ctx: Context, email: str) -> bool:
    whose = hashlib.sha256(email.encode()).hexdigest()[:32]
    limits = [Limit(f"reset:email:{seconds}:{whose}", most, seconds) for most, seconds in MAILS_PER_EMAIL]
    limits.insert(1, Limit(f"reset:email:{whose}:{network_of(ctx.origin.ip)}", *MAILS_PER_NETWORK))
    for name, most, seconds in limits:
        if await ctx.services.limiter.count(name, seconds) > most:
            return False
    return True


async def _mail(ctx: Context, email: str, row: Row | None) -> None:
    # Where there is no account everything is done for one that doesn't exist, and comes to nothing.
    account, now, token = row["id"] if row else new_id(), ctx.real_clock.now(), new_mailed_token()
    facts = PasswordReset(email=email, asked_at=now, expires_at=now + LASTS, ip=ctx.origin.ip, token=token)
    given = {"token_hash": hash_token(token), "created_at": now, "expires_at": facts.expires_at}
    asked = {f"new_{name}": value for name, value in given.items()}
    whose = row["id"] if row else None
    told = record_of(
        ctx, "account.password_reset_requested", whose, changes={"email": mask_email(email)}, store_id=whose
    )
    async with ctx.database.transaction() as transaction:
        await transaction.run(ASK, account=account, **asked, **letters_of(ctx, [Letter(facts, account)]))
        await note(ctx, 1, told | {"audit_environment": first_environment(row) if row else None}, transaction)


@operation("accounts.reset_password", Permission.public)
async def reset_password(ctx: Context, form: ResetPassword) -> PasswordResetView:
    """Set a new password with a mailed token, once; every session of the account ends, and its other tokens are
    withdrawn.

    Raises `NotFound` for a token that is unknown, used or over, all with the same words.
    """
    await ctx.services.limiter.hit(f"login:ip:{caller_of(ctx.origin.ip)}", *LOGINS_PER_ADDRESS)
    shown = {"shown": hash_token(form.token), "now": ctx.real_clock.now()}
    row = await ctx.database.one(SHOWN, **shown)
    if row is None:
        raise NotFound(UNKNOWN)
    user_id, new_hash = row["id"], await hashed(ctx, form.new_password, row["email"])
    holder = as_holder(ctx, row)
    async with ctx.database.transaction() as transaction:
        account = await transaction.one(LOCK, user_id=user_id)
        assert account is not None, "accounts are never deleted"
        if not await transaction.run(USE, **shown):
            raise NotFound(UNKNOWN)
        shut_out = await shut_out_others(ctx, transaction, account)
        await transaction.run(PROVE, user_id=user_id, shown=account["session_version"], now=shown["now"])
        await set_password(holder, transaction, account, new_hash, reset=shut_out)
        ended = await end_others(transaction, user_id, None)
        changes = {"password": {"from": HIDDEN, "to": HIDDEN}, "sessions": {"from": ended}, **shut_out.changes}
        await record(holder, transaction, "account.password_reset", user_id, changes=changes)
    await forget_failures(ctx, row["email"])
    return PasswordResetView.of({"reset": True, "email": row["email"], "message": what_is_open(*shut_out)})


async def forget_password_resets(ctx: Context) -> None:
    """Delete those that are over."""
    await ctx.database.run(FORGET, now=ctx.real_clock.now())

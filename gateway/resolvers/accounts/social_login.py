"""`POST /auth/google`: open a session with a Google identity.

An account is linked to Google's own id of the person. An email only leads to a new account, or to a request for the
password of the account that has it: addresses change owners, and registration verifies none. With a second factor, the
link is made after its code (`two_factor/login.py`).
"""

from sqlalchemy import bindparam, insert, select

from gateway.errors import EmailTaken, IdentityRefused, WrongCredentials
from gateway.integrations.identity import Identity
from gateway.models.accounts import IdentityProvider, external_identities, users
from gateway.models.database import Executor, Row, Statement, UniqueViolation
from gateway.rate_limits import caller_of
from gateway.resolvers.accounts.login import LOGINS_PER_ADDRESS, begin_session, record_of_account
from gateway.resolvers.accounts.passwords import login_limits, rate_limited_attempt, verify_password
from gateway.resolvers.accounts.queries import ACCOUNT, BY_EMAIL, MARK_VERIFIED
from gateway.resolvers.accounts.register import REGISTRATIONS_PER_ADDRESS, insert_account
from gateway.resolvers.accounts.types import ExternalLogin, SessionView
from gateway.resolvers.audit.access_denied import count_refusal, insert_sampled_record
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.sessions.tokens import first_environment

_I = external_identities
_google = _I.c.provider == IdentityProvider.google.value
FIND_ACCOUNT = Statement(
    ACCOUNT.join_from(_I, users, users.c.id == _I.c.user_id).where(_google, _I.c.provider_uid == bindparam("uid"))
)
FIND_LINKED_UID = Statement(select(_I.c.provider_uid).where(_google, _I.c.user_id == bindparam("user_id")))
LINK = Statement(
    insert(_I).values(
        {name: bindparam(name) for name in ("provider", "provider_uid", "user_id", "email")}
        | {"created_at": bindparam("now")}
    )
)
PASSWORD_NEEDED = "Já existe uma conta com este e-mail. Para entrar nela com o Google, informe a senha dela uma vez."  # noqa: S105  # A message.
OTHER_IDENTITY = "A conta com este e-mail já entra com outra identidade do Google."


@operation("accounts.external_login", Permission.public)
async def log_in_externally(ctx: Context, login: ExternalLogin) -> SessionView:
    """Open a session with an identity of Google's; the first time, open an account for it."""
    await ctx.services.limiter.hit(f"login:ip:{caller_of(ctx.origin.ip)}", *LOGINS_PER_ADDRESS)
    try:
        identity = await ctx.services.identities.identify(login.appwriteJwt)
    except IdentityRefused:
        await _record_failure(ctx, None)
        raise
    try:
        row, unlinked = await _account_of(ctx, identity, login)
    except UniqueViolation:  # A concurrent request of the same person was first.
        row, unlinked = await _account_of(ctx, identity, login)
    return await begin_session(ctx, row, (identity.uid, identity.email) if unlinked else None)


async def _account_of(ctx: Context, identity: Identity, login: ExternalLogin) -> tuple[Row, bool]:
    """The account of the identity, and whether it is still to be linked. A linked account may have another email."""
    linked = await ctx.database.one(FIND_ACCOUNT, uid=identity.uid)
    if linked is not None:
        return linked, False
    same_email = await ctx.database.one(BY_EMAIL, email=identity.email)
    if same_email is None:
        return await _new_account(ctx, identity), False
    linked_uid = await ctx.database.value(FIND_LINKED_UID, user_id=same_email["id"])
    if linked_uid == identity.uid:  # A concurrent request has just linked it.
        return same_email, False
    await _verify_owner(ctx, same_email, login, has_other_identity=linked_uid is not None)
    if same_email["codes_used"] is not None:
        return same_email, True
    async with ctx.database.transaction() as transaction:
        await link_identity(ctx, transaction, same_email, identity.uid, identity.email)
    return same_email, False


async def _new_account(ctx: Context, identity: Identity) -> Row:
    await ctx.services.limiter.hit(f"register:ip:{caller_of(ctx.origin.ip)}", *REGISTRATIONS_PER_ADDRESS)
    async with ctx.database.transaction() as transaction:
        row = await insert_account(ctx, transaction, {"name": identity.name, "email": identity.email})
        await link_identity(ctx, transaction, row, identity.uid, identity.email)
    return row


async def _verify_owner(ctx: Context, account: Row, login: ExternalLogin, *, has_other_identity: bool) -> None:
    """Verify the account's password, since its email proves nothing. Raises `EmailTaken` or `WrongCredentials`."""
    if has_other_identity:
        await _record_failure(ctx, account)
        raise EmailTaken(OTHER_IDENTITY)
    if login.password is None:
        raise EmailTaken(PASSWORD_NEEDED)
    async with rate_limited_attempt(ctx, login_limits(ctx, account["email"].lower())):
        if not await verify_password(ctx, login.password, account["password_hash"]):
            await _record_failure(ctx, account)
            raise WrongCredentials


async def link_identity(ctx: Context, transaction: Executor, account: Row, uid: str, email: str) -> None:
    """Link and record an identity. Raises `UniqueViolation`, and `WrongCredentials` if the password changed since the
    account was read.
    """
    account_id, now = account["id"], ctx.real_clock.now()
    if not await transaction.run(MARK_VERIFIED, user_id=account_id, version=account["session_version"], now=now):
        raise WrongCredentials
    identity = {"provider": IdentityProvider.google, "provider_uid": uid, "email": email}
    await transaction.run(LINK, **identity, user_id=account_id, now=now)
    changes = {"provider": IdentityProvider.google.value}
    about = {"store_id": account_id, "environment": first_environment(account)}
    await record(ctx, transaction, "account.identity_linked", account_id, changes=changes, **about)


async def _record_failure(ctx: Context, account: Row | None) -> None:
    action, caller = "account.login_failed", account["id"] if account else caller_of(ctx.origin.ip)
    count = await count_refusal(ctx, action, caller)
    changes = {"provider": IdentityProvider.google.value, "attempts": count}
    await insert_sampled_record(ctx, count, record_of_account(ctx, action, account, changes))

"""`POST /auth/google`: a session for whoever Google says it is.

What links an account is Google's own id of a person. An e-mail address only ever leads to a *new* account, or to the
question for the password of the one that has it: addresses change hands, and nobody has proven those of our accounts.
Where the account has a second factor, nothing is linked before that is shown (`two_factor/login.py`).
"""

from sqlalchemy import bindparam, insert, select

from gateway.errors import EmailTaken, IdentityRefused, WrongCredentials
from gateway.integrations.identity import Identity
from gateway.models.accounts import IdentityProvider, external_identities, users
from gateway.models.database import Executor, Row, Statement, UniqueViolation
from gateway.rate_limits import caller_of
from gateway.resolvers.accounts.hashing import verify_password
from gateway.resolvers.accounts.inputs import ExternalLogin
from gateway.resolvers.accounts.records import ACCOUNT, BY_EMAIL, PROVE
from gateway.resolvers.accounts.register import CREATE, REGISTRATIONS_PER_ADDRESS
from gateway.resolvers.accounts.sessions import LOGINS_PER_ADDRESS, begin_session, guarded_guess, login_limits
from gateway.resolvers.accounts.views import SessionView
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.values.ids import new_id

_I = external_identities
_google = _I.c.provider == IdentityProvider.google.value
LINKED = Statement(
    ACCOUNT.join_from(_I, users, users.c.id == _I.c.user_id).where(_google, _I.c.provider_uid == bindparam("uid"))
)
HAS_ONE = Statement(select(_I.c.provider_uid).where(_google, _I.c.user_id == bindparam("user_id")))
LINK = Statement(
    insert(_I).values(
        {name: bindparam(name) for name in ("provider", "provider_uid", "user_id", "email")}
        | {"created_at": bindparam("now", type_=_I.c.created_at.type)}
    )
)
ASK = "Já existe uma conta com este e-mail. Para entrar nela com o Google, informe a senha dela uma vez."
ANOTHER = "A conta com este e-mail já entra com outra identidade do Google."


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
    except UniqueViolation:  # The same person came twice at a time, and the other request was first.
        row, unlinked = await _account_of(ctx, identity, login)
    return await begin_session(ctx, row, (identity.uid, identity.email) if unlinked else None)


async def _account_of(ctx: Context, identity: Identity, login: ExternalLogin) -> tuple[Row, bool]:
    """The account that the identity opens, and whether it is still to be linked to it. What its address is by now plays
    no part for one that is linked.
    """
    linked = await ctx.database.one(LINKED, uid=identity.uid)
    if linked is not None:
        return linked, False
    same_address = await ctx.database.one(BY_EMAIL, email=identity.email)
    if same_address is None:
        return await _new_account(ctx, identity), False
    known = await ctx.database.value(HAS_ONE, user_id=same_address["id"])
    if known == identity.uid:  # Another request of the same person has just opened it.
        return same_address, False
    await _prove(ctx, same_address, login, has_another=known is not None)
    if same_address["codes_used"] is not None:
        return same_address, True
    async with ctx.database.transaction() as transaction:
        await link(ctx, transaction, same_address, identity.uid, identity.email)
    return same_address, False


async def _new_account(ctx: Context, identity: Identity) -> Row:
    await ctx.services.limiter.hit(f"register:ip:{caller_of(ctx.origin.ip)}", *REGISTRATIONS_PER_ADDRESS)
    account_id = new_id()
    given = {"id": account_id, "name": identity.name, "email": identity.email}
    nothing = dict.fromkeys(("password_hash", "cnpj", "company"))
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(CREATE, **given, **nothing, now=ctx.real_clock.now())
        assert row is not None
        await record(ctx, transaction, "account.registered", account_id, store_id=account_id)
        await link(ctx, transaction, row, identity.uid, identity.email)
    return row


async def _prove(ctx: Context, account: Row, login: ExternalLogin, *, has_another: bool) -> None:
    """That whoever holds the identity holds the account, too: its password says so, its address doesn't. Raises
    `EmailTaken` or `WrongCredentials`.
    """
    if has_another:
        await _record_failure(ctx, account["id"])
        raise EmailTaken(ANOTHER)
    if login.password is None:
        raise EmailTaken(ASK)
    async with guarded_guess(ctx, login_limits(ctx, account["email"].lower())):
        if not await verify_password(ctx, login.password, account["password_hash"]):
            await _record_failure(ctx, account["id"])
            raise WrongCredentials


async def link(ctx: Context, transaction: Executor, account: Row, uid: str, email: str) -> None:
    """Let an identity open an account from now on, on record. Raises `UniqueViolation`, and `WrongCredentials` where
    the account has got another password since it was read.
    """
    account_id, now = account["id"], ctx.real_clock.now()
    if not await transaction.run(PROVE, user_id=account_id, shown=account["session_version"], now=now):
        raise WrongCredentials
    linked = {"provider": IdentityProvider.google, "provider_uid": uid, "email": email}
    await transaction.run(LINK, **linked, user_id=account_id, now=now)
    changes = {"provider": IdentityProvider.google.value}
    await record(ctx, transaction, "account.identity_linked", account_id, changes=changes, store_id=account_id)


async def _record_failure(ctx: Context, account_id: str | None) -> None:
    changes = {"provider": IdentityProvider.google.value}
    await record(ctx, ctx.database, "account.login_failed", account_id, changes=changes, store_id=account_id)

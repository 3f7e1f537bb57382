"""`POST /auth/login/code`: the second step of a login, after a password or after Google."""

from gateway.errors import ChallengeInvalid, WrongCredentials
from gateway.models.database import Row, UniqueViolation
from gateway.rate_limits import caller_of
from gateway.resolvers.accounts.login import LOGINS_PER_ADDRESS, as_owner, open_recorded_session
from gateway.resolvers.accounts.queries import BY_ID
from gateway.resolvers.accounts.social_login import link_identity
from gateway.resolvers.accounts.types import SessionView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.two_factor.codes import FACTOR, guarded_code, use_code
from gateway.resolvers.two_factor.types import AnswerChallenge
from gateway.security import ChallengeClaims
from gateway.values.ids import is_id


@operation("accounts.login_with_code", Permission.public)
async def log_in_with_code(ctx: Context, answer: AnswerChallenge) -> SessionView:
    """Complete a login with a code of the second factor."""
    await ctx.services.limiter.hit(f"login:code:ip:{caller_of(ctx.origin.ip)}", *LOGINS_PER_ADDRESS)
    claims = ctx.services.tokens.read_challenge(answer.challenge)
    if claims is None:
        raise ChallengeInvalid
    account = await _challenged_account(ctx, claims)
    factor = await ctx.database.one(FACTOR, user_id=account["id"])
    if factor is None or factor["uses"] != claims.uses:
        raise ChallengeInvalid
    try:
        return await _enter(ctx, account, factor, answer.code, claims.identity)
    # A concurrent login has linked this identity, or the account; or its sessions were revoked.
    except (UniqueViolation, WrongCredentials):
        raise ChallengeInvalid from None


async def _challenged_account(ctx: Context, claims: ChallengeClaims) -> Row:
    """The account of the challenge. Its password, sessions and second factor must not have changed since."""
    account = await ctx.database.one(BY_ID, id=claims.user_id) if is_id(claims.user_id) else None
    if account is None or (account["session_version"], account["codes_used"]) != (claims.version, claims.uses):
        raise ChallengeInvalid
    return account


async def _enter(ctx: Context, account: Row, factor: Row, code: str, identity: tuple[str, str] | None) -> SessionView:
    async with guarded_code(ctx, account, code), ctx.database.transaction() as transaction:
        used = await use_code(ctx, transaction, account["id"], factor, code)
        if identity is not None:
            await link_identity(as_owner(ctx, account), transaction, account, *identity)
        return await open_recorded_session(ctx, transaction, account, changes=used.changes)

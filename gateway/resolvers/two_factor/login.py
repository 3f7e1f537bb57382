"""`POST /auth/login/code`: the second step of a login, with a code. It is the same after
a password and after Google.
"""

from gateway.errors import ChallengeInvalid
from gateway.models.database import Row, UniqueViolation
from gateway.rate_limits import caller_of
from gateway.resolvers.accounts.external_login import link
from gateway.resolvers.accounts.records import BY_ID
from gateway.resolvers.accounts.sessions import LOGINS_PER_ADDRESS, as_holder, enter
from gateway.resolvers.accounts.views import SessionView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.two_factor.codes import FACTOR, guarded_code, use_code
from gateway.resolvers.two_factor.inputs import AnswerChallenge
from gateway.security import ChallengeClaims
from gateway.values.ids import is_id


@operation("accounts.login_with_code", Permission.public)
async def log_in_with_code(ctx: Context, answer: AnswerChallenge) -> SessionView:
    """Open the session that a right password was not enough for."""
    await ctx.services.limiter.hit(f"login:code:ip:{caller_of(ctx.origin.ip)}", *LOGINS_PER_ADDRESS)
    claims = ctx.services.tokens.read_challenge(answer.challenge)
    account = await _challenged(ctx, claims)
    factor = await ctx.database.one(FACTOR, user_id=account["id"])
    assert claims is not None
    if factor is None or factor["uses"] != claims.uses:
        raise ChallengeInvalid
    try:
        return await _enter(ctx, account, factor, answer.code, claims.identity)
    except UniqueViolation:  # Another login has linked this identity, or the account, meanwhile.
        raise ChallengeInvalid from None


async def _challenged(ctx: Context, claims: ChallengeClaims | None) -> Row:
    """The account whose second factor is asked for, if everything about it is as it was when the challenge was made."""
    if claims is None or not is_id(claims.user_id):
        raise ChallengeInvalid
    account = await ctx.database.one(BY_ID, id=claims.user_id)
    if account is None or (account["session_version"], account["codes_used"]) != (claims.version, claims.uses):
        raise ChallengeInvalid
    return account


async def _enter(ctx: Context, account: Row, factor: Row, code: str, identity: tuple[str, str] | None) -> SessionView:
    user_id = account["id"]
    async with guarded_code(ctx, account, code), ctx.database.transaction() as transaction:
        used = await use_code(ctx, transaction, user_id, factor, code)
        if identity is not None:
            await link(as_holder(ctx, account), transaction, account, *identity)
        return await enter(ctx, transaction, account, changes=used.told())

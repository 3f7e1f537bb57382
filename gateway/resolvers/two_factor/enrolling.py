"""Setting up a second factor, in two steps: its secret, and a code that shows that the app has it."""

from base64 import b64encode
from datetime import timedelta
from urllib.parse import quote, urlencode

from sqlalchemy import bindparam, delete, update
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import SecondFactorOff, SecondFactorOn
from gateway.integrations.engines import qr
from gateway.models.database import Statement
from gateway.models.sessions import two_factors
from gateway.resolvers.accounts.proving import require_password_if_any
from gateway.resolvers.accounts.records import BY_ID
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.mail.facts import TwoFactorChange
from gateway.resolvers.sessions.ending import replace_sessions
from gateway.resolvers.two_factor.codes import FACTOR, guarded_code, step_of
from gateway.resolvers.two_factor.inputs import BeginTwoFactor, ConfirmTwoFactor
from gateway.resolvers.two_factor.recovery import new_codes
from gateway.resolvers.two_factor.telling import tell_holder
from gateway.resolvers.two_factor.views import EnrolmentView, TwoFactorEnabledView
from gateway.security import new_totp_secret

WAITS = timedelta(minutes=30)
"""How long a secret that was shown may be confirmed."""
NOT_BEGUN = "Não há configuração a confirmar, ou ela venceu. Comece de novo."

_F = two_factors
_now = bindparam("now", type_=_F.c.created_at.type)
_first = insert(_F).values(user_id=bindparam("user_id"), secret=bindparam("sealed"), created_at=_now)
BEGIN = Statement(
    _first.on_conflict_do_update(
        index_elements=[_F.c.user_id],
        set_={"secret": _first.excluded.secret, "created_at": _first.excluded.created_at},
        where=_F.c.confirmed_at.is_(None),
    )
)
CONFIRM = Statement(
    update(_F)
    .where(_F.c.user_id == bindparam("user_id"), _F.c.secret == bindparam("shown"), _F.c.confirmed_at.is_(None))
    .values(
        confirmed_at=bindparam("now", type_=_F.c.confirmed_at.type),
        last_step=bindparam("step", type_=_F.c.last_step.type),
        recovery_hashes=bindparam("hashes", type_=_F.c.recovery_hashes.type),
        uses=1,
    )
)
FORGET = Statement(
    delete(_F).where(_F.c.confirmed_at.is_(None), _F.c.created_at < bindparam("oldest", type_=_F.c.created_at.type))
)


@operation("two_factor.begin", Permission.session)
async def begin_two_factor(ctx: Context, form: BeginTwoFactor) -> EnrolmentView:
    """Show the secret of a second factor to be; nothing asks for it yet. A later call shows another in its place."""
    account = await ctx.database.one(BY_ID, id=ctx.actor.user_id)
    assert account is not None
    if account["codes_used"] is not None:
        raise SecondFactorOn
    await require_password_if_any(ctx, form.password, account["password_hash"])
    secret, now = new_totp_secret(), ctx.real_clock.now()
    async with ctx.database.transaction() as transaction:
        sealed = ctx.services.vault.seal(secret)
        if not await transaction.run(BEGIN, user_id=ctx.actor.user_id, sealed=sealed, now=now):
            raise SecondFactorOn
        await record(ctx, transaction, "account.two_factor_begun", ctx.actor.user_id)
    address = _address(ctx, account["email"], secret)
    # Not `qr.data_url`, which remembers what it has drawn.
    picture = "data:image/png;base64," + b64encode(qr.png(address)).decode()
    return EnrolmentView.of(
        {"secret": secret, "otpauth_url": address, "qr_code_url": picture, "expires_at": now + WAITS}
    )


@operation("two_factor.confirm", Permission.session)
async def confirm_two_factor(ctx: Context, form: ConfirmTwoFactor) -> TwoFactorEnabledView:
    """Put the second factor in force, by a code of it; every older session ends, and the answer carries a new one."""
    user_id, now = ctx.actor.user_id, ctx.real_clock.now()
    account, factor = await ctx.database.one(BY_ID, id=user_id), await ctx.database.one(FACTOR, user_id=user_id)
    assert account is not None
    if factor is not None and factor["confirmed_at"] is not None:
        raise SecondFactorOn
    if factor is None or factor["created_at"] + WAITS <= now:
        raise SecondFactorOff(NOT_BEGUN)
    async with guarded_code(ctx, account, form.code):
        step = step_of(ctx, factor, form.code)
    codes, hashes = new_codes(user_id)
    async with ctx.database.transaction() as transaction:
        done = {"user_id": user_id, "shown": factor["secret"], "now": now, "step": step, "hashes": hashes}
        if not await transaction.run(CONFIRM, **done):
            raise SecondFactorOff(NOT_BEGUN)
        session, ended = await replace_sessions(ctx, transaction)
        await tell_holder(ctx, transaction, account, TwoFactorChange.enabled)
        changes = {"two_factor": {"from": False, "to": True}, "sessions": {"from": ended}}
        await record(ctx, transaction, "account.two_factor_enabled", user_id, changes=changes)
    return TwoFactorEnabledView.of({"recovery_codes": codes, "session": session})


async def forget_unconfirmed(ctx: Context) -> None:
    """Delete secrets that were shown and never confirmed."""
    await ctx.database.run(FORGET, oldest=ctx.real_clock.now() - WAITS)


def _address(ctx: Context, email: str, secret: str) -> str:
    """The factor as authenticator apps read it: issuer and account in front, so that people tell theirs apart."""
    issuer = ctx.settings.mail_sender.display_name
    told = {"secret": secret, "issuer": issuer, "algorithm": "SHA1", "digits": 6, "period": 30}
    return f"otpauth://totp/{quote(f'{issuer}:{email}')}?{urlencode(told, quote_via=quote)}"

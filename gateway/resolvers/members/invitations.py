"""Send, resend and accept invitations.

The token is only in the email; the database has its hash, until it is used, replaced or withdrawn. Only the account
with the invited email can accept it.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, func, insert, or_, select, update

from gateway.errors import Conflict, NotFound
from gateway.models.accounts import users
from gateway.models.database import Statement, Transaction
from gateway.models.members import MemberStatus, members
from gateway.rate_limits import Limit
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import translate_violations
from gateway.resolvers.email.account_templates import Invitation
from gateway.resolvers.email.outbox import EmailMessage, Recipient, enqueue
from gateway.resolvers.members.operations import lock_member, require_owner_for
from gateway.resolvers.members.types import MEMBER_COLUMNS, AcceptInvitation, InviteMember, MemberView, WhichMember
from gateway.resolvers.sessions.store import lock_account
from gateway.security import hash_token, new_email_token
from gateway.values.ids import new_id

VALIDITY = timedelta(days=7)
"""Contract section 3."""
MAX_OPEN = 50
"""Open invitations of one store. Each is an email to someone who may not want it."""
MAX_A_DAY = 100
"""Invitations of one store in a day, including accepted and withdrawn ones."""
MAX_A_DAY_TO_ONE_EMAIL = 3
RESEND_INTERVAL = timedelta(minutes=10)
"""Between two resends. The first resend needs no wait."""
RESENDS_PER_INVITATION = (5, 86400)
"""Resends, and seconds."""
UNKNOWN = (
    "Convite não encontrado. Ele vale uma vez, para a conta do e-mail convidado, e deixa de valer quando é reenviado ou "
    "retirado. Confira com que conta você entrou, ou peça outro convite."
)

INVITED_ALREADY = "Este e-mail já tem um convite em aberto ou já é da equipe."

_M, _U = members, users
_SENT = ("token_hash", "invited_by", "invited_at", "expires_at")
_sent = {name: bindparam(f"new_{name}", type_=_M.c[name].type) for name in _SENT}
_today = _M.c.created_at > bindparam("yesterday")
COUNT = Statement(
    select(
        func.count()
        .filter(
            _M.c.status == MemberStatus.invited.value,
            _M.c.expires_at > bindparam("now"),
        )
        .label("open"),
        func.count().filter(_today).label("today"),
        func.count().filter(_today, _M.c.email == bindparam("email")).label("to_email"),
    ).where(_M.c.store_id == bindparam("store_id"))
)
IS_OWNERS_EMAIL = Statement(
    select(_U.c.id).where(
        _U.c.id == bindparam("store_id"), func.lower(_U.c.email) == bindparam("email", type_=_U.c.email.type)
    )
)
_inviter = select(_U.c.name).where(_U.c.id == _sent["invited_by"]).scalar_subquery().label("invited_by_name")
INVITE = Statement(
    insert(_M)
    .values(
        {name: bindparam(name) for name in ("id", "store_id", "name", "email", "role")}
        | _sent
        | {"created_at": bindparam("new_invited_at")}
    )
    # The invitation's own name: there is no account yet.
    .returning(*(_inviter if name == "invited_by_name" else _M.c[name] for name in MemberView.model_fields))
)
_interval_over = _M.c.invited_at <= bindparam("sent_before")
RESEND = Statement(
    update(_M)
    .where(_M.c.id == bindparam("member_id"), or_(_M.c.invited_at == _M.c.created_at, _interval_over))
    .values(_sent)
    .returning(*MEMBER_COLUMNS)
)
_own_token = (
    _M.c.token_hash == bindparam("hash"),
    _M.c.email == select(func.lower(_U.c.email)).where(_U.c.id == bindparam("account")).scalar_subquery(),
)
_now = bindparam("now", type_=_M.c.accepted_at.type)
ACCEPT = Statement(
    update(_M)
    .where(*_own_token, _M.c.expires_at > _now)
    .values(
        status=MemberStatus.active.value,
        user_id=bindparam("account"),
        accepted_at=_now,
        token_hash=None,
    )
    .returning(*MEMBER_COLUMNS)
)
FIND_BY_TOKEN = Statement(select(_M.c.id).where(*_own_token))


@operation("members.invite", Permission.people, idempotent=True)
async def invite_member(ctx: Context, order: InviteMember) -> MemberView:
    """Invite a person to the store by email.

    Raises `OwnerOnly` if the role is administrator and the caller isn't the store owner, and `Conflict` for an email
    that is invited or a member already, and beyond a limit of invitations.
    """
    require_owner_for(ctx, order.role)
    email, token = order.email.lower(), new_email_token()
    with translate_violations(uq_members_email=lambda: Conflict(INVITED_ALREADY)):
        async with ctx.database.transaction() as transaction:
            await lock_account(ctx, transaction)
            if await transaction.value(IS_OWNERS_EMAIL, store_id=ctx.store_id, email=email):
                raise Conflict("Este e-mail é do titular da loja.")
            await _check_limits(ctx, transaction, email)
            row = await transaction.single(
                INVITE,
                id=new_id(),
                store_id=ctx.store_id,
                name=order.name,
                email=email,
                role=order.role,
                **_sent_values(ctx, token),
            )
            invited = MemberView.of(row)
            changes = {"email": email, "role": invited.role}
            await record(ctx, transaction, "member.invited", invited.id, changes=changes)
            await _send(ctx, transaction, invited, token)
            await idempotency.complete(ctx, transaction, invited)
    return invited


@operation("members.resend", Permission.people)
async def resend_invitation(ctx: Context, which: WhichMember) -> MemberView:
    """Send an open invitation again, with a new token and a new week; the earlier token is no longer valid.

    Raises `Conflict` unless the invitation is open and the last resend is ten minutes ago, and `OwnerOnly` if the role
    is administrator and the caller isn't the store owner.
    """
    limit = Limit(f"invitation:{ctx.store_id}:{which.id}", *RESENDS_PER_INVITATION)
    await ctx.services.limiter.check(*limit)
    token = new_email_token()
    async with ctx.database.transaction() as transaction:
        before = await lock_member(ctx, transaction, which.id)
        if before["status"] != MemberStatus.invited:
            raise Conflict("Só se reenvia um convite que ainda não foi aceito nem retirado.")
        before_interval = ctx.real_clock.now() - RESEND_INTERVAL
        row = await transaction.one(RESEND, member_id=which.id, sent_before=before_interval, **_sent_values(ctx, token))
        if row is None:
            raise Conflict("Este convite acaba de ser reenviado; espere dez minutos para reenviar mais uma vez.")
        sent = MemberView.of(row)
        await record(ctx, transaction, "member.invitation_resent", sent.id)
        await _send(ctx, transaction, sent, token)
    await ctx.services.limiter.hit(*limit)
    return sent


@operation("members.accept", Permission.session)
async def accept_invitation(ctx: Context, form: AcceptInvitation) -> MemberView:
    """Accept an invitation, as the account that was invited; once.

    Raises `NotFound` with the same message for a token that is unknown, used, replaced, withdrawn or another account's,
    and `Conflict` for an expired one.
    """
    own_token = {"hash": hash_token(form.token), "account": ctx.actor.user_id}
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(ACCEPT, **own_token, now=ctx.real_clock.now())
        if row is None:
            expired = await transaction.value(FIND_BY_TOKEN, **own_token)
            raise Conflict("Este convite venceu. Peça que ele seja reenviado.") if expired else NotFound(UNKNOWN)
        member = MemberView.of(row)
        changes = {"status": {"from": MemberStatus.invited, "to": member.status}}
        await record(ctx, transaction, "member.accepted", member.id, changes=changes, store_id=member.store_id)
    return member


async def _check_limits(ctx: Context, transaction: Transaction, email: str) -> None:
    await transaction.lock(f"invitations of {ctx.store_id}")
    now = ctx.real_clock.now()
    count = await transaction.single(
        COUNT, store_id=ctx.store_id, email=email, now=now, yesterday=now - timedelta(days=1)
    )
    if count["open"] >= MAX_OPEN:
        message = f"O limite é de {MAX_OPEN} convites em aberto; retire algum ou espere que sejam aceitos."
    elif count["to_email"] >= MAX_A_DAY_TO_ONE_EMAIL:
        message = f"Este e-mail já recebeu {MAX_A_DAY_TO_ONE_EMAIL} convites da loja em 24 horas; espere até amanhã."
    elif count["today"] >= MAX_A_DAY:
        message = f"O limite é de {MAX_A_DAY} convites em 24 horas, também os retirados; espere até amanhã."
    else:
        return
    raise Conflict(message).retryable()


def _sent_values(ctx: Context, token: str) -> dict[str, Any]:
    now = ctx.real_clock.now()  # Invitations expire by real time, also in a store with a test clock.
    return {
        "new_token_hash": hash_token(token),
        "new_invited_by": ctx.actor.user_id,
        "new_invited_at": now,
        "new_expires_at": now + VALIDITY,
    }


async def _send(ctx: Context, transaction: Transaction, member: MemberView, token: str) -> None:
    facts = {
        "member_id": member.id,
        "store_name": ctx.actor.store_name,
        "inviter_name": ctx.actor.name,
        "role": member.role,
        "expires_at": member.expires_at,
        "token": token,
        "link": ctx.settings.panel_page("/convite", token),
    }
    mail = EmailMessage(Invitation.model_validate(facts), member.store_id, to=Recipient(member.email, member.name))
    await enqueue(ctx, transaction, mail)

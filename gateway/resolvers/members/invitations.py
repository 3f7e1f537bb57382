"""Inviting somebody by mail, sending an invitation again, and accepting it.

The token travels in the mail and nowhere else; here its hash is kept, until it is used, replaced or withdrawn. It opens
nothing by itself: it is accepted by the account whose e-mail was invited, and by no other.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, func, insert, or_, select, update

from gateway.errors import Conflict, NotFound
from gateway.models.accounts import users
from gateway.models.database import Statement, Transaction, UniqueViolation, violates
from gateway.models.members import MemberStatus, members
from gateway.rate_limits import Limit
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.mail.facts import Invitation
from gateway.resolvers.mail.outbox import Letter, Mailbox, queue
from gateway.resolvers.members.inputs import AcceptInvitation, InviteMember, WhichMember
from gateway.resolvers.members.roles import lock_member, require_holder_for
from gateway.resolvers.members.views import MEMBER_COLUMNS, MemberView
from gateway.security import hash_token, new_mailed_token
from gateway.values.ids import new_id

LASTS = timedelta(days=7)
"""How long an invitation can be accepted (contract section 3)."""
MOST_OPEN = 50
"""Invitations of one store that wait for an answer: each is a mail to somebody who may not want it."""
MOST_A_DAY = 100
"""Invitations of one store in a day, those that were accepted or withdrawn since included."""
MOST_A_DAY_TO_ONE = 3
AGAIN_AFTER = timedelta(minutes=10)
"""How long an invitation that was sent again rests. The first time it may be sent again at once."""
RESENDS_PER_INVITATION = (5, 86400)
"""How many, in how many seconds."""
UNKNOWN = (
    "Convite não encontrado. Ele vale uma vez, para a conta do e-mail convidado, e deixa de valer quando é reenviado ou "
    "retirado. Confira com que conta você entrou, ou peça outro convite."
)

_M, _U = members, users
_SENT = ("token_hash", "invited_by", "invited_at", "expires_at")
_sent = {name: bindparam(f"new_{name}", type_=_M.c[name].type) for name in _SENT}
# Of the store's own invitations only; nothing else waits for this lock.
LOCK_INVITATIONS = Statement(select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("whose"), 0))))
_today = _M.c.created_at > bindparam("yesterday", type_=_M.c.created_at.type)
COUNT = Statement(
    select(
        func.count()
        .filter(
            _M.c.status == MemberStatus.invited.value,
            _M.c.expires_at > bindparam("now", type_=_M.c.expires_at.type),
        )
        .label("open"),
        func.count().filter(_today).label("today"),
        func.count().filter(_today, _M.c.email == bindparam("email", type_=_M.c.email.type)).label("to_one"),
    ).where(_M.c.store_id == bindparam("store_id"))
)
HOLDER_HAS = Statement(
    select(_U.c.id).where(
        _U.c.id == bindparam("store_id"), func.lower(_U.c.email) == bindparam("email", type_=_U.c.email.type)
    )
)
_inviter = select(_U.c.name).where(_U.c.id == _sent["invited_by"]).scalar_subquery().label("invited_by_name")
INVITE = Statement(
    insert(_M)
    .values(
        {name: bindparam(name, type_=_M.c[name].type) for name in ("id", "store_id", "name", "email", "role")}
        | _sent
        | {"created_at": bindparam("new_invited_at", type_=_M.c.created_at.type)}
    )
    # There is no account yet that could give the name.
    .returning(*(_inviter if name == "invited_by_name" else _M.c[name] for name in MemberView.model_fields))
)
_rested = _M.c.invited_at <= bindparam("rested", type_=_M.c.invited_at.type)
RENEW = Statement(
    update(_M)
    .where(_M.c.id == bindparam("member_id"), or_(_M.c.invited_at == _M.c.created_at, _rested))
    .values(_sent)
    .returning(*MEMBER_COLUMNS)
)
_shown = (
    _M.c.token_hash == bindparam("shown", type_=_M.c.token_hash.type),
    _M.c.email
    == select(func.lower(_U.c.email)).where(_U.c.id == bindparam("account", type_=_U.c.id.type)).scalar_subquery(),
)
_now = bindparam("now", type_=_M.c.accepted_at.type)
ACCEPT = Statement(
    update(_M)
    .where(*_shown, _M.c.expires_at > _now)
    .values(
        status=MemberStatus.active.value,
        user_id=bindparam("account", type_=_M.c.user_id.type),
        accepted_at=_now,
        token_hash=None,
    )
    .returning(*MEMBER_COLUMNS)
)
SHOWN = Statement(select(_M.c.id).where(*_shown))


@operation("members.invite", Permission.people, creates=True)
async def invite_member(ctx: Context, order: InviteMember) -> MemberView:
    """Invite somebody to the store, by mail.

    Raises `HolderOnly` for an administrator invited by another, and `Conflict` for who is invited or a member already
    and for one invitation too many, at a time or in a day.
    """
    require_holder_for(ctx, order.role)
    email, token = order.email.lower(), new_mailed_token()
    with _once_each():
        async with ctx.database.transaction() as transaction:
            if await transaction.value(HOLDER_HAS, store_id=ctx.store_id, email=email):
                raise Conflict("Este e-mail é do titular da loja.")
            await _require_place(ctx, transaction, email)
            row = await transaction.one(
                INVITE,
                id=new_id(),
                store_id=ctx.store_id,
                name=order.name,
                email=email,
                role=order.role,
                **_freshly_sent(ctx, token),
            )
            assert row is not None
            invited = MemberView.of(row)
            changes = {"email": {"to": email}, "role": {"to": invited.role}}
            await record(ctx, transaction, "member.invited", invited.id, changes=changes)
            await _send(ctx, transaction, invited, token)
            await idempotency.conclude(ctx, transaction, invited)
    return invited


@operation("members.resend", Permission.people)
async def resend_invitation(ctx: Context, which: WhichMember) -> MemberView:
    """Send an open invitation again, with a new token and a new week; the earlier token is worth nothing from now on.

    Raises `Conflict` unless the invitation is open, and where it was sent again a moment ago, and
    `HolderOnly` for an administrator's.
    """
    limit = Limit(f"invitation:{ctx.store_id}:{which.id}", *RESENDS_PER_INVITATION)
    await ctx.services.limiter.check(*limit)
    token = new_mailed_token()
    async with ctx.database.transaction() as transaction:
        before = await lock_member(ctx, transaction, which.id)
        if before["status"] != MemberStatus.invited:
            raise Conflict("Só se reenvia um convite que ainda não foi aceito nem retirado.")
        rested = ctx.real_clock.now() - AGAIN_AFTER
        row = await transaction.one(RENEW, member_id=which.id, rested=rested, **_freshly_sent(ctx, token))
        if row is None:
            raise Conflict("Este convite acaba de ser reenviado; espere dez minutos para reenviar mais uma vez.")
        sent = MemberView.of(row)
        await record(ctx, transaction, "member.invitation_resent", sent.id)
        await _send(ctx, transaction, sent, token)
    await ctx.services.limiter.hit(*limit)
    return sent


@operation("members.accept", Permission.session)
async def accept_invitation(ctx: Context, shown: AcceptInvitation) -> MemberView:
    """Accept an invitation, as the account that was invited; once.

    Raises `NotFound` for a token that is unknown, used, replaced, withdrawn or somebody else's, all with the same
    words, and `Conflict` for one that has expired.
    """
    mine = {"shown": hash_token(shown.token), "account": ctx.actor.user_id}
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(ACCEPT, **mine, now=ctx.real_clock.now())
        if row is None:
            expired = await transaction.value(SHOWN, **mine)
            raise Conflict("Este convite venceu. Peça que ele seja reenviado.") if expired else NotFound(UNKNOWN)
        member = MemberView.of(row)
        changes = {"status": {"from": MemberStatus.invited, "to": member.status}}
        await record(ctx, transaction, "member.accepted", member.id, changes=changes, store_id=member.store_id)
    return member


async def _require_place(ctx: Context, transaction: Transaction, email: str) -> None:
    await transaction.run(LOCK_INVITATIONS, whose=f"invitations of {ctx.store_id}")
    now = ctx.real_clock.now()
    count = await transaction.one(COUNT, store_id=ctx.store_id, email=email, now=now, yesterday=now - timedelta(days=1))
    assert count is not None
    if count["open"] >= MOST_OPEN:
        raise Conflict(
            f"O limite é de {MOST_OPEN} convites em aberto; retire algum ou espere que sejam aceitos."
        ).for_now()
    if count["to_one"] >= MOST_A_DAY_TO_ONE:
        raise Conflict(
            f"Este e-mail já recebeu {MOST_A_DAY_TO_ONE} convites da loja em 24 horas; espere até amanhã."
        ).for_now()
    if count["today"] >= MOST_A_DAY:
        raise Conflict(
            f"O limite é de {MOST_A_DAY} convites em 24 horas, também os retirados; espere até amanhã."
        ).for_now()


def _freshly_sent(ctx: Context, token: str) -> dict[str, Any]:
    now = ctx.real_clock.now()  # A week of real time, whatever clock a store may come to go by.
    sent = {
        "token_hash": hash_token(token),
        "invited_by": ctx.actor.user_id,
        "invited_at": now,
        "expires_at": now + LASTS,
    }
    return {f"new_{name}": value for name, value in sent.items()}


async def _send(ctx: Context, transaction: Transaction, member: MemberView, token: str) -> None:
    told = {
        "member_id": member.id,
        "store_name": ctx.actor.store_name,
        "inviter_name": ctx.actor.name,
        "role": member.role,
        "expires_at": member.expires_at,
        "token": token,
    }
    letter = Letter(Invitation.model_validate(told), member.store_id, to=Mailbox(member.email, member.name))
    await queue(ctx, transaction, letter)


@contextmanager
def _once_each() -> Iterator[None]:
    try:
        yield
    except UniqueViolation as error:
        if violates(error, "uq_members_email"):
            raise Conflict("Este e-mail já tem um convite em aberto ou já é da equipe.") from None
        raise

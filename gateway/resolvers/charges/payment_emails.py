"""The mails of a payment: who is told by e-mail that a charge was paid (specification sections 2 and 3).

`POST /pix/{id}/send`: a mail about a charge that its store asks for: the code while it is pending, the receipt once
it is paid.

Whoever has a key could write to anybody by this. So the mails about one charge are bounded, and those to one address;
both are counted under a lock, in the database, so that parallel calls never exceed them.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, func, insert, select

from gateway.errors import ChargeEnded, InvalidInput, RateLimited
from gateway.models.accounts import users
from gateway.models.api_keys import Scope
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Executor, Row, Statement, Transaction
from gateway.models.mail import charge_sends
from gateway.resolvers.audit.changes import mask_email
from gateway.resolvers.audit.trail import record
from gateway.resolvers.charges.expire import ENDED_MESSAGES
from gateway.resolvers.charges.inputs import SendCharge
from gateway.resolvers.charges.read import find_charge
from gateway.resolvers.charges.views import ChargeView, charge_columns, charge_view
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.mail.facts import MerchantNotice, PayerReceipt, PaymentRequest
from gateway.resolvers.mail.outbox import MOST_OF_TEST, QUEUE, Letter, Mailbox, letters_of
from gateway.values.cpf_cnpj import mask_document
from gateway.values.ids import new_id

OWNER_COLUMNS = [
    users.c.company.label("holder_company"),
    users.c.name.label("holder_name"),
    users.c.cnpj.label("holder_cnpj"),
    users.c.email.label("holder_email"),
    users.c.notify_payment_email.label("holder_wants_notices"),
    users.c.receipt_email.label("holder_wants_receipts"),
]
"""What the mails and the frozen fields need of the store's holder."""
END_TO_END_ID_GRACE_SECONDS = 60.0
"""An EndToEndId may come after the payment. The mails wait this long for it, and then go without."""


def payment_emails(ctx: Context, charge: ChargeView, holder: Mapping[str, Any]) -> list[Letter]:
    """The payer's receipt and the merchant's notice, where they are wanted. `charge` is as paid, `holder` has `HOLDER`.

    No receipts for test charges unless GATEWAY_RECEIPTS_FOR_TEST is on; the merchant's notice is part of the flow that
    a test rehearses.
    """
    letters = []
    if holder["holder_wants_receipts"] and charge.customer_email and sends_receipts_in(ctx, charge.environment):
        payer = Mailbox(charge.customer_email, charge.customer_name)
        letters.append(_email(charge, receipt_of(charge, holder), payer))
    if holder["holder_wants_notices"]:
        letters.append(_email(charge, _merchant_notice(charge), Mailbox(holder["holder_email"], holder["holder_name"])))
    return letters


def sends_receipts_in(ctx: Context, environment: str) -> bool:
    """Whether payers of an environment get mails."""
    return environment == Environment.live or ctx.settings.receipts_for_test


def _email(charge: ChargeView, facts: PayerReceipt | MerchantNotice, to: Mailbox) -> Letter:
    wait = 0.0 if charge.end_to_end_id else END_TO_END_ID_GRACE_SECONDS
    return Letter(facts, charge.user_id, charge.environment, to, wait)


def receipt_of(charge: ChargeView, holder: Mapping[str, Any], *, copy: str | None = None) -> PayerReceipt:
    """The receipt of a paid charge. `copy` tells one that the store sends from the first one, and from each other."""
    return PayerReceipt(
        copy_id=copy,
        **_payment(charge),
        store_document=_masked(charge.store_document),
        original_amount=charge.original_amount,
        discount_amount=charge.discount_amount,
        store_email=holder["holder_email"],
    )


def _merchant_notice(charge: ChargeView) -> MerchantNotice:
    return MerchantNotice(
        **_payment(charge),
        customer_email=charge.customer_email,
        external_reference=charge.external_reference or charge.link_reference,
        fee_amount=charge.fee_amount,
    )


def _payment(charge: ChargeView) -> dict[str, Any]:
    return {
        "charge_id": charge.id,
        "environment": charge.environment,
        "amount": charge.amount,
        "paid_at": charge.paid_at,
        "paid_late": charge.paid_late,
        "description": charge.description,
        "store_name": charge.store_name,
        "customer_name": charge.customer_name,
        "customer_document": _masked(charge.customer_cpf),
        "txid": charge.txid,
        "end_to_end_id": charge.end_to_end_id,
        "receipt_url": charge.receipt_url,
    }


def _masked(document: str | None) -> str | None:
    return mask_document(document) if document else None


MAX_SENDS_PER_CHARGE = 5
MAX_SENDS_PER_ADDRESS = 20
WINDOW = timedelta(days=1)
TOO_MANY_OF_CHARGE = f"Esta cobrança já foi enviada {MAX_SENDS_PER_CHARGE} vezes em 24 horas. Tente de novo mais tarde."
TOO_MANY_TO_ADDRESS = (
    f"Sua loja já enviou {MAX_SENDS_PER_ADDRESS} cobranças a este e-mail em 24 horas. Tente de novo mais tarde."
)
SENDABLE = {ChargeStatus.pending, ChargeStatus.paid}
NOT_IN_TEST = "Nenhum e-mail foi enviado: neste serviço, as cobranças de teste não escrevem ao pagador."
ENOUGH_IN_TEST = f"Nenhum e-mail foi enviado: o ambiente de teste escreve até {MOST_OF_TEST} e-mails como este por dia."

_C, _S = charges, charge_sends
LOCK_CHARGE = Statement(
    select(*charge_columns(), *OWNER_COLUMNS)
    .join_from(_C, users, users.c.id == _C.c.user_id)
    .where(
        _C.c.user_id == bindparam("user_id"),
        _C.c.environment == bindparam("environment"),
        _C.c.id == bindparam("id"),
    )
    .with_for_update(of=_C)
)
LOCK_ADDRESS = Statement(select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("address"), 0))))
_sends = select(func.count().label("sends"), func.min(_S.c.sent_at).label("oldest")).where(
    _S.c.sent_at > bindparam("since", type_=_S.c.sent_at.type)
)
OF_CHARGE = Statement(_sends.where(_S.c.charge_id == bindparam("charge_id")))
TO_ADDRESS = Statement(_sends.where(_S.c.user_id == bindparam("user_id"), _S.c.recipient == bindparam("recipient")))
INSERT_SEND = Statement(
    insert(_S)
    .inline()
    .values({name: bindparam(name, type_=_S.c[name].type) for name in ("id", "user_id", "charge_id", "recipient")})
    .values(sent_at=bindparam("now", type_=_S.c.sent_at.type))
)


@operation("charges.send", Permission.operate, creates=True, scope=Scope.charges)
async def send_charge(ctx: Context, order: SendCharge) -> ChargeView:
    """Send a charge by mail: its code while it is pending, its receipt once it is paid."""
    charge = await find_charge(ctx, order)
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(
            LOCK_CHARGE, user_id=ctx.store_id, environment=ctx.environment, id=charge.id, now=ctx.clock.now()
        )
        assert row is not None, "charges are never deleted"
        charge = charge_view(ctx.settings, {name: row[name] for name in _SHOWN})
        if charge.status not in SENDABLE or charge.under_review:
            raise ChargeEnded(ENDED_MESSAGES[ChargeStatus(charge.status)])
        to = _recipient(order, charge)
        send_id = await _count_send(ctx, transaction, charge, to.email)
        await _enqueue(
            ctx, transaction, Letter(_template_data(charge, row, send_id), charge.user_id, charge.environment, to)
        )
        await record(ctx, transaction, "charge.sent", charge.id, changes={"recipient": mask_email(to.email)})
        await idempotency.conclude(ctx, transaction, charge)
    return charge


_SHOWN = [str(column.name) for column in charge_columns()]  # SQLAlchemy's own kind of string is no key of JSON.


def _recipient(order: SendCharge, charge: ChargeView) -> Mailbox:
    if order.email is not None:
        return Mailbox(order.email)
    if charge.customer_email is None:
        raise InvalidInput(("email", "informe um e-mail: a cobrança não tem o do pagador"))
    return Mailbox(charge.customer_email, charge.customer_name)


async def _count_send(ctx: Context, transaction: Transaction, charge: ChargeView, email: str) -> str:
    """Count one mail about the charge, which is locked. Raises `RateLimited`."""
    # A bound that protects somebody goes by real time.
    now, recipient = ctx.real_clock.now(), email.lower()
    since, whose = now - WINDOW, {"user_id": charge.user_id, "recipient": recipient}
    of_charge = await transaction.one(OF_CHARGE, charge_id=charge.id, since=since)
    _require_below(of_charge, MAX_SENDS_PER_CHARGE, now, TOO_MANY_OF_CHARGE)
    await transaction.value(LOCK_ADDRESS, address=f"charge_sends:{charge.user_id}:{recipient}")
    to_address = await transaction.one(TO_ADDRESS, **whose, since=since)
    _require_below(to_address, MAX_SENDS_PER_ADDRESS, now, TOO_MANY_TO_ADDRESS)
    send_id = new_id()
    await transaction.run(INSERT_SEND, id=send_id, charge_id=charge.id, **whose, now=now)
    return send_id


def _require_below(counted: Row | None, limit: int, now: datetime, message: str) -> None:
    assert counted is not None, "a count is a row"
    if counted["sends"] >= limit:
        raise RateLimited(limit, max(1, int((counted["oldest"] + WINDOW - now).total_seconds()) + 1), message)


async def _enqueue(ctx: Context, transaction: Executor, letter: Letter) -> None:
    if not sends_receipts_in(ctx, str(letter.environment)):
        ctx.reply.notices.append(NOT_IN_TEST)
    elif not await transaction.run(QUEUE, **letters_of(ctx, [letter])):
        ctx.reply.notices.append(ENOUGH_IN_TEST)


def _template_data(charge: ChargeView, holder: Row, send_id: str) -> PaymentRequest | PayerReceipt:
    if charge.status == ChargeStatus.paid:
        return receipt_of(charge, holder, copy=send_id)
    document = holder["holder_cnpj"]
    return PaymentRequest(
        charge_id=charge.id,
        send_id=send_id,
        environment=charge.environment,
        amount=charge.amount,
        original_amount=charge.original_amount,
        discount_amount=charge.discount_amount,
        description=charge.description,
        store_name=holder["holder_company"] or holder["holder_name"],
        store_document=mask_document(document) if document else None,
        store_email=holder["holder_email"],
        expires_at=charge.expires_at,
        pix_code=charge.pix_code,
        checkout_url=charge.checkout_url,
        txid=charge.txid,
    )

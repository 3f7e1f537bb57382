"""Emails about a charge: the receipt and the merchant's notice of a payment, and `POST /pix/{id}/send`.

A store can write to any address with `send`. So the emails of a charge and those to an address are limited. Both are
counted in the database under a lock, so that parallel calls cannot exceed the limits.
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
from gateway.models.emails import charge_sends
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.audit.changes import mask_email
from gateway.resolvers.charges.expire import ENDED_MESSAGES
from gateway.resolvers.charges.inputs import SendCharge
from gateway.resolvers.charges.read import find_charge
from gateway.resolvers.charges.views import ChargeView, charge_columns, charge_view
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import of_store
from gateway.resolvers.email.outbox import ENQUEUE, MAX_TEST_EMAILS, EmailMessage, Recipient, email_values
from gateway.resolvers.email.payment_templates import MerchantNotice, PayerReceipt, PaymentRequest
from gateway.values.cpf_cnpj import mask_document
from gateway.values.ids import new_id

OWNER_COLUMNS = [
    users.c.company.label("owner_company"),
    users.c.name.label("owner_name"),
    users.c.cnpj.label("owner_cnpj"),
    users.c.email.label("owner_email"),
    users.c.notify_payment_email.label("owner_wants_notices"),
    users.c.receipt_email.label("owner_wants_receipts"),
]
"""The columns of the store owner that emails and payments need."""
END_TO_END_ID_GRACE_SECONDS = 60.0
"""An EndToEndId may arrive after the payment. The emails wait this long for it."""
MAX_SENDS_PER_CHARGE = 5
MAX_SENDS_PER_ADDRESS = 20
WINDOW = timedelta(days=1)
TOO_MANY_OF_CHARGE = f"Esta cobrança já foi enviada {MAX_SENDS_PER_CHARGE} vezes em 24 horas. Tente de novo mais tarde."
TOO_MANY_TO_ADDRESS = (
    f"Sua loja já enviou {MAX_SENDS_PER_ADDRESS} cobranças a este e-mail em 24 horas. Tente de novo mais tarde."
)
SENDABLE = {ChargeStatus.pending, ChargeStatus.paid}
NOT_IN_TEST = "Nenhum e-mail foi enviado: neste serviço, as cobranças de teste não escrevem ao pagador."
ENOUGH_IN_TEST = (
    f"Nenhum e-mail foi enviado: o ambiente de teste escreve até {MAX_TEST_EMAILS} e-mails como este por dia."
)

_C, _S = charges, charge_sends
LOCK_CHARGE = Statement(
    select(*charge_columns(), *OWNER_COLUMNS)
    .join_from(_C, users, users.c.id == _C.c.user_id)
    .where(*of_store(_C), _C.c.id == bindparam("id"))
    .with_for_update(of=_C)
)
_sends = select(func.count().label("sends"), func.min(_S.c.sent_at).label("oldest")).where(
    _S.c.sent_at > bindparam("since")
)
OF_CHARGE = Statement(_sends.where(_S.c.charge_id == bindparam("charge_id")))
TO_ADDRESS = Statement(_sends.where(_S.c.user_id == bindparam("user_id"), _S.c.recipient == bindparam("recipient")))
INSERT_SEND = Statement(
    insert(_S)
    .inline()
    .values({name: bindparam(name) for name in ("id", "user_id", "charge_id", "recipient")})
    .values(sent_at=bindparam("now"))
)


def payment_emails(ctx: Context, charge: ChargeView, owner: Mapping[str, Any]) -> list[EmailMessage]:
    """The payer's receipt and the merchant's notice of a payment, if they are enabled. `owner` has `OWNER_COLUMNS`.

    Test charges send receipts only with GATEWAY_RECEIPTS_FOR_TEST; the merchant's notice is sent in both environments.
    """
    emails = []
    if owner["owner_wants_receipts"] and charge.customer_email and sends_receipts_in(ctx, charge.environment):
        payer = Recipient(charge.customer_email, charge.customer_name)
        emails.append(_email(charge, receipt_of(charge, owner), payer))
    if owner["owner_wants_notices"]:
        emails.append(
            _email(charge, _merchant_notice(ctx, charge), Recipient(owner["owner_email"], owner["owner_name"]))
        )
    return emails


def sends_receipts_in(ctx: Context, environment: str) -> bool:
    """Whether payers of an environment get emails."""
    return environment == Environment.live or ctx.settings.receipts_for_test


def _email(charge: ChargeView, facts: PayerReceipt | MerchantNotice, to: Recipient) -> EmailMessage:
    wait = 0.0 if charge.end_to_end_id else END_TO_END_ID_GRACE_SECONDS
    return EmailMessage(facts, charge.user_id, charge.environment, to, wait)


def receipt_of(charge: ChargeView, owner: Mapping[str, Any], *, copy: str | None = None) -> PayerReceipt:
    """The receipt of a paid charge. `copy` is unique for each receipt that the store sends again."""
    return PayerReceipt(
        copy_id=copy,
        **_payment(charge),
        store_document=_masked(charge.store_document),
        original_amount=charge.original_amount,
        discount_amount=charge.discount_amount,
        store_email=owner["owner_email"],
    )


def _merchant_notice(ctx: Context, charge: ChargeView) -> MerchantNotice:
    return MerchantNotice(
        **_payment(charge),
        customer_email=charge.customer_email,
        external_reference=charge.external_reference or charge.link_reference,
        fee_amount=charge.fee_amount,
        link=ctx.settings.panel_page(f"/cobrancas/{charge.id}"),
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


@operation("charges.send", Permission.operate, idempotent=True, scope=Scope.charges)
async def send_charge(ctx: Context, order: SendCharge) -> ChargeView:
    """Send a charge by mail: its code while it is pending, its receipt once it is paid."""
    charge = await find_charge(ctx, order)
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(LOCK_CHARGE, **ctx.scope, id=charge.id, now=ctx.clock.now())
        assert row is not None, "charges are never deleted"
        charge = charge_view(ctx.settings, row)
        if charge.status not in SENDABLE or charge.under_review:
            raise ChargeEnded(ENDED_MESSAGES[ChargeStatus(charge.status)])
        to = _recipient(order, charge)
        send_id = await _count_send(ctx, transaction, charge, to.email)
        await _enqueue(
            ctx, transaction, EmailMessage(_template_data(charge, row, send_id), charge.user_id, charge.environment, to)
        )
        await record(ctx, transaction, "charge.sent", charge.id, changes={"recipient": mask_email(to.email)})
        await idempotency.complete(ctx, transaction, charge)
    return charge


def _recipient(order: SendCharge, charge: ChargeView) -> Recipient:
    if order.email is not None:
        return Recipient(order.email)
    if charge.customer_email is None:
        raise InvalidInput(("email", "informe um e-mail: a cobrança não tem o do pagador"))
    return Recipient(charge.customer_email, charge.customer_name)


async def _count_send(ctx: Context, transaction: Transaction, charge: ChargeView, email: str) -> str:
    """Count one email about the locked charge. Raises `RateLimited`."""
    # Limits use real time, not the test clock.
    now, recipient = ctx.real_clock.now(), email.lower()
    since, whose = now - WINDOW, {"user_id": charge.user_id, "recipient": recipient}
    of_charge = await transaction.one(OF_CHARGE, charge_id=charge.id, since=since)
    _require_below(of_charge, MAX_SENDS_PER_CHARGE, now, TOO_MANY_OF_CHARGE)
    await transaction.lock(f"charge_sends:{charge.user_id}:{recipient}")
    to_address = await transaction.one(TO_ADDRESS, **whose, since=since)
    _require_below(to_address, MAX_SENDS_PER_ADDRESS, now, TOO_MANY_TO_ADDRESS)
    send_id = new_id()
    await transaction.run(INSERT_SEND, id=send_id, charge_id=charge.id, **whose, now=now)
    return send_id


def _require_below(count: Row | None, limit: int, now: datetime, message: str) -> None:
    assert count is not None, "a count is a row"
    if count["sends"] >= limit:
        raise RateLimited(limit, max(1, int((count["oldest"] + WINDOW - now).total_seconds()) + 1), message)


async def _enqueue(ctx: Context, transaction: Executor, email: EmailMessage) -> None:
    if not sends_receipts_in(ctx, str(email.environment)):
        ctx.reply.notices.append(NOT_IN_TEST)
    elif not await transaction.run(ENQUEUE, **email_values(ctx, [email])):
        ctx.reply.notices.append(ENOUGH_IN_TEST)


def _template_data(charge: ChargeView, owner: Row, send_id: str) -> PaymentRequest | PayerReceipt:
    if charge.status == ChargeStatus.paid:
        return receipt_of(charge, owner, copy=send_id)
    return PaymentRequest(
        charge_id=charge.id,
        send_id=send_id,
        environment=charge.environment,
        amount=charge.amount,
        original_amount=charge.original_amount,
        discount_amount=charge.discount_amount,
        description=charge.description,
        store_name=owner["owner_company"] or owner["owner_name"],
        store_document=_masked(owner["owner_cnpj"]),
        store_email=owner["owner_email"],
        expires_at=charge.expires_at,
        pix_code=charge.pix_code,
        checkout_url=charge.checkout_url,
        txid=charge.txid,
    )

"""The mails of a payment: who is told by e-mail that a charge was paid (specification sections 2 and 3)."""

from collections.abc import Mapping
from typing import Any

from gateway.cpf_cnpj import mask_document
from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.context import Context
from gateway.resolvers.mail.facts import MerchantNotice, PayerReceipt
from gateway.resolvers.mail.outbox import Letter, Mailbox

HOLDER = [
    users.c.company.label("holder_company"),
    users.c.name.label("holder_name"),
    users.c.cnpj.label("holder_cnpj"),
    users.c.email.label("holder_email"),
    users.c.notify_payment_email.label("holder_wants_notices"),
    users.c.receipt_email.label("holder_wants_receipts"),
]
"""What the mails and the frozen fields need of the store's holder."""
WAIT_FOR_PROOF_SECONDS = 60.0
"""An EndToEndId may come after the payment. The mails wait this long for it, and then go without."""


def letters_about(ctx: Context, charge: ChargeView, holder: Mapping[str, Any]) -> list[Letter]:
    """The payer's receipt and the merchant's notice, where they are wanted. `charge` is as paid, `holder` has `HOLDER`.

    No receipts for test charges unless GATEWAY_RECEIPTS_FOR_TEST is on; the merchant's notice is part of the flow that
    a test rehearses.
    """
    letters = []
    if holder["holder_wants_receipts"] and charge.customer_email and sends_receipts_in(ctx, charge.environment):
        payer = Mailbox(charge.customer_email, charge.customer_name)
        letters.append(_letter(charge, receipt_of(charge, holder), payer))
    if holder["holder_wants_notices"]:
        letters.append(_letter(charge, _notice(charge), Mailbox(holder["holder_email"], holder["holder_name"])))
    return letters


def sends_receipts_in(ctx: Context, environment: str) -> bool:
    """Whether payers of an environment get mails."""
    return environment == Environment.live or ctx.settings.receipts_for_test


def _letter(charge: ChargeView, facts: PayerReceipt | MerchantNotice, to: Mailbox) -> Letter:
    wait = 0.0 if charge.end_to_end_id else WAIT_FOR_PROOF_SECONDS
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


def _notice(charge: ChargeView) -> MerchantNotice:
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

"""Manual mode: what the order says is what is charged. What belongs to product mode is left
out, and the caller is told.
"""

from gateway.resolvers.charges.inputs import IssueCharge, RegisterCharge
from gateway.resolvers.context import Context


def tell_what_is_ignored(ctx: Context, order: IssueCharge | RegisterCharge) -> None:
    """Add a notice for each field of product mode in an order that doesn't sell a product (contract section 4)."""
    if order.product_id is not None:
        ctx.reply.notices.append(
            "O product_id foi ignorado: uma cobrança registrada diretamente vale o amount enviado."
        )
    if order.coupon_code:
        ctx.reply.notices.append("O cupom foi ignorado: cupons só valem para cobranças com product_id.")
    if order.novo_cliente:
        ctx.reply.notices.append("O pagador não foi cadastrado: novo_cliente só vale para cobranças com product_id.")

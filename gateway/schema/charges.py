"""Pix charges over GraphQL."""

from datetime import date
from typing import Annotated, Any

import strawberry
from strawberry.utils.str_converters import to_camel_case

from gateway.models.charges import ChargeStatus
from gateway.resolvers.charges import (
    create_charge,
    expire,
    figures,
    listing,
    payment_emails,
    read,
    simulate_payment,
    unsupported,
)
from gateway.resolvers.charges.actions import ChargeAction, actions_of
from gateway.resolvers.charges.figure_types import (
    COUNTED,
    ChargeFiguresParams,
    ChargeFiguresView,
    PeriodFiguresView,
    Step,
)
from gateway.resolvers.charges.inputs import ChargeFilter, ChargeOrder, IssueCharge, RegisterCharge
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.coupons.operations import coupons_by_id, read_coupon
from gateway.resolvers.customers.operations import ROWS as CUSTOMERS
from gateway.resolvers.customers.operations import read_customer
from gateway.resolvers.payment_links.operations import payment_links_by_id, read_payment_link
from gateway.resolvers.products.operations import ROWS as PRODUCTS
from gateway.resolvers.products.operations import read_product
from gateway.resolvers.refunds.read import read_refund, refunds_by_charge
from gateway.resolvers.refunds.types import RefundView
from gateway.resolvers.subscriptions.operations import ROWS as SUBSCRIPTIONS
from gateway.resolvers.subscriptions.operations import read_subscription
from gateway.schema.connections import FILTER, export_field, field_source, list_field, spend
from gateway.schema.context import Info
from gateway.schema.fields import mutation_field, query_field, relation
from gateway.schema.strawberry_types import define_enum, define_inputs, define_output, define_outputs
from gateway.values.clock import SAO_PAULO


async def _actions(charge: strawberry.Parent[ChargeView], info: Info) -> list[ChargeAction]:
    call = info.context.call
    return actions_of(call.with_actor(await call.authenticator.actor()), charge)


async def _refunds(charge: strawberry.Parent[ChargeView], info: Info) -> list[RefundView]:
    return await info.context.loaders.by_id(read_refund, refunds_by_charge).load(charge.id) or []


define_enum(
    ChargeAction,
    "O que se pode fazer com uma cobrança.",
    simulate="Simular o pagamento, com `simulatePayment`; só em teste.",
    expire="Encerrar, com `expireCharge`.",
    send="Enviar o Pix por e-mail, com `sendCharge`.",
    receipt="Enviar o recibo por e-mail, com `sendCharge`.",
    refund="Devolver ao pagador, com `createRefund`.",
)
define_enum(
    ChargeStatus,
    "Situação de uma cobrança.",
    pending="Espera o pagamento.",
    paid="Foi paga.",
    expired="Venceu sem pagamento; se for paga ainda assim, passa a `paid`.",
    canceled="Foi cancelada antes de ser paga.",
    refunded="Foi paga e devolvida.",
)
define_enum(ChargeOrder, "Ordem de uma lista de cobranças.")
define_output(
    ChargeView,
    "Charge",
    customer=relation(
        read_customer, CUSTOMERS.read_all, "customer_id", "O cliente cadastrado, se houver e ainda existir."
    ),
    product=relation(read_product, PRODUCTS.read_all, "product_id", "O produto cobrado, se houver e ainda existir."),
    coupon=relation(read_coupon, coupons_by_id, "coupon_id", "O cupom aplicado, se houver e ainda existir."),
    subscription=relation(
        read_subscription,
        SUBSCRIPTIONS.read_all,
        "subscription_id",
        "A assinatura que gerou a cobrança, se houver e ainda existir.",
    ),
    payment_link=relation(
        read_payment_link,
        payment_links_by_id,
        "payment_link_id",
        "O link que gerou a cobrança, se houver e ainda existir.",
    ),
    refunds=strawberry.field(
        resolver=_refunds, description="As devoluções que a loja pediu, da mais antiga à mais nova."
    ),
    actions=strawberry.field(
        resolver=_actions, description="O que quem pergunta pode fazer com a cobrança agora, pelo estado dela."
    ),
)
define_enum(
    Step,
    "O tamanho dos passos de um período.",
    day="Um dia.",
    week="Uma semana, de segunda a domingo.",
    month="Um mês.",
)
define_outputs(PeriodFiguresView, ChargeFiguresView)
define_inputs(ChargeFilter, IssueCharge, RegisterCharge)

Txid = Annotated[str | None, strawberry.argument(description="O txid; vale quando não há `id`.")]
Reference = Annotated[
    str | None, strawberry.argument(description="A referência do lojista; vale quando não há `id` nem `txid`.")
]
FirstDay = Annotated[date, strawberry.argument(name="from", description="Primeiro dia.")]
LastDay = Annotated[date, strawberry.argument(description="Último dia, incluído.")]
StepArgument = Annotated[Step, strawberry.argument(description="O tamanho dos passos, no máximo 366.")]
Zone = Annotated[str, strawberry.argument(description="Fuso horário (IANA) dos dias, e das datas sem hora do filtro.")]
Recipient = Annotated[str | None, strawberry.argument(description="Outro destinatário; padrão: o pagador.")]
WHICH = {"id": strawberry.ID | None, "txid": Txid, "external_reference": Reference}


@strawberry.type
class ChargesQuery:
    charge = query_field(read.read_charge, "Uma cobrança, por id, txid ou referência do lojista.", **WHICH)

    @strawberry.field(description="Números das cobranças em um período, por dia, semana ou mês.")
    async def charge_figures(
        self,
        info: Info,
        from_: FirstDay,
        to: LastDay,
        by: StepArgument = Step.day,
        time_zone: Zone = SAO_PAULO.key,
        filter: Annotated[ChargeFilter | None, FILTER] = None,
    ) -> ChargeFiguresView:
        filters: Any = filter or {}
        source = field_source(info)
        wanted = {name for name in COUNTED if to_camel_case(name) in source}
        period = {"from": from_, "to": to, "by": by.value, "tz": time_zone}
        raw = {**filters, **period, "wanted": wanted, "with_previous": "previous" in source}
        call = await figures.read_charge_figures.admit(info.context.call)
        request = ChargeFiguresParams.from_raw(raw, call)
        spend(info, len(request.steps()))
        async with info.context.list_slots:
            return await figures.read_charge_figures.run(call, request)

    charges = list_field(listing.list_charges, ChargeFilter, "As cobranças da loja.")


@strawberry.type
class ChargesMutation:
    issue_charge = mutation_field(create_charge.issue_charge, "Emite uma cobrança Pix.", input=IssueCharge)
    register_charge = mutation_field(
        create_charge.register_charge,
        "Registra uma cobrança diretamente, com vencimento e sem valor mínimo.",
        input=RegisterCharge,
    )
    simulate_payment = mutation_field(
        simulate_payment.simulate_payment, "Paga uma cobrança de teste, como faria o banco do pagador.", **WHICH
    )
    expire_charge = mutation_field(
        expire.expire_pending_charge, "Encerra agora uma cobrança pendente; uma que já expirou fica como está.", **WHICH
    )
    send_charge = mutation_field(
        payment_emails.send_charge,
        "Envia por e-mail o Pix de uma cobrança pendente ou o recibo de uma paga.",
        **WHICH,
        email=Recipient,
    )
    cancel_charge = mutation_field(
        unsupported.cancel_charge,
        "Sempre recusado: o cancelamento não é executado na origem. Use expireCharge.",
        id=strawberry.ID | None,
    )
    refund_charge = mutation_field(
        unsupported.refund_charge,
        "Sempre recusado: a devolução não é executada na origem. Use createRefund.",
        id=strawberry.ID | None,
    )
    export_charges = export_field(listing.export_charges, ChargeFilter, "Exporta as cobranças da loja.")

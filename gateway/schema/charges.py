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
from gateway.resolvers.coupons.types import CouponView
from gateway.resolvers.customers.types import CustomerView
from gateway.resolvers.payment_links.types import PaymentLinkView
from gateway.resolvers.products.types import ProductView
from gateway.resolvers.refunds.types import RefundView
from gateway.resolvers.subscriptions.types import SubscriptionView
from gateway.schema.connections import FILTER, export_field, field_source, list_field, spend
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output
from gateway.values.clock import SAO_PAULO


async def _customer(charge: strawberry.Parent[ChargeView], info: Info) -> CustomerView | None:
    return await info.context.loaders.customers.load(charge.customer_id) if charge.customer_id else None


async def _product(charge: strawberry.Parent[ChargeView], info: Info) -> ProductView | None:
    return await info.context.loaders.products.load(charge.product_id) if charge.product_id else None


async def _coupon(charge: strawberry.Parent[ChargeView], info: Info) -> CouponView | None:
    return await info.context.loaders.coupons.load(charge.coupon_id) if charge.coupon_id else None


async def _payment_link(charge: strawberry.Parent[ChargeView], info: Info) -> PaymentLinkView | None:
    return await info.context.loaders.payment_links.load(charge.payment_link_id) if charge.payment_link_id else None


async def _subscription(charge: strawberry.Parent[ChargeView], info: Info) -> SubscriptionView | None:
    return await info.context.loaders.subscriptions.load(charge.subscription_id) if charge.subscription_id else None


async def _actions(charge: strawberry.Parent[ChargeView], info: Info) -> list[ChargeAction]:
    call = info.context.call
    return actions_of(call.with_actor(await call.authenticator.actor()), charge)


async def _refunds(charge: strawberry.Parent[ChargeView], info: Info) -> list[RefundView]:
    return await info.context.loaders.refunds_of_charges.load(charge.id) or []


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
    customer=strawberry.field(resolver=_customer, description="O cliente cadastrado, se houver e ainda existir."),
    product=strawberry.field(resolver=_product, description="O produto cobrado, se houver e ainda existir."),
    coupon=strawberry.field(resolver=_coupon, description="O cupom aplicado, se houver e ainda existir."),
    subscription=strawberry.field(
        resolver=_subscription, description="A assinatura que gerou a cobrança, se houver e ainda existir."
    ),
    payment_link=strawberry.field(
        resolver=_payment_link, description="O link que gerou a cobrança, se houver e ainda existir."
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
define_output(PeriodFiguresView, "PeriodFigures")
define_output(ChargeFiguresView, "ChargeFigures")
define_input(ChargeFilter, "ChargeFilter")
define_input(IssueCharge, "IssueChargeInput")
define_input(RegisterCharge, "RegisterChargeInput")

Txid = Annotated[str | None, strawberry.argument(description="O txid; vale quando não há `id`.")]
Reference = Annotated[
    str | None, strawberry.argument(description="A referência do lojista; vale quando não há `id` nem `txid`.")
]
FirstDay = Annotated[date, strawberry.argument(name="from", description="Primeiro dia.")]
LastDay = Annotated[date, strawberry.argument(description="Último dia, incluído.")]
StepArgument = Annotated[Step, strawberry.argument(description="O tamanho dos passos, no máximo 366.")]
Zone = Annotated[str, strawberry.argument(description="Fuso horário (IANA) dos dias, e das datas sem hora do filtro.")]
Recipient = Annotated[str | None, strawberry.argument(description="Outro destinatário; padrão: o pagador.")]


def _which(id: str | None, txid: str | None, reference: str | None) -> dict[str, str | None]:
    return {"id": id, "txid": txid, "external_reference": reference}


@strawberry.type
class ChargesQuery:
    @strawberry.field(description="Uma cobrança, por id, txid ou referência do lojista.")
    async def charge(
        self, info: Info, id: strawberry.ID | None = None, txid: Txid = None, external_reference: Reference = None
    ) -> ChargeView:
        return await read.read_charge(info.context.call, _which(id, txid, external_reference))

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

    charges = list_field(listing.list_charges, ChargeFilter, description="As cobranças da loja.")


@strawberry.type
class ChargesMutation:
    @strawberry.mutation(description="Emite uma cobrança Pix.")
    async def issue_charge(self, info: Info, input: IssueCharge) -> ChargeView:
        return await create_charge.issue_charge(info.context.call, input)

    @strawberry.mutation(description="Registra uma cobrança diretamente, com vencimento e sem valor mínimo.")
    async def register_charge(self, info: Info, input: RegisterCharge) -> ChargeView:
        return await create_charge.register_charge(info.context.call, input)

    @strawberry.mutation(description="Paga uma cobrança de teste, como faria o banco do pagador.")
    async def simulate_payment(
        self, info: Info, id: strawberry.ID | None = None, txid: Txid = None, external_reference: Reference = None
    ) -> ChargeView:
        return await simulate_payment.simulate_payment(info.context.call, _which(id, txid, external_reference))

    @strawberry.mutation(description="Encerra agora uma cobrança pendente; uma que já expirou fica como está.")
    async def expire_charge(
        self, info: Info, id: strawberry.ID | None = None, txid: Txid = None, external_reference: Reference = None
    ) -> ChargeView:
        return await expire.expire_pending_charge(info.context.call, _which(id, txid, external_reference))

    @strawberry.mutation(description="Envia por e-mail o Pix de uma cobrança pendente ou o recibo de uma paga.")
    async def send_charge(
        self,
        info: Info,
        id: strawberry.ID | None = None,
        txid: Txid = None,
        external_reference: Reference = None,
        email: Recipient = None,
    ) -> ChargeView:
        return await payment_emails.send_charge(
            info.context.call, {**_which(id, txid, external_reference), "email": email}
        )

    @strawberry.mutation(description="Sempre recusado: o cancelamento não é executado na origem. Use expireCharge.")
    async def cancel_charge(self, info: Info, id: strawberry.ID | None = None) -> ChargeView:
        return await unsupported.cancel_charge(info.context.call, {"id": id})

    @strawberry.mutation(description="Sempre recusado: a devolução não é executada na origem. Use createRefund.")
    async def refund_charge(self, info: Info, id: strawberry.ID | None = None) -> ChargeView:
        return await unsupported.refund_charge(info.context.call, {"id": id})

    export_charges = export_field(listing.export_charges, ChargeFilter, description="Exporta as cobranças da loja.")

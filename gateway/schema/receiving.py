"""The receiving account over GraphQL."""

import strawberry

from gateway.models.engines import Track
from gateway.models.receiving import CompanyType
from gateway.resolvers.receiving import opening, reading, simulate
from gateway.resolvers.receiving.inputs import OpenReceivingAccount, SimulateReview
from gateway.resolvers.receiving.views import (
    ApprovalView,
    OpenedAccountView,
    ReceivingAccountView,
    ReceivingStatus,
)
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output
from gateway.settings import ReceivingMode

define_enum(
    ReceivingMode,
    "Quem recebe o dinheiro dos pagadores: a conta do serviço ou a de cada loja.",
    conta_unica="Uma conta do serviço recebe por todas as lojas, que recebem repasses.",
    subconta="Cada loja tem a sua conta de recebimento e pede saques.",
)
define_enum(
    CompanyType,
    "Tipo de empresa.",
    by_value=True,
    MEI="Microempreendedor individual.",
    LIMITED="Sociedade limitada.",
    INDIVIDUAL="Empresário individual.",
    ASSOCIATION="Associação.",
)
define_enum(
    Track,
    "Situação de uma parte da aprovação da conta de recebimento.",
    by_value=True,
    PENDING="Falta enviar algo.",
    AWAITING_APPROVAL="Está em análise.",
    APPROVED="Foi aprovada.",
    REJECTED="Foi recusada.",
)
define_enum(
    ReceivingStatus,
    "Situação da conta de recebimento, numa palavra.",
    absent="A loja não tem conta de recebimento.",
    opening="O pedido foi enviado e ainda não se sabe se foi aberta.",
    lost="Foi aberta, mas a chave dela não chegou: só a equipe do serviço resolve.",
    pending="Falta enviar algo ao provedor.",
    awaiting_approval="Está em análise.",
    approved="Recebe pagamentos.",
    rejected="Foi recusada pelo provedor.",
)
define_output(ApprovalView, "ReceivingApproval")
define_output(ReceivingAccountView, "ReceivingAccount")
define_output(OpenedAccountView, "OpenedReceivingAccount")
define_input(OpenReceivingAccount, "OpenReceivingAccountInput")
define_input(SimulateReview, "SimulateReviewInput")


@strawberry.type
class ReceivingQuery:
    @strawberry.field(description="A conta em que a loja recebe e a aprovação dela, como da última vez que foi lida.")
    async def receiving_account(self, info: Info) -> ReceivingAccountView:
        return await reading.read_account(info.context.call, {})


@strawberry.type
class ReceivingMutation:
    @strawberry.mutation(
        description="Abre a conta de recebimento da loja no provedor de pagamentos; se ela já existe, a mostra."
    )
    async def open_receiving_account(self, info: Info, input: OpenReceivingAccount) -> OpenedAccountView:
        return await opening.open_account(info.context.call, input)

    @strawberry.mutation(description="Confere a aprovação da conta no provedor de pagamentos, agora.")
    async def check_receiving_account(self, info: Info) -> ReceivingAccountView:
        return await reading.check_account(info.context.call, {})

    @strawberry.mutation(
        description="Em teste, decide sobre a conta de recebimento como faria o banco: aprova, ou diz o que falta."
    )
    async def simulate_receiving_review(self, info: Info, input: SimulateReview) -> ReceivingAccountView:
        return await simulate.simulate_review(info.context.call, input)

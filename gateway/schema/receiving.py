"""The receiving account over GraphQL."""

import strawberry

from gateway.models.engines import Track
from gateway.models.receiving import CompanyType
from gateway.resolvers.receiving import create_account, operations
from gateway.resolvers.receiving.types import (
    ApprovalView,
    OpenedAccountView,
    OpenReceivingAccount,
    ReceivingAccountView,
    ReceivingStatus,
    SimulateReview,
)
from gateway.schema.fields import mutation_field, query_field
from gateway.schema.strawberry_types import define_enum, define_inputs, define_output
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
define_inputs(OpenReceivingAccount, SimulateReview)


@strawberry.type
class ReceivingQuery:
    receiving_account = query_field(
        operations.read_account, "A conta em que a loja recebe e a aprovação dela, como da última vez que foi lida."
    )


@strawberry.type
class ReceivingMutation:
    open_receiving_account = mutation_field(
        create_account.open_account,
        "Abre a conta de recebimento da loja no provedor de pagamentos; se ela já existe, a mostra.",
        input=OpenReceivingAccount,
    )
    check_receiving_account = mutation_field(
        operations.check_account, "Confere a aprovação da conta no provedor de pagamentos, agora."
    )
    simulate_receiving_review = mutation_field(
        operations.simulate_review,
        "Em teste, decide sobre a conta de recebimento como faria o banco: aprova, ou diz o que falta.",
        input=SimulateReview,
    )

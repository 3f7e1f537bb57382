"""What the API shows of a store's receiving account."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from pydantic import Field

from gateway.integrations.engines import qr
from gateway.models.base import Environment
from gateway.models.database import Row
from gateway.models.engines import Track
from gateway.models.receiving import AccountState
from gateway.resolvers.core.views import View
from gateway.resolvers.receiving.accounts import Approval, approval_of
from gateway.settings import ReceivingMode


class ReceivingStatus(StrEnum):
    """Where a store's receiving account stands, in one word. The last four are `geral` of its approval."""

    absent = "absent"
    opening = "opening"
    lost = "lost"
    pending = "pending"
    awaiting_approval = "awaiting_approval"
    approved = "approved"
    rejected = "rejected"


_OF_TRACK = {
    None: ReceivingStatus.pending,
    Track.missing: ReceivingStatus.pending,
    Track.under_review: ReceivingStatus.awaiting_approval,
    Track.approved: ReceivingStatus.approved,
    Track.rejected: ReceivingStatus.rejected,
}


class ApprovalView(View):
    """A aprovação da conta de recebimento pelo provedor de pagamentos.

    The `aprovacao` block (specification section 2), as answers show it and refusals to issue carry it.
    """

    aprovada: bool = Field(description="Se a loja pode cobrar: `geral` é `APPROVED`.")
    conferida: bool = Field(description="Se a aprovação já pôde ser lida alguma vez.")
    geral: Track | None = Field(description="A aprovação como um todo.")
    dados_comerciais: Track | None = Field(description="Os dados da empresa.")
    conta_bancaria: Track | None = Field(description="A conta bancária.")
    documentos: Track | None = Field(description="Os documentos e a selfie.")
    conferida_em: datetime | None = Field(description="Quando a aprovação foi lida pela última vez.")
    link_documentos: str | None = Field(
        description="Página segura do provedor para enviar documentos e selfie; "
        "nulo quando nada falta e logo depois da abertura."
    )
    link_documentos_qr: str | None = Field(
        description="O mesmo link como QR Code em PNG, data URL base64; só ao consultar e ao conferir a conta."
    )
    motivos_recusa: str | None = Field(description="O que o provedor disse ao recusar algo.")


class ReceivingAccountView(View):
    """A conta em que a loja recebe e a aprovação dela.

    `GET /receiving-account` (contract section 6). In the mode `conta_unica` it is the service's own account, in which
    nothing has to be opened or approved.
    """

    modo: ReceivingMode = Field(
        description="`conta_unica`: as cobranças caem na conta do serviço. `subconta`: na conta da própria loja."
    )
    criada: bool = Field(description="Se a loja tem uma conta própria.")
    account_id: str | None = Field(description="Identificador da conta no provedor.")
    wallet_id: str | None = Field(description="Carteira da conta no provedor.")
    status: ReceivingStatus = Field(description="Situação da conta.")
    environment: Environment = Field(description="Ambiente da conta.")
    webhook_registered: bool = Field(description="Se o provedor avisa o serviço do que acontece na conta.")
    company_name: str | None = Field(description="Razão social registrada.")
    cnpj: str | None = Field(description="CNPJ registrado.")
    aprovacao: ApprovalView = Field(description="A aprovação da conta.")


class OpenedAccountView(View):
    """A conta de recebimento aberta. A chave de acesso dela nunca é mostrada.

    The creation result (specification section 2).
    """

    only_if_told = ("aviso",)

    criada: bool = Field(description="Se esta chamada a abriu; falso quando a loja já a tinha.")
    account_id: str = Field(description="Identificador da conta no provedor.")
    wallet_id: str | None = Field(description="Carteira da conta no provedor.")
    status: ReceivingStatus = Field(description="Situação da conta.")
    environment: Environment = Field(description="Ambiente da conta.")
    webhook_registered: bool = Field(description="Se o provedor avisa o serviço do que acontece na conta.")
    aprovacao: ApprovalView = Field(description="A aprovação da conta.")
    aviso: str | None = Field(description="Presente quando o registro dos avisos não foi possível agora.")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Also from a stored answer, in which the block is a plain mapping."""
        block = values["aprovacao"]
        return cls.adopt({**values, "aprovacao": block if isinstance(block, View) else ApprovalView.of(block)})


UNREGISTERED = (
    "O provedor ainda não avisa sozinho as mudanças desta conta; tentaremos registrar os avisos de novo em instantes. "
    "Até lá, use POST /receiving-account/check para conferir a aprovação."
)
_OWN = Approval(general=Track.approved)


def approval_view(approval: Approval, *, pictured: bool = False) -> ApprovalView:
    """The block; `pictured` with the link's QR code."""
    link = approval.documents_link
    return ApprovalView.of(
        {
            "aprovada": approval.granted,
            "conferida": approval.checked_at is not None,
            "geral": approval.general,
            "dados_comerciais": approval.commercial,
            "conta_bancaria": approval.bank,
            "documentos": approval.documents,
            "conferida_em": approval.checked_at,
            "link_documentos": link,
            "link_documentos_qr": qr.data_url(link) if pictured and link else None,
            "motivos_recusa": approval.rejection,
        }
    )


def block(approval: Approval, *, told_to_payer: bool = False) -> dict[str, Any]:
    """The `aprovacao` that a refusal carries. A payer at the checkout isn't told where the merchant sends documents,
    nor what the engine holds against them.
    """
    shown = approval_view(approval).__dict__
    told = {name: value.value if isinstance(value, Track) else value for name, value in shown.items()}
    told["conferida_em"] = approval.checked_at.isoformat() if approval.checked_at else None
    return told | {"link_documentos": None, "motivos_recusa": None} if told_to_payer else told


def single_account_view(environment: Environment) -> ReceivingAccountView:
    """The service's own account, in which every store receives."""
    approved = approval_view(_OWN).__dict__ | {"conferida": True}
    return ReceivingAccountView.of(
        dict.fromkeys(("account_id", "wallet_id", "company_name", "cnpj"))
        | {
            "modo": ReceivingMode.conta_unica,
            "criada": False,
            "status": ReceivingStatus.approved,
            "environment": environment,
            "webhook_registered": False,
            "aprovacao": ApprovalView.of(approved),
        }
    )


def account_view(environment: Environment, row: Row | None) -> ReceivingAccountView:
    """A store's own account, of a row of `receiving_accounts`; None where there is none."""
    approval = approval_of(row) if row else Approval()
    shown = ("account_id", "wallet_id", "company_name", "cnpj")
    return ReceivingAccountView.of(
        {
            "modo": ReceivingMode.subconta,
            "criada": row is not None and row["state"] == AccountState.open,
            **{name: row[name] if row else None for name in shown},
            "status": status_of(row, approval),
            "environment": environment,
            "webhook_registered": row is not None and row["webhook_registered"],
            "aprovacao": approval_view(approval, pictured=True),
        }
    )


def opened_view(row: Row, *, fresh: bool) -> OpenedAccountView:
    """The result of opening; `fresh` where this call did it."""
    approval = approval_of(row)
    shown = ("account_id", "wallet_id", "environment", "webhook_registered")
    return OpenedAccountView.of(
        {
            "criada": fresh,
            **{name: row[name] for name in shown},
            "status": status_of(row, approval),
            "aprovacao": approval_view(approval),
            "aviso": None if row["webhook_registered"] else UNREGISTERED,
        }
    )


def status_of(row: Row | None, approval: Approval) -> ReceivingStatus:
    """One word for all."""
    if row is None:
        return ReceivingStatus.absent
    state = AccountState(row["state"])
    return _OF_TRACK[approval.general] if state is AccountState.open else ReceivingStatus(state.value)

"""Inputs and views of receiving accounts."""

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from msgspec import Struct
from pydantic import AfterValidator, Field, StringConstraints

from gateway.integrations.engines import qr
from gateway.models.base import Environment
from gateway.models.database import Row
from gateway.models.engines import Track
from gateway.models.receiving import AccountState, CompanyType
from gateway.resolvers.core.inputs import Cnpj, Email, EmptyToNone, Input, MobilePhone, Name, Reais, ShortText, Url
from gateway.resolvers.core.views import View
from gateway.settings import ReceivingMode

TRACKS = ("general", "commercial", "bank", "documents")


class Approval(Struct, frozen=True):
    """An account's approval as last read. Before the first read, `checked_at` and the tracks are None."""

    general: Track | None = None
    commercial: Track | None = None
    bank: Track | None = None
    documents: Track | None = None
    documents_link: str | None = None
    rejection: str | None = None
    checked_at: datetime | None = None

    @property
    def granted(self) -> bool:
        """Whether the account may receive charges."""
        return self.general is Track.approved


def approval_from(row: Row) -> Approval:
    """The approval in a row of `receiving_accounts`."""
    tracks = {name: Track(row[name]) if row[name] else None for name in TRACKS}
    return Approval(
        **tracks, documents_link=row["documents_link"], rejection=row["rejection"], checked_at=row["checked_at"]
    )


class ReceivingStatus(StrEnum):
    """Status of a store's receiving account. The last four follow `geral` of its approval."""

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

    The `aprovacao` object (specification section 2) of responses and of errors of refused charges.
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

    `GET /receiving-account` (contract section 6). In the mode `conta_unica` it is the service's own account, which
    needs no approval.
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

    only_if_set = ("aviso",)

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
        """In a stored response, the approval is a plain mapping."""
        approval = values["aprovacao"]
        return cls.adopt({**values, "aprovacao": approval if isinstance(approval, View) else ApprovalView.of(approval)})


UNREGISTERED = (
    "O provedor ainda não avisa sozinho as mudanças desta conta; tentaremos registrar os avisos de novo em instantes. "
    "Até lá, use POST /receiving-account/check para conferir a aprovação."
)
_MAIN_ACCOUNT = Approval(general=Track.approved)


def approval_view(approval: Approval, *, with_qr: bool = False) -> ApprovalView:
    """The approval; `with_qr` with the QR code of its documents link."""
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
            "link_documentos_qr": qr.data_url(link) if with_qr and link else None,
            "motivos_recusa": approval.rejection,
        }
    )


def approval_block(approval: Approval, *, for_payer: bool = False) -> dict[str, Any]:
    """The `aprovacao` of an error. A payer gets neither the documents link nor the rejection reason."""
    fields = approval_view(approval).__dict__
    block = {name: value.value if isinstance(value, Track) else value for name, value in fields.items()}
    block["conferida_em"] = approval.checked_at.isoformat() if approval.checked_at else None
    return block | {"link_documentos": None, "motivos_recusa": None} if for_payer else block


def single_account_view(environment: Environment) -> ReceivingAccountView:
    """The service's main account, in which every store receives."""
    approved = approval_view(_MAIN_ACCOUNT).__dict__ | {"conferida": True}
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
    """A store's own account from its row; None where it has none."""
    approval = approval_from(row) if row else Approval()
    columns = ("account_id", "wallet_id", "company_name", "cnpj")
    return ReceivingAccountView.of(
        {
            "modo": ReceivingMode.subconta,
            "criada": row is not None and row["state"] == AccountState.open,
            **{name: row[name] if row else None for name in columns},
            "status": status_of(row, approval),
            "environment": environment,
            "webhook_registered": row is not None and row["webhook_registered"],
            "aprovacao": approval_view(approval, with_qr=True),
        }
    )


def opened_view(row: Row, *, created: bool) -> OpenedAccountView:
    """The result of `POST /receiving-account`; `created`: by this request."""
    approval = approval_from(row)
    columns = ("account_id", "wallet_id", "environment", "webhook_registered")
    return OpenedAccountView.of(
        {
            "criada": created,
            **{name: row[name] for name in columns},
            "status": status_of(row, approval),
            "aprovacao": approval_view(approval),
            "aviso": None if row["webhook_registered"] else UNREGISTERED,
        }
    )


def status_of(row: Row | None, approval: Approval) -> ReceivingStatus:
    if row is None:
        return ReceivingStatus.absent
    state = AccountState(row["state"])
    return _OF_TRACK[approval.general] if state is AccountState.open else ReceivingStatus(state.value)


def _postal_code(text: str) -> str:
    digits = re.sub(r"[\s.-]", "", text)
    if not re.fullmatch(r"[0-9]{8}", digits):
        raise ValueError("informe um CEP com 8 dígitos")
    return digits


AddressLine = Annotated[ShortText, Field(min_length=1)]
BankReason = Annotated[ShortText, Field(max_length=200)]
"""The limit of a notification's text."""
PostalCode = Annotated[str, StringConstraints(max_length=20), AfterValidator(_postal_code)]


class SimulateReview(Input):
    """O que o banco de teste decide sobre a conta de recebimento.

    `POST /receiving-account/simulate-review`.
    """

    geral: Track = Field(Track.approved, description="Como a aprovação fica. Sem este campo, aprovada.")
    motivo: Annotated[BankReason | None, EmptyToNone] = Field(
        None, description="Por que algo foi recusado, nas palavras do banco: `motivos_recusa`."
    )


class OpenReceivingAccount(Input):
    """Os dados da empresa que vai receber.

    `POST /receiving-account` (specification section 4).
    """

    company_name: Name = Field(description="Razão social.")
    email: Email = Field(description="E-mail da empresa; o provedor de pagamentos escreve para ele.")
    cnpj: Cnpj = Field(description="CNPJ, com ou sem formatação.")
    phone: MobilePhone = Field(description="Celular com DDD, 11 dígitos.")
    monthly_revenue: Reais = Field(description="Faturamento mensal, em reais.")
    address: AddressLine = Field(description="Logradouro.")
    address_number: AddressLine = Field(description="Número.")
    province: AddressLine = Field(description="Bairro.")
    postal_code: PostalCode = Field(description="CEP, com ou sem formatação.")
    complement: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Complemento.")
    company_type: Annotated[CompanyType | None, EmptyToNone] = Field(None, description="Tipo de empresa.")
    site: Annotated[Url | None, EmptyToNone] = Field(None, description="Endereço do site.")

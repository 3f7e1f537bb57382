"""What mails tell: one class for each kind, with the facts that its template needs.

Facts are frozen when a mail is queued. A field that is added later needs a default, because mails that were queued
before still have to be read. Amounts are centavos; documents arrive masked, as they are shown.
"""

from datetime import date, datetime
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict

from gateway.models.mail import MailKind
from gateway.security import hash_token
from gateway.values.formatting import count, moment, reais


class Facts(BaseModel):
    """The base. `secrets` names the fields that are sealed at rest."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True, defer_build=True)

    kind: ClassVar[MailKind]
    secrets: ClassVar[tuple[str, ...]] = ()

    @property
    def dedupe_key(self) -> str:
        """Of all mails with the same key, one is sent, for as long as its row is kept (docs/mail.md)."""
        raise NotImplementedError

    @property
    def subject(self) -> str:
        """The subject line."""
        raise NotImplementedError

    @property
    def preheader(self) -> str:
        """What an inbox shows beside the subject."""
        raise NotImplementedError

    @property
    def sender_name(self) -> str | None:
        """Who writes, where it isn't the service itself."""
        return None

    @property
    def reply_to(self) -> str | None:
        """Who reads an answer; nobody, where it is None."""
        return None


class PaymentFacts(Facts):
    """What both mails about a payment tell."""

    charge_id: str
    environment: str
    amount: int
    paid_at: datetime
    paid_late: bool = False
    description: str | None
    store_name: str
    customer_name: str | None
    customer_document: str | None
    txid: str
    end_to_end_id: str | None
    receipt_url: str

    def with_end_to_end_id(self, end_to_end_id: str | None) -> Self:
        """These facts with an EndToEndId that came after the payment."""
        return self.model_copy(update={"end_to_end_id": self.end_to_end_id or end_to_end_id})


class PayerReceipt(PaymentFacts):
    """The payer's receipt (specification section 3): one for each charge, and the copies that its store sends."""

    kind = MailKind.payer_receipt

    store_document: str | None
    original_amount: int
    discount_amount: int
    store_email: str | None
    copy_id: str | None = None

    @property
    def dedupe_key(self) -> str:
        return f"receipt:{self.charge_id}" + (f":{self.copy_id}" if self.copy_id else "")

    @property
    def subject(self) -> str:
        return f"{_test(self)}Comprovante: {reais(self.amount)} para {self.store_name}"

    @property
    def preheader(self) -> str:
        return f"Pagamento confirmado. {self.description or 'Guarde este e-mail com o comprovante do seu Pix.'}"

    @property
    def sender_name(self) -> str | None:
        return self.store_name

    @property
    def reply_to(self) -> str | None:
        return self.store_email


class PaymentRequest(Facts):
    """Asks somebody to pay a pending charge, because its store wants so. `send_id` tells one mail from the next."""

    kind = MailKind.payment_request

    charge_id: str
    send_id: str
    environment: str
    amount: int
    original_amount: int
    discount_amount: int
    description: str | None
    store_name: str
    store_document: str | None
    store_email: str
    expires_at: datetime
    pix_code: str
    checkout_url: str
    txid: str

    @property
    def dedupe_key(self) -> str:
        return f"request:{self.charge_id}:{self.send_id}"

    @property
    def subject(self) -> str:
        return f"{_test(self)}Pix de {reais(self.amount)} para {self.store_name}"

    @property
    def preheader(self) -> str:
        return f"Pague até {moment(self.expires_at)}. {self.description or ''}".rstrip()

    @property
    def sender_name(self) -> str | None:
        return self.store_name

    @property
    def reply_to(self) -> str | None:
        return self.store_email


class MerchantNotice(PaymentFacts):
    """Tells a merchant of a payment (`notify_payment_email`): one for each charge."""

    kind = MailKind.merchant_notice

    customer_email: str | None
    external_reference: str | None
    fee_amount: int

    @property
    def dedupe_key(self) -> str:
        return f"payment:{self.charge_id}"

    @property
    def subject(self) -> str:
        return f"{_test(self)}Você recebeu {reais(self.amount)}" + (
            f" de {self.customer_name}" if self.customer_name else ""
        )

    @property
    def preheader(self) -> str:
        return self.description or "O Pix foi confirmado."


class EndpointFacts(Facts):
    """What all mails about a webhook endpoint tell."""

    endpoint_id: str
    name: str
    url: str
    environment: str


class WebhookEndpointDisabled(EndpointFacts):
    """The service switched an endpoint off after days without a success (webhooks.md section 2.5)."""

    kind = MailKind.webhook_endpoint_disabled

    at: datetime
    failing_since: datetime | None = None

    @property
    def dedupe_key(self) -> str:
        return f"webhook-disabled:{self.endpoint_id}:{self.at.timestamp():.0f}"

    @property
    def subject(self) -> str:
        return f"Webhook desativado: {self.name}"

    @property
    def preheader(self) -> str:
        return "Nada foi entregue durante dias. Os avisos novos ficam guardados até você reativar o endereço."


class WebhookEndpointGone(EndpointFacts):
    """An endpoint answered 410, which switches it off at once."""

    kind = MailKind.webhook_endpoint_gone

    at: datetime

    @property
    def dedupe_key(self) -> str:
        return f"webhook-gone:{self.endpoint_id}:{self.at.timestamp():.0f}"

    @property
    def subject(self) -> str:
        return f"Webhook desativado pelo seu servidor: {self.name}"

    @property
    def preheader(self) -> str:
        return "O endereço respondeu 410 (Gone) e não recebe mais avisos."


class WebhookEndpointFailing(EndpointFacts):
    """Nothing has reached an endpoint for a day, or for three: one mail of each, for one run of failures."""

    kind = MailKind.webhook_endpoint_failing

    hours: Literal[24, 72]
    failing_since: datetime
    last_problem: str | None = None
    """In Portuguese, such as `resposta 503` or `tempo esgotado`."""

    @property
    def dedupe_key(self) -> str:
        return f"webhook-failing:{self.endpoint_id}:{self.failing_since.timestamp():.0f}:{self.hours}"

    @property
    def subject(self) -> str:
        return f"Webhook sem entregas há {self.hours} horas: {self.name}"

    @property
    def preheader(self) -> str:
        return "Seus avisos de pagamento não estão chegando. Continuamos tentando."


class WebhookDeliveriesExhausted(EndpointFacts):
    """How many deliveries of an endpoint ended without success on one day: one mail a day and endpoint."""

    kind = MailKind.webhook_deliveries_exhausted

    day: date
    deliveries: int
    active: bool = True
    """Whether the endpoint was on when the mail was queued."""

    @property
    def dedupe_key(self) -> str:
        return f"webhook-exhausted:{self.endpoint_id}:{self.day.isoformat()}"

    @property
    def subject(self) -> str:
        ended = count(self.deliveries, "aviso não foi entregue", "avisos não foram entregues")
        return f"{ended}: {self.name}"

    @property
    def preheader(self) -> str:
        return "As tentativas acabaram, e os avisos continuam guardados para reenvio."


class Invitation(Facts):
    """Invites somebody to a store. The token travels in this mail and nowhere else (contract section 3)."""

    kind = MailKind.invitation
    secrets = ("token", "link")

    member_id: str
    store_name: str
    inviter_name: str
    role: Literal["admin", "finance", "operator", "viewer"]
    expires_at: datetime
    token: str
    link: str | None = None
    """Where a panel accepts it; without one, the token is shown."""

    @property
    def dedupe_key(self) -> str:
        # A resent invitation has another token, and is another mail.
        return f"invitation:{self.member_id}:{hash_token(self.token).hex()[:32]}"

    @property
    def subject(self) -> str:
        return f"{self.inviter_name} convidou você para {self.store_name}"

    @property
    def preheader(self) -> str:
        return "Aceite o convite para entrar na equipe da loja."


class ProductionFacts(Facts):
    """What all mails about production approval tell. `reviewed_at` tells one decision from the next."""

    store_id: str
    store_name: str
    reviewed_at: datetime

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{self.store_id}:{self.reviewed_at.timestamp():.6f}"


class ProductionApproved(ProductionFacts):
    """Staff approved a merchant for live operation."""

    kind = MailKind.production_approved

    @property
    def subject(self) -> str:
        return "Produção liberada: sua loja já pode receber"

    @property
    def preheader(self) -> str:
        return f"A análise de {self.store_name} terminou bem. Crie sua chave de produção e comece."


class ProductionRefused(ProductionFacts):
    """Staff refused a merchant, who may mend what is missing and ask again."""

    kind = MailKind.production_refused

    reason: str

    @property
    def subject(self) -> str:
        return "Sua liberação para produção precisa de ajustes"

    @property
    def preheader(self) -> str:
        return "Veja o motivo, corrija e envie de novo."


class ProductionSuspended(ProductionFacts):
    """Staff suspended a merchant's live operation."""

    kind = MailKind.production_suspended

    reason: str | None = None

    @property
    def subject(self) -> str:
        return "Operação em produção suspensa"

    @property
    def preheader(self) -> str:
        return f"{self.store_name} não emite novas cobranças de produção por enquanto."


class WithdrawalFacts(Facts):
    """What both mails about a withdrawal tell. The key arrives masked."""

    withdrawal_id: str
    environment: str
    amount: int
    pix_key: str
    at: datetime

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{self.withdrawal_id}"


class WithdrawalRequested(WithdrawalFacts):
    """Somebody who may asked for the store's money. The holder hears of it, whoever it was."""

    kind = MailKind.withdrawal_requested

    asked_by: str

    @property
    def subject(self) -> str:
        return f"{_test(self)}Saque de {reais(self.amount)} solicitado"

    @property
    def preheader(self) -> str:
        return f"Por {self.asked_by}. Não reconhece este saque? Veja o que fazer."


class WithdrawalRejected(WithdrawalFacts):
    """A withdrawal came to nothing, and its money is available again."""

    kind = MailKind.withdrawal_rejected

    reason: str

    @property
    def subject(self) -> str:
        return f"{_test(self)}Seu saque de {reais(self.amount)} não foi concluído"

    @property
    def preheader(self) -> str:
        return "O valor voltou ao saldo da loja. Veja o motivo."


class PasswordReset(Facts):
    """Lets somebody who has forgotten their password choose another. The token travels
    in this mail and nowhere else.
    """

    kind = MailKind.password_reset
    secrets = ("token",)

    email: str
    asked_at: datetime
    expires_at: datetime
    ip: str | None
    token: str

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{hash_token(self.token).hex()[:32]}"

    @property
    def subject(self) -> str:
        return "Escolha uma nova senha"

    @property
    def preheader(self) -> str:
        return "Não foi você quem pediu? Ignore este e-mail, e nada muda."


class PasswordChanged(Facts):
    """An account has a new password: whoever it was, its holder hears of it."""

    kind = MailKind.password_changed

    user_id: str
    email: str
    at: datetime
    ip: str | None
    by_mail: bool
    keys: int = 0
    endpoints: int = 0
    people: int = 0
    """What a reset has switched off, or taken out of the team."""

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{self.user_id}:{self.at.timestamp():.6f}"

    @property
    def subject(self) -> str:
        return "Sua senha foi trocada"

    @property
    def preheader(self) -> str:
        return "Não foi você? Veja o que fazer."


class TwoFactorChange(StrEnum):
    """What was done to an account's second factor."""

    enabled = "enabled"
    renewed = "renewed"
    """Its recovery codes were made anew."""
    disabled = "disabled"
    reset = "reset"
    """Whoever runs the service took it away."""


class TwoFactorChanged(Facts):
    """Something was done to an account's second factor: whoever it was, its holder hears of it."""

    kind = MailKind.two_factor_changed

    user_id: str
    email: str
    at: datetime
    ip: str | None
    change: TwoFactorChange

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{self.user_id}:{self.change}:{self.at.timestamp():.6f}"

    @property
    def subject(self) -> str:
        return {
            TwoFactorChange.enabled: "Verificação em duas etapas ativada",
            TwoFactorChange.renewed: "Novos códigos de recuperação",
            TwoFactorChange.disabled: "Verificação em duas etapas desativada",
            TwoFactorChange.reset: "Verificação em duas etapas retirada",
        }[self.change]

    @property
    def preheader(self) -> str:
        return "Não foi você? Veja o que fazer."


_KINDS: tuple[type[Facts], ...] = (
    PayerReceipt,
    PaymentRequest,
    MerchantNotice,
    WebhookEndpointDisabled,
    WebhookEndpointGone,
    WebhookEndpointFailing,
    WebhookDeliveriesExhausted,
    Invitation,
    ProductionApproved,
    ProductionRefused,
    ProductionSuspended,
    WithdrawalRequested,
    WithdrawalRejected,
    PasswordReset,
    PasswordChanged,
    TwoFactorChanged,
)
FACTS: dict[MailKind, type[Facts]] = {facts.kind: facts for facts in _KINDS}


def facts_of(kind: str, stored: dict[str, Any]) -> Facts:
    """The facts of a stored mail, its secrets already opened. Raises pydantic's
    ValidationError for what isn't theirs.
    """
    return FACTS[MailKind(kind)].model_validate(stored)


def _test(facts: PaymentFacts | PaymentRequest | WithdrawalFacts) -> str:
    return "[TESTE] " if facts.environment == "test" else ""

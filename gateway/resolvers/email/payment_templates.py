"""Emails about charges, refunds and withdrawals."""

from datetime import datetime
from typing import Self

from gateway.models.emails import EmailKind
from gateway.resolvers.email.templates import Content, Line, TemplateData, Tone, line, present, time_line
from gateway.values.formatting import format_timestamp, reais


class _MoneyData(TemplateData):
    environment: str
    amount: int

    @property
    def subject_prefix(self) -> str:
        return "[TESTE] " if self.environment == "test" else ""

    @property
    def banner(self) -> str:
        return "Ambiente de teste: nenhum dinheiro foi movimentado." if self.environment == "test" else ""


class _FromStore(_MoneyData):
    store_name: str
    store_email: str | None

    @property
    def sender_name(self) -> str | None:
        return self.store_name

    @property
    def reply_to(self) -> str | None:
        return self.store_email


class _ChargeOfStore(_FromStore):
    store_document: str | None
    original_amount: int
    discount_amount: int

    def _discount(self) -> tuple[Line | None, ...]:
        if not self.discount_amount:
            return ()
        return line("Valor original", reais(self.original_amount)), line("Desconto", f"−{reais(self.discount_amount)}")


class PaymentData(_MoneyData):
    """The data of emails about a payment."""

    charge_id: str
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
        """The data with an EndToEndId that came after the payment."""
        return self.model_copy(update={"end_to_end_id": self.end_to_end_id or end_to_end_id})

    def _identifiers(self) -> tuple[Line | None, ...]:
        return (
            time_line("Pago em", self.paid_at),
            line("ID da transação (EndToEndId)", self.end_to_end_id, exact=True),
            line("txid", self.txid, exact=True),
        )


class PayerReceipt(_ChargeOfStore, PaymentData):
    """The payer's receipt (specification section 3): one for each charge, and the copies that its store sends."""

    kind = EmailKind.payer_receipt

    copy_id: str | None = None

    @property
    def dedupe_key(self) -> str:
        return f"receipt:{self.charge_id}" + (f":{self.copy_id}" if self.copy_id else "")

    def content(self) -> Content:
        return Content(
            f"{self.subject_prefix}Comprovante: {reais(self.amount)} para {self.store_name}",
            f"Pagamento confirmado. {self.description or 'Guarde este e-mail com o comprovante do seu Pix.'}",
            Tone.good,
            "Pagamento confirmado",
            (f"{self.store_name} recebeu o seu Pix.",),
            why=(
                f"Você recebeu este e-mail porque {self.store_name} enviou este comprovante a este endereço. "
                if self.copy_id
                else f"Você recebeu este e-mail porque pagou uma cobrança de {self.store_name}. "
            )
            + ("Dúvidas sobre a compra? Responda a este e-mail." if self.store_email else ""),
            about=self.store_name,
            banner=self.banner,
            amount=reais(self.amount),
            lines=present(
                line("Recebedor", self.store_name, _labelled("CNPJ", self.store_document)),
                line("Pagador", self.customer_name, _labelled("CPF/CNPJ", self.customer_document)),
                line("Descrição", self.description),
                *self._discount(),
                *self._identifiers(),
            ),
            button=("Ver comprovante", self.receipt_url),
            after=("Este é um comprovante de pagamento, não é documento fiscal.",),
        )


class PaymentRequest(_ChargeOfStore):
    """Asks a payer for the payment of a pending charge, by order of its store. `send_id` makes each one unique."""

    kind = EmailKind.payment_request

    charge_id: str
    send_id: str
    description: str | None
    store_email: str
    expires_at: datetime
    pix_code: str
    checkout_url: str
    txid: str

    @property
    def dedupe_key(self) -> str:
        return f"request:{self.charge_id}:{self.send_id}"

    def content(self) -> Content:
        return Content(
            f"{self.subject_prefix}Pix de {reais(self.amount)} para {self.store_name}",
            f"Pague até {format_timestamp(self.expires_at)}. {self.description or ''}".rstrip(),
            Tone.plain,
            "Pague com Pix",
            (f"{self.store_name} enviou esta cobrança para você.",),
            why=f"Você recebeu este e-mail porque {self.store_name} enviou esta cobrança a este endereço. "
            "Dúvidas sobre a compra? Responda a este e-mail. Não reconhece a cobrança? Ignore-a: nada acontece.",
            about=self.store_name,
            banner=self.banner,
            amount=reais(self.amount),
            code_label="Pix copia e cola",
            code=self.pix_code,
            qr_payload=self.pix_code,
            qr_label=f"QR Code do Pix de {reais(self.amount)}. É o mesmo pagamento do código copia e cola.",
            button=("Abrir a página de pagamento", self.checkout_url),
            lines=present(
                time_line("Vale até", self.expires_at),
                line("Recebedor", self.store_name, _labelled("CNPJ", self.store_document)),
                line("Descrição", self.description),
                *self._discount(),
                line("txid", self.txid, exact=True),
            ),
            after=("Confira o recebedor e o valor no aplicativo do seu banco antes de confirmar.",),
        )


class MerchantNotice(PaymentData):
    """Notifies a merchant of a payment (`notify_payment_email`): one for each charge."""

    kind = EmailKind.merchant_notice

    customer_email: str | None
    external_reference: str | None
    fee_amount: int
    link: str | None = None
    """The charge's page in the panel."""

    @property
    def dedupe_key(self) -> str:
        return f"payment:{self.charge_id}"

    def content(self) -> Content:
        fee, payer = self.fee_amount, f" de {self.customer_name}" if self.customer_name else ""
        late = ("O pagamento chegou depois de a cobrança expirar e foi aceito.",) if self.paid_late else ()
        return Content(
            f"{self.subject_prefix}Você recebeu {reais(self.amount)}{payer}",
            self.description or "O Pix foi confirmado.",
            Tone.good,
            "Você recebeu um pagamento",
            ("Um Pix foi confirmado na sua loja.", *late),
            why="Você recebe um e-mail a cada pagamento. Para parar, desative o aviso de pagamentos no seu perfil (API: notify_payment_email).",
            about=self.store_name,
            banner=self.banner,
            amount=reais(self.amount),
            lines=present(
                line("Tarifa do serviço", f"−{reais(fee)}" if fee else None),
                line("Valor líquido", reais(self.amount - fee) if fee else None),
                line("Pagador", self.customer_name, _labelled("CPF/CNPJ", self.customer_document)),
                line("E-mail", self.customer_email),
                line("Descrição", self.description),
                line("Sua referência", self.external_reference, exact=True),
                *self._identifiers(),
            ),
            button=("Abrir a cobrança", self.link) if self.link else ("Ver comprovante", self.receipt_url),
        )


class WithdrawalData(_MoneyData):
    """The data of emails about a withdrawal. The Pix key is masked already."""

    withdrawal_id: str
    pix_key: str
    at: datetime
    link: str | None = None
    """The withdrawal's page in the panel."""

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{self.withdrawal_id}"

    @property
    def _button(self) -> tuple[str, str] | None:
        return ("Abrir o saque", self.link) if self.link else None

    def _lines(self, *more: Line | None) -> tuple[Line, ...]:
        return present(
            line("Chave Pix", self.pix_key, exact=True), *more, line("Saque", self.withdrawal_id, exact=True)
        )


class WithdrawalRequested(WithdrawalData):
    """Notifies the owner of every withdrawal, also of their own."""

    kind = EmailKind.withdrawal_requested

    requested_by: str

    def content(self) -> Content:
        return Content(
            f"{self.subject_prefix}Saque de {reais(self.amount)} solicitado",
            f"Por {self.requested_by}. Não reconhece este saque? Veja o que fazer.",
            Tone.plain,
            "Saque solicitado",
            ("Pediram um saque do saldo da sua loja. O valor fica reservado até que ele termine.",),
            why=_WHY_OWNER,
            banner=self.banner,
            amount=reais(self.amount),
            lines=self._lines(line("Solicitado por", self.requested_by), time_line("Solicitado em", self.at)),
            button=self._button,
            after=(
                "Não reconhece este saque? Desative as chaves de API, troque a sua senha e fale com a equipe do serviço.",
            ),
        )


class WithdrawalRejected(WithdrawalData):
    """A withdrawal failed, and its amount is available again."""

    kind = EmailKind.withdrawal_rejected

    reason: str

    def content(self) -> Content:
        return Content(
            f"{self.subject_prefix}Seu saque de {reais(self.amount)} não foi concluído",
            "O valor voltou ao saldo da loja. Veja o motivo.",
            Tone.warning,
            "O saque não foi concluído",
            ("O dinheiro não saiu, e o valor está de novo disponível no saldo da sua loja.",),
            why=_WHY_OWNER,
            banner=self.banner,
            amount=reais(self.amount),
            quote=self.reason,
            lines=self._lines(time_line("Recusado em", self.at)),
            button=self._button,
            after=("Confira a chave Pix e peça o saque de novo.",),
        )


class PayerRefund(_FromStore):
    """Notifies a payer of a refund, once it is completed."""

    kind = EmailKind.payer_refund

    refund_id: str
    paid_amount: int
    reason: str | None
    at: datetime
    description: str | None
    end_to_end_id: str | None
    receipt_url: str

    @property
    def dedupe_key(self) -> str:
        return f"refund:{self.refund_id}"

    def content(self) -> Content:
        return Content(
            f"{self.subject_prefix}Devolução de {reais(self.amount)} de {self.store_name}",
            f"{self.store_name} devolveu {reais(self.amount)} do seu Pix.",
            Tone.plain,
            "Seu Pix foi devolvido",
            (f"{self.store_name} devolveu {reais(self.amount)}. O valor volta para a conta de onde o Pix saiu.",),
            why=f"Você recebeu este e-mail porque pagou uma cobrança de {self.store_name}. "
            + ("Dúvidas? Responda a este e-mail." if self.store_email else ""),
            about=self.store_name,
            banner=self.banner,
            amount=reais(self.amount),
            quote=self.reason or "",
            lines=present(
                line("Valor pago", reais(self.paid_amount) if self.paid_amount != self.amount else None),
                line("Descrição", self.description),
                time_line("Devolvido em", self.at),
                line("ID da transação (EndToEndId)", self.end_to_end_id, exact=True),
            ),
            button=("Ver comprovante", self.receipt_url),
        )


class RefundRejected(_MoneyData):
    """Notifies the owner that a refund failed after it was ordered."""

    kind = EmailKind.refund_rejected

    refund_id: str
    charge_id: str
    at: datetime
    customer_name: str | None
    reason: str
    link: str | None = None

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{self.refund_id}"

    def content(self) -> Content:
        return Content(
            f"{self.subject_prefix}A devolução de {reais(self.amount)} não foi feita",
            "O pagador não recebeu o valor. Veja o motivo.",
            Tone.warning,
            "A devolução não foi feita",
            ("O valor não saiu da sua loja, e a cobrança continua paga.",),
            why=_WHY_OWNER,
            banner=self.banner,
            amount=reais(self.amount),
            quote=self.reason,
            lines=present(
                line("Pagador", self.customer_name),
                time_line("Recusada em", self.at),
                line("Devolução", self.refund_id, exact=True),
            ),
            button=("Abrir a cobrança", self.link) if self.link else None,
            after=("Tente de novo mais tarde, ou devolva o valor pelo seu banco.",),
        )


_WHY_OWNER = "Você recebeu este e-mail porque é titular da loja."


def _labelled(label: str, value: str | None) -> str:
    return f"{label} {value}" if value else ""

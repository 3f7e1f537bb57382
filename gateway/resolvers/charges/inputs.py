"""Inputs of the operations on charges, and of their list."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator
from pydantic.json_schema import WithJsonSchema
from pydantic_core import PydanticCustomError

from gateway.models.charges import ChargeStatus
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import (
    ChargedReais,
    DocumentNumber,
    Email,
    EmptyToNone,
    End,
    Expiry,
    Flag,
    IdText,
    Input,
    Metadata,
    Name,
    Phone,
    PixDescription,
    Price,
    QueryFlag,
    RawInput,
    Reais,
    Reference,
    ShortText,
    Start,
    Url,
    ValidationErrors,
    in_context,
    missing_fields,
    none_if_empty,
    separated,
)
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.values.dates import day_of, first_instant, is_last_instant, last_instant

EXPIRY_TOLERANCE = timedelta(minutes=1)
PAST_DUE = "não pode estar no passado"


def is_over(expires_at: datetime, now: datetime) -> bool:
    """Whether a new charge would be expired already, with a minute of tolerance (specification section 8)."""
    return expires_at < now - EXPIRY_TOLERANCE


def _in_time(expires_at: datetime, ctx: Context) -> None:
    if is_over(expires_at, ctx.clock.now()):
        raise PydanticCustomError("expiry", "expiry")


def expiry_of_due_date(due_date: datetime) -> datetime:
    """The default expiry of a charge with a due date: the end of that day in São Paulo."""
    return last_instant(day_of(due_date))


def _due_in_time(due_date: datetime, ctx: Context) -> None:
    if is_over(due_date, ctx.clock.now()):
        raise ValueError(PAST_DUE)


def _not_before_due(expires_at: datetime | None, info: ValidationInfo) -> datetime | None:
    due_date = info.data.get("due_date")
    if expires_at is None or due_date is None:
        return expires_at
    # A due date without a time is a whole day: the charge may expire at any time of it.
    earliest = first_instant(day_of(due_date)) if is_last_instant(due_date) else due_date
    if expires_at < earliest:
        raise ValueError("não pode ser antes de due_date")
    return expires_at


ExpiryToCome = Annotated[Expiry | None, in_context(_in_time)]


class PayerFields(Input):
    """The payer: a saved customer, inline fields, or a saved customer overridden by inline fields."""

    needed: ClassVar[tuple[str, ...]] = ("customer_name", "customer_email", "customer_cpf")

    customer_id: Annotated[IdText | None, EmptyToNone] = Field(None, description="Cliente cadastrado.")
    customer_name: Annotated[Name | None, EmptyToNone] = Field(None, description="Nome do pagador.")
    customer_email: Annotated[Email | None, EmptyToNone] = Field(None, description="E-mail do pagador.")
    customer_cpf: Annotated[DocumentNumber | None, EmptyToNone] = Field(None, description="CPF ou CNPJ do pagador.")
    customer_phone: Annotated[Phone | None, EmptyToNone] = Field(None, description="Telefone com DDD.")

    @classmethod
    def cross_field_errors(cls, raw: RawInput) -> ValidationErrors:
        needed = PayerFields.needed if none_if_empty(raw.get("product_id")) else cls.needed
        saved = PayerFields.needed if none_if_empty(raw.get("customer_id")) else ()
        return missing_fields(name for name in needed if name not in saved and none_if_empty(raw.get(name)) is None)


class IssueCharge(PayerFields):
    """Uma cobrança a emitir. O modo manual exige valor, descrição e o nome, e-mail e documento do pagador;
    `product_id` liga o modo produto.

    `POST /pix` (specification section 4). Manual mode requires amount, description and the payer's name, email
    and document; `product_id` switches on product mode.
    """

    needed: ClassVar[tuple[str, ...]] = ("amount", "description", *PayerFields.needed)
    unknown: ClassVar[Mapping[str, str]] = {"product_id": "Produto não encontrado."}

    amount: ChargedReais | None = Field(None, description="Valor em reais, mínimo 5,00. Ignorado no modo produto.")
    description: Annotated[PixDescription | None, EmptyToNone] = Field(None, description="Até 140 caracteres.")
    expires_at: ExpiryToCome = Field(None, description="De uma data, o dia inteiro. Padrão: 24 horas.")
    product_id: Annotated[IdText | None, EmptyToNone] = Field(None, description="Liga o modo produto.")
    novo_cliente: Flag | None = Field(None, description="Cadastra também o pagador (modo produto).")
    coupon_code: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Cupom (modo produto).")
    success_url: Annotated[Url | None, EmptyToNone] = Field(
        None, description="Para onde o pagador volta depois de pagar."
    )
    cancel_url: Annotated[Url | None, EmptyToNone] = Field(None, description="Para onde o pagador volta se desistir.")
    external_reference: Annotated[Reference | None, EmptyToNone] = Field(None, description="Sua referência, única.")
    metadata: Metadata | None = Field(None, description="Até 20 pares de texto.")

    @model_validator(mode="before")
    @classmethod
    def _ignore_amount_with_product(cls, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Product mode ignores the amount, even a malformed one (specification section 4)."""
        ignored = {"amount"} if none_if_empty(raw.get("product_id")) is not None else set()
        return {name: value for name, value in raw.items() if name not in ignored}


class RegisterCharge(PayerFields):
    """Uma cobrança registrada diretamente, com vencimento e sem valor mínimo.

    `POST /charges`: a charge registered directly, with a due date and without a minimum amount. It is always in manual
    mode: fields of product mode are ignored, with a notice.
    """

    amount: Price = Field(description="Valor em reais, maior que zero.")
    description: PixDescription = Field(min_length=1, description="Até 140 caracteres.")
    due_date: Annotated[End | None, EmptyToNone, in_context(_due_in_time)] = Field(
        None, description="Vencimento, hoje ou no futuro; de uma data, o dia inteiro. No banco vale o dia em São Paulo."
    )
    expires_at: Annotated[ExpiryToCome, AfterValidator(_not_before_due)] = Field(
        None, description="Nunca antes de `due_date`. Padrão: o fim do dia de `due_date`; sem ele, 24 horas."
    )
    success_url: Annotated[Url | None, EmptyToNone] = Field(
        None, description="Para onde o pagador volta depois de pagar."
    )
    cancel_url: Annotated[Url | None, EmptyToNone] = Field(None, description="Para onde o pagador volta se desistir.")
    external_reference: Annotated[Reference | None, EmptyToNone] = Field(None, description="Sua referência, única.")
    metadata: Metadata | None = Field(None, description="Até 20 pares de texto.")
    product_id: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Ignorado, com aviso.")
    novo_cliente: Flag | None = Field(None, description="Ignorado, com aviso.")
    coupon_code: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Ignorado, com aviso.")


class WhichCharge(Input):
    """One charge, by id, txid or the merchant's reference; the first one sent is used."""

    ways: ClassVar[tuple[str, ...]] = ("id", "txid", "external_reference")

    id: Annotated[IdText | None, EmptyToNone] = Field(None, description="Identificador da cobrança.")
    txid: Annotated[ShortText | None, EmptyToNone] = Field(None, description="txid da cobrança.")
    external_reference: Annotated[Reference | None, EmptyToNone] = Field(
        None, description="Referência do lojista: a cobrança pendente ou paga que a tem, senão a mais recente."
    )


class SendCharge(WhichCharge):
    """A charge to send, and its recipient if not the payer."""

    email: Annotated[Email | None, EmptyToNone] = Field(None, description="Outro destinatário; padrão: o pagador.")


QR_CODE = "qr_code_url"


class ChargeOrder(StrEnum):
    """The orders of a list of charges; equals are ordered by id, and what was never paid comes before all payments, as
    it was created.
    """

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    updated_at_desc = "-updated_at"
    updated_at_asc = "updated_at"
    paid_at_desc = "-paid_at"
    paid_at_asc = "paid_at"
    expires_at_desc = "-expires_at"
    expires_at_asc = "expires_at"
    amount_desc = "-amount"
    amount_asc = "amount"


def _include(text: str, info: ValidationInfo) -> str:
    unknown = {name.strip() for name in text.split(",")} - {QR_CODE}
    if unknown:
        raise ValueError(f"use um destes valores: '{QR_CODE}'")
    if all(info.data.get(name, "") is None for name in ("page", "limit", "after")):
        raise ValueError("envie também page, limit ou after: são no máximo 100 imagens de cada vez")
    return text


def _distinct(statuses: list[ChargeStatus]) -> tuple[ChargeStatus, ...]:
    # A dataloader takes the input as a key.
    return tuple(dict.fromkeys(statuses))


Statuses = Annotated[
    list[ChargeStatus], Field(min_length=1, max_length=20), AfterValidator(_distinct), BeforeValidator(separated)
]


class ChargeFilter(Period):
    """Filtros de cobranças; todos os enviados valem juntos."""

    status: ChargeStatus | None = Field(None, description="Situação agora: pendente e vencida conta como expirada.")
    status_in: Statuses | None = Field(None, description="Em uma destas situações.")
    customer_id: IdText | None = Field(None, description="Do cliente cadastrado.")
    product_id: IdText | None = Field(None, description="Do produto.")
    coupon_id: IdText | None = Field(None, description="Com o cupom.")
    subscription_id: IdText | None = Field(None, description="Da assinatura.")
    payment_link_id: IdText | None = Field(None, description="Do link de pagamento.")
    txid: Reference | None = Field(None, description="Com este txid.")
    end_to_end_id: Reference | None = Field(None, description="Com este EndToEndId.")
    external_reference: Reference | None = Field(None, description="Com esta referência do lojista.")
    paid_from: Start | None = Field(None, description="Pagas a partir deste momento; de uma data, desde o início.")
    paid_to: End | None = Field(None, description="Pagas até este momento; de uma data, o dia inteiro.")
    paid_late: QueryFlag | None = Field(None, description="Se foram pagas depois de expirar.")
    amount_min: Reais | None = Field(None, description="Valor mínimo, em reais.")
    amount_max: Reais | None = Field(None, description="Valor máximo, em reais.")


class ListCharges(ChargeFilter, ListInput):
    """`GET /pix` and `GET /charges`: everything optional."""

    sort: ChargeOrder = Field(ChargeOrder.created_at_desc, description="Ordem; `-` na frente é decrescente.")
    include: Annotated[str, AfterValidator(_include), WithJsonSchema({"type": "string", "const": QR_CODE})] | None = (
        Field(
            None,
            description="`qr_code_url` mostra também a imagem do QR Code de cada cobrança pendente; com `page`, `limit` ou `after`.",
        )
    )

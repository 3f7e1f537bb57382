"""The tree of all API errors. Transports render any `GatewayError`, without a table of their own.

    GatewayError                  status  codigo
    ├── InvalidInput                400   none, with `campos`
    │   ├── MinimumAmount           400   VALOR_MINIMO, with `valor_minimo`
    │   ├── InvalidExpiry           400   EXPIRACAO_INVALIDA
    │   ├── RefundTooLarge          400   VALOR_DEVOLVIDO, with `disponivel`
    │   ├── InvalidPixKey           400   CHAVE_PIX_INVALIDA
    │   └── CouponRefused           400   none
    │       ├── CouponInactive      400   CUPOM_INATIVO
    │       ├── CouponNotStarted    400   CUPOM_NAO_INICIADO
    │       ├── CouponExpired       400   CUPOM_EXPIRADO
    │       ├── CouponExhausted     400   CUPOM_ESGOTADO, with `reservado_ate`
    │       └── CouponNotApplicable 400   CUPOM_NAO_APLICAVEL
    ├── Unauthenticated             401   none; the only error whose REST body is a bare string
    │   ├── MissingCredential · UnknownApiKey · InvalidSession
    ├── WrongCredentials            401   CREDENCIAIS_INVALIDAS
    ├── IdentityRefused             401   none
    ├── SecondFactorNeeded          401   SEGUNDO_FATOR_EXIGIDO, with `desafio`, `expira_em`
    ├── ChallengeInvalid            401   DESAFIO_INVALIDO
    ├── WrongCode                   401   CODIGO_INVALIDO
    ├── Forbidden                   403
    │   ├── PanelOnly               403   SOMENTE_PAINEL
    │   ├── OwnerOnly               403   SOMENTE_TITULAR
    │   ├── StaffOnly               403   SOMENTE_ADMIN
    │   ├── RoleDenied              403   PERMISSAO_NEGADA
    │   ├── ForeignStore            403   LOJA_NAO_AUTORIZADA
    │   ├── SecondFactorRequired    403   SEGUNDO_FATOR_OBRIGATORIO
    │   ├── ScopeMissing            403   ESCOPO_INSUFICIENTE, with `escopo`
    │   └── LiveKeyBlocked          403   PRODUCAO_NAO_LIBERADA, with `producao`
    ├── NotFound                    404   none
    ├── MethodNotAllowed            405   none
    ├── NotAcceptable               406   none
    ├── Conflict                    409   none
    │   ├── EmailTaken              409   EMAIL_JA_CADASTRADO
    │   ├── LiveNotApproved         409   PRODUCAO_NAO_LIBERADA, with `producao`
    │   ├── UnderReview             409   PRODUCAO_EM_ANALISE
    │   ├── NothingToReview         409   SEM_ANALISE_PENDENTE
    │   ├── SubaccountMissing       409   SUBCONTA_INEXISTENTE, with `aprovacao`
    │   ├── SubaccountNotApproved   409   SUBCONTA_NAO_APROVADA, with `aprovacao`
    │   ├── TestOnly                409   SOMENTE_TESTE
    │   ├── DuplicateReference      409   REFERENCIA_DUPLICADA, with `id`
    │   ├── TooManyReferences       409   MUITAS_REFERENCIAS, with `referencias`, `limite`
    │   ├── DuplicateSku            409   SKU_DUPLICADO, with `campos`
    │   ├── DuplicateCoupon         409   CUPOM_DUPLICADO
    │   ├── LinkUnavailable         409   LINK_INDISPONIVEL
    │   │   └── LinkBelowMinimum    409   LINK_INDISPONIVEL
    │   ├── ChargeEnded             409   COBRANCA_ENCERRADA
    │   ├── ChargeNotPaid           409   COBRANCA_NAO_PAGA
    │   ├── RefundTooLate           409   PRAZO_DE_DEVOLUCAO
    │   ├── RefundUnavailable       409   DEVOLUCAO_INDISPONIVEL
    │   ├── SubscriptionCanceled    409   ASSINATURA_CANCELADA
    │   ├── JobInProgress           409   JOB_EM_EXECUCAO
    │   ├── ManualRepayment         409   REPASSE_MANUAL
    │   ├── InsufficientBalance     409   SALDO_INSUFICIENTE, with `disponivel`
    │   ├── WithdrawalInProgress    409   SAQUE_EM_ANDAMENTO, with `id`
    │   ├── ClockInProgress         409   RELOGIO_EM_AVANCO
    │   ├── SecondFactorOn          409   SEGUNDO_FATOR_ATIVO
    │   ├── SecondFactorOff         409   SEGUNDO_FATOR_INATIVO
    │   ├── IdempotencyConflict     409   IDEMPOTENCIA_CONFLITO
    │   └── IdempotencyInProgress   409   IDEMPOTENCIA_EM_ANDAMENTO
    ├── PaymentLinkInactive         410   LINK_ENCERRADO, with `reservado_ate`
    ├── BodyTooLarge                413   none
    │   └── FileTooLarge            413   none
    ├── WrongContentType            415   none
    │   └── NotAForm                415   none
    ├── RateLimited                 429   none, with the RateLimit headers
    ├── ArchiveNotConfigured        501   none
    ├── IdentityNotConfigured       501   none
    ├── EngineFailed                502   none
    ├── IdentityUnavailable         502   none
    ├── ArchiveUnavailable          503   none
    ├── ExportsUnderway             503   none, with `Retry-After`
    ├── RequestTookTooLong          503   none
    └── Unhealthy                   503   none, with `checks`

`message` is a Portuguese text for people. `codigo` is for programs, where the specification defines one. `extra` has
the other members of the `error` object. Source: specification section 7, contract section 2.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, ClassVar, Self

from gateway.values.formatting import format_timestamp, reais
from gateway.values.money import MINIMUM_CHARGE, reais_from_centavos

EXPORT_RETRY_SECONDS = 30
"""The `Retry-After` of an export that timed out in the queue."""
UNEXPECTED_MESSAGE = "Erro inesperado. Informe o código ao suporte."
"""The message of an unexpected error, together with the id of the request."""


class GatewayError(Exception):
    """An error response for the caller."""

    status: ClassVar[int] = 400
    codigo: ClassVar[str | None] = None
    default_message: ClassVar[str] = "Não foi possível atender à requisição."
    transient: bool = False
    """Whether the same request may succeed later. Such an error is not stored under an `Idempotency-Key`."""

    def __init__(self, message: str | None = None, **extra: Any) -> None:
        self.message = message or self.default_message
        self.extra = extra
        super().__init__(self.message)

    def retryable(self) -> Self:
        """Mark the error as transient, and return it."""
        self.transient = True
        return self

    @property
    def headers(self) -> dict[str, str]:
        """Extra headers of the REST response."""
        return {}

    def body(self) -> dict[str, Any]:
        """The `error` object, for REST and GraphQL."""
        codigo = {"codigo": self.codigo} if self.codigo else {}
        return {"message": self.message, **codigo, **self.extra}


class InvalidInput(GatewayError):
    """One or more fields are invalid. `campos` is `[{campo, mensagem}]`, one entry for each."""

    default_message = "Dados inválidos."

    def __init__(self, *fields: tuple[str, str], message: str | None = None, **extra: Any) -> None:
        campos = [{"campo": name, "mensagem": _as_field_message(reason)} for name, reason in fields]
        listed = "; ".join(f"{each['campo']}: {each['mensagem']}" for each in campos)
        super().__init__(
            message or (f"Dados inválidos: {listed}" if fields else None),
            **({"campos": campos} if campos else {}),
            **extra,
        )

    def about(self, field: str) -> Self:
        """Rename the error's field to the name that the caller sent, and return the error."""
        self.extra["campos"] = [{**each, "campo": field} for each in self.extra["campos"]]
        return self


def _as_field_message(reason: str) -> str:
    """A reason in the style of field messages: lower case unless an acronym, and without a full stop."""
    is_acronym = reason[1:2].isupper()
    return (reason if is_acronym else reason[:1].lower() + reason[1:]).removesuffix(".")


class MinimumAmount(InvalidInput):
    """The amount, after a coupon's discount, is below the minimum of a charge (specification section 8)."""

    codigo = "VALOR_MINIMO"

    def __init__(
        self,
        field: str | None = "amount",
        *,
        others: Sequence[tuple[str, str]] = (),
        message: str = "O valor mínimo é R$ 5,00.",
    ) -> None:
        """`field` is None if no field of the caller is wrong. `others`: the other invalid fields of the input."""
        super().__init__(
            *([] if field is None else [(field, message)]),
            *others,
            message=None if others else message,
            valor_minimo=reais_from_centavos(MINIMUM_CHARGE),
        )


class InvalidExpiry(InvalidInput):
    """`expires_at` is not a date, or passed more than a minute ago."""

    codigo = "EXPIRACAO_INVALIDA"

    def __init__(self, field: str = "expires_at", *, others: Sequence[tuple[str, str]] = ()) -> None:
        """`others`: the other invalid fields of the input."""
        reason = "informe uma data futura no formato ISO 8601"
        super().__init__((field, reason), *others, message=None if others else f"Data de expiração inválida: {reason}.")


class RefundTooLarge(InvalidInput):
    """The amount is more than what is left of the payment. Carries `disponivel` in reais."""

    codigo = "VALOR_DEVOLVIDO"

    def __init__(self, left: int = 0) -> None:
        """`left`: what can still be refunded, in centavos."""
        reason = f"só restam {reais(left)} a devolver" if left > 0 else "o pagamento já foi devolvido por inteiro"
        message = f"{reason[0].upper()}{reason[1:]}."
        super().__init__(("amount", reason), message=message, disponivel=reais_from_centavos(left))


class InvalidPixKey(InvalidInput):
    """The Pix key is not of its declared type."""

    codigo = "CHAVE_PIX_INVALIDA"

    def __init__(
        self, reason: str = "não é uma chave do tipo informado", *, others: Sequence[tuple[str, str]] = ()
    ) -> None:
        """`others`: the other invalid fields of the input."""
        self.reason = reason
        message = None if others else f"Chave Pix inválida: {reason}."
        super().__init__(("pix_key", reason), *others, message=message)


class CouponRefused(InvalidInput):
    """The coupon can't be used for this charge. The message gives the reason."""

    default_message = "Este cupom não pode ser usado."

    def __init__(self, message: str | None = None, *, field: str = "coupon_code") -> None:
        text = message or self.default_message
        super().__init__((field, text), message=text)


class CouponInactive(CouponRefused):
    codigo = "CUPOM_INATIVO"
    default_message = "Este cupom não está ativo."


class CouponNotStarted(CouponRefused):
    codigo = "CUPOM_NAO_INICIADO"
    default_message = "Este cupom ainda não começou a valer."


class CouponExpired(CouponRefused):
    codigo = "CUPOM_EXPIRADO"
    default_message = "Este cupom expirou."


class CouponExhausted(CouponRefused):
    """All uses of the coupon are reserved or redeemed, or with `of_customer` those of this customer.

    `reservado_ate`: when a pending charge releases the first one.
    """

    codigo = "CUPOM_ESGOTADO"
    default_message = "Este cupom já foi usado o número máximo de vezes."
    of_customer_message = "Este cupom já foi usado o número máximo de vezes por este CPF ou CNPJ."
    held_message = "Este cupom está em uso por uma cobrança pendente até {until} (horário de Brasília)."

    def __init__(self, *, of_customer: bool = False) -> None:
        super().__init__(self.of_customer_message if of_customer else None)
        self.of_customer = of_customer

    def hold(self, until: datetime | None) -> Self:
        """Add that a pending charge reserves the use until then, and return the error."""
        if until is not None:
            self.message = self.held_message.format(until=format_timestamp(until))
            entry = {"campo": "coupon_code", "mensagem": _as_field_message(self.message)}
            self.extra |= {"campos": [entry], "reservado_ate": until.isoformat()}
            self.retryable()
        return self


class CouponNotApplicable(CouponRefused):
    codigo = "CUPOM_NAO_APLICAVEL"
    default_message = "Este cupom não vale para este produto ou valor."


class Unauthenticated(GatewayError):
    """No usable credential (specification section 5)."""

    status = 401
    default_message = "Token inválido ou expirado"

    @property
    def headers(self) -> dict[str, str]:
        return {"www-authenticate": "Bearer"}  # RFC 9110, section 15.5.2: a 401 names the scheme.


class MissingCredential(Unauthenticated):
    default_message = "Token JWT ou chave de API ausente"


class UnknownApiKey(Unauthenticated):
    default_message = "Chave de API inválida ou revogada"


class InvalidSession(Unauthenticated):
    default_message = "Token inválido ou expirado"


class WrongCredentials(GatewayError):
    """Login refused. The message is the same for an unknown email and a wrong password."""

    status = 401
    codigo = "CREDENCIAIS_INVALIDAS"
    default_message = "E-mail ou senha incorretos."


class IdentityRefused(GatewayError):
    """The external identity service did not identify the caller. The message does not say what was missing."""

    status = 401
    default_message = "Não foi possível confirmar a sua conta do Google. Entre com ela de novo."


class SecondFactorNeeded(GatewayError):
    """The password was right, and the account has a second factor. There is no session yet.

    `desafio` is the challenge for the call with the code, valid until `expira_em`.
    """

    status = 401
    codigo = "SEGUNDO_FATOR_EXIGIDO"
    default_message = "Informe o código do seu aplicativo autenticador, ou um código de recuperação."


class ChallengeInvalid(GatewayError):
    """The challenge is invalid or expired, or the account's login, password or factor has changed since."""

    status = 401
    codigo = "DESAFIO_INVALIDO"
    default_message = "O tempo para informar o código acabou. Entre de novo."


class WrongCode(GatewayError):
    """The code is wrong, expired or used. The message is the same for a recovery code."""

    status = 401
    codigo = "CODIGO_INVALIDO"
    default_message = "O código não confere ou já foi usado."


class Forbidden(GatewayError):
    status = 403
    default_message = "Você não tem permissão para esta ação."


class PanelOnly(Forbidden):
    codigo = "SOMENTE_PAINEL"
    default_message = (
        "Esta ação só pode ser feita no painel, com a sessão de uma pessoa: chaves de API não são aceitas."
    )


class OwnerOnly(Forbidden):
    codigo = "SOMENTE_TITULAR"
    default_message = "Esta ação é exclusiva do titular da loja."


class StaffOnly(Forbidden):
    codigo = "SOMENTE_ADMIN"
    default_message = "Esta ação é exclusiva da equipe do serviço."


class RoleDenied(Forbidden):
    codigo = "PERMISSAO_NEGADA"
    default_message = "Seu papel nesta loja não permite esta ação."


class ForeignStore(Forbidden):
    """The caller is not an active member of the store of `x-store`, or it doesn't exist."""

    codigo = "LOJA_NAO_AUTORIZADA"
    default_message = "Você não participa da loja indicada em x-store."


class SecondFactorRequired(Forbidden):
    """Staff without the second factor that `GATEWAY_STAFF_REQUIRES_2FA` requires."""

    codigo = "SEGUNDO_FATOR_OBRIGATORIO"
    default_message = "Para as ações da equipe do serviço, ative antes a verificação em duas etapas na sua conta."


class ScopeMissing(Forbidden):
    """The API key lacks the operation's scope, `escopo`. It is null if no scope allows the operation."""

    codigo = "ESCOPO_INSUFICIENTE"
    default_message = "Os escopos desta chave de API não permitem esta ação."


class LiveKeyBlocked(Forbidden):
    """A live API key of a merchant that isn't approved for live operation."""

    codigo = "PRODUCAO_NAO_LIBERADA"
    default_message = "Esta loja não está liberada para operar em produção."


class NotFound(GatewayError):
    """Unknown, of another store, or of another environment. The message doesn't tell which."""

    status = 404
    default_message = "Registro não encontrado."


class MethodNotAllowed(GatewayError):
    status = 405
    default_message = "Método não permitido para este endereço."

    def __init__(self, allowed: Iterable[str]) -> None:
        """GET in `allowed` implies HEAD."""
        super().__init__()
        methods = set(allowed)
        self.allowed = tuple(sorted(methods | {"HEAD"} if "GET" in methods else methods))

    @property
    def headers(self) -> dict[str, str]:
        return {"allow": ", ".join(self.allowed)}


class NotAcceptable(GatewayError):
    status = 406
    default_message = "Nenhum formato do cabeçalho Accept está disponível."


class Conflict(GatewayError):
    status = 409
    default_message = "A requisição conflita com o estado atual."


class EmailTaken(Conflict):
    codigo = "EMAIL_JA_CADASTRADO"
    default_message = "Já existe uma conta com este e-mail."


class LiveNotApproved(Conflict):
    """A live operation before production approval; carries the `producao` block."""

    codigo = "PRODUCAO_NAO_LIBERADA"
    default_message = "Esta loja não está liberada para operar em produção."
    transient = True


class UnderReview(Conflict):
    """The store has requested production approval, and staff has not decided yet."""

    codigo = "PRODUCAO_EM_ANALISE"
    default_message = "Seu pedido de liberação está em análise. Aguarde o resultado."


class NothingToReview(Conflict):
    """The store has no pending request, or another admin has just decided it."""

    codigo = "SEM_ANALISE_PENDENTE"
    default_message = "Não há análise pendente para esta loja."


class SubaccountMissing(Conflict):
    """In the receiving mode `subconta`, the store has no account of its own; carries the `aprovacao` block."""

    codigo = "SUBCONTA_INEXISTENTE"
    default_message = "A loja ainda não abriu a conta de recebimento, sem a qual não é possível cobrar."
    transient = True


class SubaccountNotApproved(Conflict):
    """The engine hasn't approved the store's account; carries the `aprovacao` block."""

    codigo = "SUBCONTA_NAO_APROVADA"
    default_message = "A conta de recebimento da loja ainda não foi aprovada, e por isso não é possível cobrar."
    transient = True


class TestOnly(Conflict):
    codigo = "SOMENTE_TESTE"
    default_message = "Esta ação só existe no ambiente de teste."


class DuplicateReference(Conflict):
    """`id` is the record with the reference. Without `id`, that record is still being created."""

    codigo = "REFERENCIA_DUPLICADA"
    default_message = "Já existe uma cobrança com este external_reference."


class TooManyReferences(Conflict):
    codigo = "MUITAS_REFERENCIAS"
    default_message = "Há referências demais para excluir este registro."


class DuplicateSku(Conflict):
    codigo = "SKU_DUPLICADO"
    default_message = "Já existe um produto com este sku."

    def __init__(self) -> None:
        super().__init__(campos=[{"campo": "sku", "mensagem": _as_field_message(self.default_message)}])


class DuplicateCoupon(Conflict):
    codigo = "CUPOM_DUPLICADO"
    default_message = "Já existe um cupom com este código."


class LinkUnavailable(Conflict):
    """A live link whose owner isn't approved. The message does not say why."""

    codigo = "LINK_INDISPONIVEL"
    default_message = "Este link de pagamento está temporariamente indisponível."
    transient = True


class LinkBelowMinimum(LinkUnavailable):
    """A link whose product now costs less than the minimum of a charge, so it cannot be paid."""

    default_message = "Este link não pode ser pago: o valor é menor que R$ 5,00, o mínimo para pagar com Pix."


class ChargeEnded(Conflict):
    """The charge is no longer pending. The message gives its status."""

    codigo = "COBRANCA_ENCERRADA"
    default_message = "Esta cobrança já foi encerrada."


class ChargeNotPaid(Conflict):
    codigo = "COBRANCA_NAO_PAGA"
    default_message = "Só uma cobrança paga pode ser devolvida."


class RefundTooLate(Conflict):
    """A Pix can be returned for 90 days."""

    codigo = "PRAZO_DE_DEVOLUCAO"
    default_message = "Um Pix só pode ser devolvido até 90 dias depois do pagamento."


class RefundUnavailable(Conflict):
    """The charge's engine has no refunds, or the payment is disputed."""

    codigo = "DEVOLUCAO_INDISPONIVEL"
    default_message = "O provedor de pagamentos desta cobrança não faz devoluções. Devolva o valor pelo seu banco."


class SubscriptionCanceled(Conflict):
    codigo = "ASSINATURA_CANCELADA"
    default_message = "Esta assinatura foi cancelada; reative-a para cobrar de novo."


class JobInProgress(Conflict):
    """Another run of the job is in progress, in this or another process."""

    codigo = "JOB_EM_EXECUCAO"
    default_message = "Esta rotina já está em execução."


class ManualRepayment(Conflict):
    """In single-account mode the service's staff repays merchants (specification section 1, rule 6)."""

    codigo = "REPASSE_MANUAL"
    default_message = "O repasse é feito pela equipe do serviço; não é preciso pedir saque."


class InsufficientBalance(Conflict):
    codigo = "SALDO_INSUFICIENTE"
    default_message = "O valor é maior que o saldo disponível."


class WithdrawalInProgress(Conflict):
    codigo = "SAQUE_EM_ANDAMENTO"
    default_message = "Já há um saque em andamento. Aguarde a conclusão dele."
    transient = True


class ClockInProgress(Conflict):
    """An advance of the store's test clock is in progress."""

    codigo = "RELOGIO_EM_AVANCO"
    default_message = "O relógio de teste ainda está avançando. Aguarde até que fique pronto."


class SecondFactorOn(Conflict):
    codigo = "SEGUNDO_FATOR_ATIVO"
    default_message = "A verificação em duas etapas já está ativa. Desative-a antes de configurar outro aplicativo."


class SecondFactorOff(Conflict):
    """The account has no second factor, or none to confirm."""

    codigo = "SEGUNDO_FATOR_INATIVO"
    default_message = "A verificação em duas etapas não está ativa nesta conta."


class IdempotencyConflict(Conflict):
    codigo = "IDEMPOTENCIA_CONFLITO"
    default_message = "Esta Idempotency-Key já foi usada com outro conteúdo."


class IdempotencyInProgress(Conflict):
    codigo = "IDEMPOTENCIA_EM_ANDAMENTO"
    default_message = "Uma requisição com esta Idempotency-Key ainda está em andamento."


class PaymentLinkInactive(GatewayError):
    """The payment link has expired, or all of its uses are reserved or redeemed.

    `reservado_ate`: when a pending charge releases the first one.
    """

    status = 410
    codigo = "LINK_ENCERRADO"
    default_message = "Este link de pagamento foi encerrado."
    held_message = (
        "Os pagamentos deste link estão reservados por cobranças pendentes até {until} (horário de Brasília). "
        "Se uma delas é sua, envie os mesmos dados para voltar a ela."
    )
    held_until: datetime | None = None

    def hold(self, until: datetime | None) -> Self:
        """Add that a pending charge reserves the use until then, and return the error."""
        if until is not None:
            self.held_until = until
            self.message = self.held_message.format(until=format_timestamp(until))
            self.extra["reservado_ate"] = until.isoformat()
            self.retryable()
        return self


class BodyTooLarge(GatewayError):
    status = 413
    default_message = "O corpo da requisição passa do limite de 1 MiB."

    def __init__(self, kibibytes: int = 1024) -> None:
        """`kibibytes`: the exceeded limit."""
        super().__init__(None if kibibytes == 1024 else f"O corpo da requisição passa do limite de {kibibytes} KiB.")


class FileTooLarge(BodyTooLarge):
    default_message = "O arquivo passa do limite de 10 MB."


class WrongContentType(GatewayError):
    status = 415
    default_message = "Envie o corpo como application/json."


class NotAForm(WrongContentType):
    default_message = "Envie o corpo como multipart/form-data, com os campos type e file."


class RateLimited(GatewayError):
    """Too many requests; times are whole seconds until the window ends."""

    status = 429
    default_message = "Muitas tentativas. Aguarde um pouco e tente de novo."
    transient = True

    def __init__(self, limit: int, reset_seconds: int, message: str | None = None) -> None:
        super().__init__(message)
        self.limit = limit
        self.reset_seconds = reset_seconds

    @property
    def headers(self) -> dict[str, str]:
        reset = str(self.reset_seconds)
        return {
            "retry-after": reset,
            "ratelimit-limit": str(self.limit),
            "ratelimit-remaining": "0",
            "ratelimit-reset": reset,
        }


class EngineFailed(GatewayError):
    """The payment engine refused, failed, or could not be reached.

    Only the reason of a refusal is included, shortened and without personal data. `to_payer`: the message for payers.
    """

    status = 502
    default_message = "O provedor de pagamentos não concluiu a operação. Tente novamente em instantes."

    def __init__(self, message: str | None = None, *, to_payer: str | None = None) -> None:
        super().__init__(message)
        self.to_payer = to_payer or self.message


class ArchiveNotConfigured(GatewayError):
    """No object storage is configured (`GATEWAY_DOCUMENTS_URL`)."""

    status = 501
    default_message = "O envio de documentos não está configurado neste serviço."


class IdentityNotConfigured(GatewayError):
    """No external identity service is configured (`GATEWAY_APPWRITE_ENDPOINT`, `GATEWAY_APPWRITE_PROJECT`)."""

    status = 501
    default_message = "O acesso com o Google não está configurado neste serviço."


class IdentityUnavailable(GatewayError):
    """The external identity service doesn't answer, or its response is invalid."""

    status = 502
    default_message = "O serviço de identidade não respondeu. Tente novamente em instantes."


class ArchiveUnavailable(GatewayError):
    """The object storage doesn't answer, or the stored document was changed. The log has the reason."""

    status = 503
    default_message = "O arquivo de documentos não respondeu. Tente novamente em instantes."


class ExportsUnderway(GatewayError):
    """The export timed out while it waited for other exports of the store."""

    status = 503
    default_message = "Outras exportações desta loja ainda estão em andamento. Tente novamente em instantes."

    @property
    def headers(self) -> dict[str, str]:
        return {"retry-after": str(EXPORT_RETRY_SECONDS)}


class RequestTookTooLong(GatewayError):
    """A GraphQL request timed out. Fields that had not started are not executed."""

    status = 503
    default_message = (
        "A requisição demorou demais. O que ela ainda não tinha começado não foi feito: peça menos de cada vez."
    )


class Unhealthy(GatewayError):
    """The database doesn't answer, has no tables or is read-only: `GET /health` and `/health/ready`."""

    status = 503
    default_message = "O serviço está indisponível: o banco de dados não responde."


def _codigos(error: type[GatewayError]) -> Iterator[str]:
    if error.codigo is not None:
        yield error.codigo
    for narrower in error.__subclasses__():
        yield from _codigos(narrower)


CODIGOS = frozenset(_codigos(GatewayError))
"""Every `codigo`."""

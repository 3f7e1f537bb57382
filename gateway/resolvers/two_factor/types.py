"""Inputs and results of the second factor. Its secret and its recovery codes are shown once."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from gateway.resolvers.accounts.types import AnyPassword, SessionView
from gateway.resolvers.core.inputs import Input, ShortText
from gateway.resolvers.core.views import View

_CODE = "Código de 6 dígitos do aplicativo, ou um código de recuperação."
_PASSWORD = "Senha da conta; só não pede quem entra apenas com o Google."  # noqa: S105  # It describes a field.


class AnswerChallenge(Input):
    """O segundo passo do acesso."""

    challenge: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = Field(
        description="O `desafio` que a primeira etapa respondeu."
    )
    code: ShortText = Field(description=_CODE)


class BeginTwoFactor(Input):
    """O começo da configuração da verificação em duas etapas."""

    password: AnyPassword | None = Field(None, description=_PASSWORD)


class ConfirmTwoFactor(Input):
    """A confirmação de que o aplicativo está configurado."""

    code: ShortText = Field(description="Código de 6 dígitos que o aplicativo mostra agora.")


class ProveTwoFactor(Input):
    """A senha e um código, de quem muda a verificação em duas etapas."""

    password: AnyPassword | None = Field(None, description=_PASSWORD)
    code: ShortText = Field(description=_CODE)


_ONCE = "Códigos de recuperação, cada um válido uma vez. Guarde agora: não serão mostrados de novo."


class TwoFactorView(View):
    """A verificação em duas etapas da conta.

    `required`: whether the service requires it, because the account is staff (`GATEWAY_STAFF_REQUIRES_2FA`).
    """

    enabled: bool = Field(description="Se o acesso pede um código.")
    enabled_at: datetime | None = Field(description="Desde quando.")
    recovery_codes_left: int = Field(description="Quantos códigos de recuperação ainda não foram usados.")
    required: bool = Field(description="Se o serviço exige a verificação desta conta.")


class EnrolmentView(View):
    """O que o aplicativo autenticador precisa saber, mostrado só nesta resposta."""

    secret: str = Field(description="Segredo em base32, para digitar no aplicativo.")
    otpauth_url: str = Field(description="O mesmo como endereço `otpauth://`.")
    qr_code_url: str = Field(description="O endereço como QR Code: uma imagem `data:`.")
    expires_at: datetime = Field(description="Até quando pode ser confirmado.")


class TwoFactorEnabledView(View):
    """A verificação em duas etapas, recém-ativada."""

    recovery_codes: list[str] = Field(description=_ONCE)
    session: SessionView = Field(description="A sessão que continua; as outras terminaram.")


class RecoveryCodesView(View):
    """Códigos de recuperação novos; os anteriores não valem mais."""

    recovery_codes: list[str] = Field(description=_ONCE)

"""Views of the second factor. Its secret and its recovery codes are shown once."""

from datetime import datetime

from pydantic import Field

from gateway.resolvers.accounts.views import SessionView
from gateway.resolvers.core.views import View

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

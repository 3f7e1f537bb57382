"""Views of accounts, sessions and onboarding."""

from datetime import datetime
from typing import Any

from pydantic import Field

from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.database import Row
from gateway.resolvers.core.views import View
from gateway.values.ids import Id


class UserView(View):
    """Uma conta. Seu id é também o id da sua loja."""

    id: Id = Field(description="Identificador da conta e da loja (UUID).")
    name: str = Field(description="Nome da pessoa.")
    email: str = Field(description="E-mail de acesso.")
    company: str | None = Field(description="Nome da loja mostrado no painel.")
    cnpj: str | None = Field(description="CNPJ, sem formatação.")
    cpf: str | None = Field(description="CPF, sem formatação.")
    phone: str | None = Field(description="Telefone com DDD, 10 ou 11 dígitos.")
    address: str | None = Field(description="Logradouro.")
    address_number: str | None = Field(description="Número.")
    complement: str | None = Field(description="Complemento.")
    province: str | None = Field(description="Bairro.")
    postal_code: str | None = Field(description="CEP.")
    company_type: str | None = Field(description="Tipo de empresa.")
    notify_payment_email: bool = Field(description="Se recebe e-mail a cada pagamento.")
    receipt_email: bool = Field(description="Se o pagador recebe comprovante por e-mail.")
    is_admin: bool = Field(description="Se é da equipe do serviço. Uma chave de API nunca é.")
    production_status: ProductionStatus = Field(description="Situação da liberação para produção.")
    production_requested_at: datetime | None = Field(description="Quando pediu a liberação.")
    production_reviewed_at: datetime | None = Field(description="Quando a equipe decidiu.")
    production_reject_reason: str | None = Field(description="Motivo da recusa.")
    production_terms_accepted_at: datetime | None = Field(description="Quando aceitou os termos de produção.")
    production_terms_url: str | None = Field(
        description="Endereço dos termos que aceitou; nulo se o serviço ainda não tinha um."
    )
    onboarding_completed_at: datetime | None = Field(description="Quando concluiu o primeiro acesso.")
    created_at: datetime = Field(description="Quando a conta foi criada.")


class SessionView(View):
    """Uma sessão: a conta, o ambiente em que opera e o seu token."""

    user: UserView = Field(description="A conta.")
    environment: Environment = Field(description="Ambiente em que a sessão opera.")
    accessToken: str = Field(description="Token de sessão (JWT), válido por 1 hora.")  # noqa: N815  # The specification's name.


class IdentityView(View):
    """De quem é a credencial e em que ambiente ela opera."""

    user: UserView = Field(description="A conta.")
    environment: Environment = Field(description="Ambiente da credencial.")


class ResetRequestedView(View):
    """O pedido de uma nova senha: a resposta é a mesma se há ou não uma conta com o e-mail."""

    requested: bool = Field(description="Sempre verdadeiro.")
    message: str = Field(description="O que dizer a quem pediu.")


class PasswordResetView(View):
    """A senha foi trocada, e todas as sessões terminaram."""

    reset: bool = Field(description="Sempre verdadeiro.")
    email: str = Field(description="E-mail com que entrar.")
    message: str = Field(description="O que continua aberto na conta, ou foi desativado com a troca.")


class OnboardingResultView(View):
    """A conta, como ficou, e todas as respostas do primeiro acesso."""

    user: UserView = Field(description="A conta.")
    environment: Environment = Field(description="Ambiente da credencial.")
    answers: dict[str, Any] = Field(description="As respostas guardadas, por nome.")


USER_COLUMNS = [users.c[name] for name in UserView.model_fields]


def user_view(row: Row, *, by_key: bool = False) -> UserView:
    """The view of a row; an API key is never staff."""
    values = {name: row[name] for name in UserView.model_fields}
    return UserView.of(values | {"is_admin": False} if by_key else values)

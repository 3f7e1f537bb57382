"""Inputs and results of accounts, and the rules for a new password (contract section 3)."""

import re
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo

from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.database import Row
from gateway.resolvers.core.inputs import (
    Cnpj,
    Cpf,
    Email,
    EmptyToNone,
    Flag,
    Input,
    Name,
    NeverNull,
    Phone,
    ShortText,
    WithoutControl,
    ZoneName,
)
from gateway.resolvers.core.views import View, columns_of_view
from gateway.values.ids import Id

_COMMON_LISTS = ("common_passwords_zxcvbn.txt", "common_passwords.txt")
"""Passwords and names of zxcvbn (NOTICE), and a Brazilian supplement. Each list has the most common first."""
_COMMON_WORDS = (
    "acesso|admin|administrador|brasil|caixa|cliente|dinheiro|empresa|financeiro|gateway|loja|master|minhaloja|minhasenha|mudar|"
    "novasenha|pagamento|pagamentos|password|qwerty|senha|senhaforte|sistema|suporte|teste|trocar|usuario|vendas"
)
_DECORATED = re.compile(rf"(?:{_COMMON_WORDS})[\W\d_]{{0,6}}")
"""`senha@123` and the like."""
NOT_THE_EMAIL = "a senha não pode ser o seu e-mail"


@cache
def _common_passwords() -> frozenset[str]:
    # Loaded on first use, so that the process starts faster.
    folder = resources.files(__package__)
    return frozenset(word for name in _COMMON_LISTS for word in folder.joinpath(name).read_text("utf-8").split())


def _refuse_common(password: str) -> str:
    folded = password.casefold()
    if folded in _common_passwords() or len(set(folded)) < 3 or _DECORATED.fullmatch(folded):
        raise ValueError("esta senha é muito comum; escolha outra")
    return password


def is_email(password: str, email: str) -> bool:
    """Whether the password is the account's email, or the part before the @."""
    return password.casefold() in {email.casefold(), email.partition("@")[0].casefold()}


def _refuse_email(password: str, info: ValidationInfo) -> str:
    if is_email(password, info.data.get("email", "")):
        raise ValueError(NOT_THE_EMAIL)
    return password


Password = Annotated[
    str,
    StringConstraints(strip_whitespace=False, min_length=8, max_length=128),
    WithoutControl,
    AfterValidator(_refuse_common),
]
"""A new password."""
AnyPassword = Annotated[str, StringConstraints(strip_whitespace=False, max_length=128)]
"""A password to verify, which may be older than the rules for new ones."""


class Register(Input):
    """Os dados de uma nova conta."""

    name: Name = Field(description="Nome da pessoa.")
    email: Email = Field(description="E-mail de acesso.")
    password: Annotated[Password, AfterValidator(_refuse_email)] = Field(description="Senha, de 8 a 128 caracteres.")
    cnpj: Cnpj = Field(description="CNPJ, com ou sem formatação.")
    company: Annotated[Name | None, EmptyToNone] = Field(None, description="Nome da loja.")


class Login(Input):
    """As credenciais de acesso."""

    email: ShortText = Field(description="E-mail de acesso.")
    password: AnyPassword = Field(description="Senha.")


class ExternalLogin(Input):
    """O acesso com uma conta do Google."""

    appwriteJwt: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = Field(  # noqa: N815  # The specification's name.
        description="Token de sessão do serviço externo de identidade."
    )
    password: AnyPassword | None = Field(
        None, description="Senha da conta que já tem este e-mail, para vincular as duas; só na primeira vez."
    )


class ChangePassword(Input):
    """A troca da senha."""

    current_password: AnyPassword = Field(description="Senha atual.")
    new_password: Password = Field(description="Senha nova, de 8 a 128 caracteres.")


class RequestPasswordReset(Input):
    """O pedido de uma nova senha, de quem esqueceu a sua."""

    email: Email = Field(description="E-mail de acesso.")


class ResetPassword(Input):
    """A nova senha, com o código que veio por e-mail."""

    token: ShortText = Field(description="O código do e-mail.")
    new_password: Password = Field(description="Senha nova, de 8 a 128 caracteres.")


class ChooseEnvironment(Input):
    """O ambiente em que a nova sessão opera."""

    environment: Environment = Field(description="`test` ou `live`.")


class UpdateProfile(Input):
    """Mudanças no perfil: só os campos enviados mudam; nulo ou vazio remove os opcionais."""

    accept_production_terms: Flag | None = Field(
        None, description="`true` registra o aceite dos termos de produção, que estão em `termos_url` da liberação."
    )
    name: Annotated[Name | None, NeverNull] = Field(None, description="Nome da pessoa; não pode ficar vazio.")
    company: Annotated[Name | None, EmptyToNone] = Field(None, description="Nome da loja.")
    cnpj: Annotated[Cnpj | None, EmptyToNone] = Field(None, description="CNPJ.")
    cpf: Annotated[Cpf | None, EmptyToNone] = Field(None, description="CPF.")
    phone: Annotated[Phone | None, EmptyToNone] = Field(None, description="Telefone com DDD, 10 ou 11 dígitos.")
    notify_payment_email: Annotated[Flag | None, NeverNull] = Field(
        None, description="Receber e-mail a cada pagamento."
    )
    receipt_email: Annotated[Flag | None, NeverNull] = Field(None, description="Enviar comprovante ao pagador.")
    time_zone: Annotated[ZoneName | None, NeverNull] = Field(
        None, description="Fuso horário da loja (IANA), como America/Manaus, para os painéis."
    )
    address: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Logradouro.")
    address_number: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Número.")
    complement: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Complemento.")
    province: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Bairro.")
    postal_code: Annotated[ShortText | None, EmptyToNone] = Field(None, description="CEP.")
    company_type: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Tipo de empresa.")


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
    time_zone: str = Field(description="Fuso horário da loja (IANA).")
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


class OnboardingAnswersView(View):
    """O que a conta já respondeu no primeiro acesso."""

    completed_at: datetime | None = Field(description="Quando as primeiras respostas foram guardadas.")
    answers: dict[str, Any] = Field(description="As respostas guardadas, por nome; nenhuma, se ainda não há.")


USER_COLUMNS = columns_of_view(UserView, users)


def user_view(row: Row, *, by_key: bool = False) -> UserView:
    """The view of a row; an API key is never staff."""
    values = {name: row[name] for name in UserView.model_fields}
    return UserView.of(values | {"is_admin": False} if by_key else values)

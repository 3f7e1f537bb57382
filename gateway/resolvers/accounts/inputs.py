"""What callers say about accounts."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo

from gateway.models.base import Environment
from gateway.resolvers.accounts.passwords import is_common, is_email
from gateway.resolvers.core.inputs import (
    Cnpj,
    Cpf,
    Email,
    Flag,
    Input,
    Name,
    NeverNull,
    NoneIfEmpty,
    Phone,
    ShortText,
    WithoutControl,
)


def _uncommon(password: str) -> str:
    if is_common(password):
        raise ValueError("esta senha é muito comum; escolha outra")
    return password


def _not_the_email(password: str, given: ValidationInfo) -> str:
    if is_email(password, given.data.get("email", "")):
        raise ValueError(NOT_THE_EMAIL)
    return password


NOT_THE_EMAIL = "a senha não pode ser o seu e-mail"
Password = Annotated[
    str,
    StringConstraints(strip_whitespace=False, min_length=8, max_length=128),
    WithoutControl,
    AfterValidator(_uncommon),
]
"""A new one."""
AnyPassword = Annotated[str, StringConstraints(strip_whitespace=False, max_length=128)]
"""What is compared with the account's, which may be from before a rule for new ones."""


class Register(Input):
    """Os dados de uma nova conta.

    `POST /auth/register`.
    """

    name: Name = Field(description="Nome da pessoa.")
    email: Email = Field(description="E-mail de acesso.")
    password: Annotated[Password, AfterValidator(_not_the_email)] = Field(description="Senha, de 8 a 128 caracteres.")
    cnpj: Cnpj = Field(description="CNPJ, com ou sem formatação.")
    company: Annotated[Name | None, NoneIfEmpty] = Field(None, description="Nome da loja.")


class Login(Input):
    """As credenciais de acesso.

    `POST /auth/login`.
    """

    email: ShortText = Field(description="E-mail de acesso.")
    password: AnyPassword = Field(description="Senha.")


class ExternalLogin(Input):
    """O acesso com uma conta do Google.

    `POST /auth/google`. `password` is for the one time in which an account that has the
    identity's e-mail is linked to it.
    """

    appwriteJwt: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = Field(  # noqa: N815  # The specification's name.
        description="Token de sessão do serviço externo de identidade."
    )
    password: AnyPassword | None = Field(
        None, description="Senha da conta que já tem este e-mail, para vincular as duas; só na primeira vez."
    )


class ChangePassword(Input):
    """A troca da senha.

    `PUT /auth/password`.
    """

    current_password: AnyPassword = Field(description="Senha atual.")
    new_password: Password = Field(description="Senha nova, de 8 a 128 caracteres.")


class RequestPasswordReset(Input):
    """O pedido de uma nova senha, de quem esqueceu a sua.

    `POST /auth/password/forgot`.
    """

    email: Email = Field(description="E-mail de acesso.")


class ResetPassword(Input):
    """A nova senha, com o código que veio por e-mail.

    `POST /auth/password/reset`.
    """

    token: ShortText = Field(description="O código do e-mail.")
    new_password: Password = Field(description="Senha nova, de 8 a 128 caracteres.")


class ChooseEnvironment(Input):
    """O ambiente em que a nova sessão opera.

    `POST /auth/environment`.
    """

    environment: Environment = Field(description="`test` ou `live`.")


class UpdateProfile(Input):
    """Mudanças no perfil: só os campos enviados mudam; nulo ou vazio remove os opcionais.

    `PUT /auth/profile`: only sent fields change; null or an empty string removes optional ones.
    """

    accept_production_terms: Flag | None = Field(
        None, description="`true` registra o aceite dos termos de produção, que estão em `termos_url` da liberação."
    )
    name: Annotated[Name | None, NeverNull] = Field(None, description="Nome da pessoa; não pode ficar vazio.")
    company: Annotated[Name | None, NoneIfEmpty] = Field(None, description="Nome da loja.")
    cnpj: Annotated[Cnpj | None, NoneIfEmpty] = Field(None, description="CNPJ.")
    cpf: Annotated[Cpf | None, NoneIfEmpty] = Field(None, description="CPF.")
    phone: Annotated[Phone | None, NoneIfEmpty] = Field(None, description="Telefone com DDD, 10 ou 11 dígitos.")
    notify_payment_email: Annotated[Flag | None, NeverNull] = Field(
        None, description="Receber e-mail a cada pagamento."
    )
    receipt_email: Annotated[Flag | None, NeverNull] = Field(None, description="Enviar comprovante ao pagador.")
    address: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Logradouro.")
    address_number: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Número.")
    complement: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Complemento.")
    province: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Bairro.")
    postal_code: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="CEP.")
    company_type: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Tipo de empresa.")

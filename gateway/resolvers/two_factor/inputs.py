"""Inputs of the second factor."""

from typing import Annotated

from pydantic import Field, StringConstraints

from gateway.resolvers.accounts.inputs import AnyPassword
from gateway.resolvers.core.inputs import Input, ShortText

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

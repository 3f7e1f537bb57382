"""Inputs and results of the operations on saved Pix keys."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from gateway.models.base import Environment
from gateway.models.engines import PixKeyType
from gateway.models.pix_keys import pix_keys
from gateway.resolvers.core.inputs import EmptyToNone, IdText, Input, Name
from gateway.resolvers.core.views import View, columns_of_view
from gateway.resolvers.withdrawals.types import PixKey
from gateway.values.ids import Id


class SavePixKey(Input):
    """Uma chave Pix a guardar para os saques.

    `POST /pix-keys`. A key that is saved already gets the new name.
    """

    name: Annotated[Name | None, EmptyToNone] = Field(None, description="Como a loja chama a chave.")
    pix_key_type: PixKeyType = Field(description="Tipo da chave.")
    pix_key: PixKey = Field(description="A chave Pix, com ou sem formatação.")


class WhichPixKey(Input):
    """One saved key."""

    id: IdText = Field(description="Identificador da chave guardada.")


class PixKeyView(View):
    """Uma chave Pix guardada para os saques."""

    id: Id = Field(description="Identificador da chave guardada (UUID).")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")
    name: str | None = Field(description="Como a loja chama a chave.")
    pix_key: str = Field(description="A chave, como os saques a usam.")
    pix_key_type: PixKeyType = Field(description="Tipo da chave.")
    created_at: datetime = Field(description="Quando foi guardada.")


PIX_KEY_COLUMNS = columns_of_view(PixKeyView, pix_keys)

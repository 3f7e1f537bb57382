"""What the API shows of an account's sessions."""

from datetime import datetime

from pydantic import Field

from gateway.resolvers.core.views import View
from gateway.values.ids import Id


class OpenSessionView(View):
    """Uma sessão aberta no painel.

    A session that somebody may still be working in. Its token is nowhere: it was told when it was made, and isn't kept.
    """

    id: Id = Field(description="Identificador da sessão (UUID).")
    current: bool = Field(description="Se é a sessão que pergunta.")
    ip: str | None = Field(description="Endereço de onde foi aberta.")
    user_agent: str | None = Field(description="Navegador ou programa que a abriu.")
    begun_at: datetime = Field(description="Quando foi aberta.")
    last_used_at: datetime = Field(description="Último uso, com precisão de um minuto.")

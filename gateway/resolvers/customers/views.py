"""What the API shows of a customer."""

from datetime import datetime

from pydantic import Field

from gateway.models.base import Environment
from gateway.models.customers import customers
from gateway.resolvers.core.views import View
from gateway.values.ids import Id


class CustomerView(View):
    """Um pagador guardado para reutilização."""

    id: Id = Field(description="Identificador do cliente (UUID).")
    user_id: Id = Field(description="Titular da loja dona do cadastro.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")
    name: str = Field(description="Nome.")
    email: str | None = Field(description="E-mail.")
    cpf: str | None = Field(description="CPF (11 dígitos) ou CNPJ (14 caracteres), sem formatação.")
    phone: str | None = Field(description="Telefone, só dígitos.")
    created_at: datetime = Field(description="Quando foi cadastrado.")
    updated_at: datetime = Field(description="Última mudança.")


CUSTOMER_COLUMNS = [customers.c[name] for name in CustomerView.model_fields]

"""Inputs and results of the customer operations."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from gateway.models.base import Environment
from gateway.models.customers import customers
from gateway.resolvers.core.inputs import DocumentNumber, Email, EmptyToNone, IdText, Input, Name, NeverNull, Phone
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.resolvers.core.views import View, columns_of_view
from gateway.values.ids import Id


class CustomerFields(Input):
    """The optional fields of a customer; empty or null stores nothing."""

    email: Annotated[Email | None, EmptyToNone] = Field(None, description="E-mail.")
    cpf: Annotated[DocumentNumber | None, EmptyToNone] = Field(None, description="CPF ou CNPJ, com ou sem formatação.")
    phone: Annotated[Phone | None, EmptyToNone] = Field(None, description="Telefone com DDD.")


class CreateCustomer(CustomerFields):
    """Um novo cliente.

    `POST /customers`.
    """

    name: Name = Field(description="Nome.")


class UpdateCustomer(CustomerFields):
    """Mudanças em um cliente: só os campos enviados mudam; nulo ou vazio limpa os opcionais.

    `PUT /customers/{id}`: only sent fields change; empty or null clears the optional ones.
    """

    id: IdText = Field(description="Identificador do cliente.")
    name: Annotated[Name | None, NeverNull] = Field(None, description="Nome.")


class WhichCustomer(Input):
    """One customer."""

    id: IdText = Field(description="Identificador do cliente.")


class CustomerOrder(StrEnum):
    """The orders of a list of customers; equals are ordered by id."""

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    updated_at_desc = "-updated_at"
    updated_at_asc = "updated_at"
    name_desc = "-name"
    name_asc = "name"


class CustomerFilter(Period):
    """Filtros de clientes; todos os enviados valem juntos."""

    email: Email | None = Field(None, description="Com este e-mail.")
    cpf: DocumentNumber | None = Field(None, description="Com este CPF ou CNPJ, com ou sem formatação.")


class ListCustomers(CustomerFilter, ListInput):
    """`GET /customers`: everything optional."""

    sort: CustomerOrder = Field(CustomerOrder.created_at_desc, description="Ordem; `-` na frente é decrescente.")


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


CUSTOMER_COLUMNS = columns_of_view(CustomerView, customers)

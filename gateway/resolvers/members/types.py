"""Inputs and results of the operations on members and stores."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field
from sqlalchemy import func

from gateway.models.accounts import ProductionStatus
from gateway.models.base import Environment
from gateway.models.members import MemberRole, members
from gateway.models.members import MemberStatus as StoredStatus
from gateway.resolvers.accounts.queries import person_name_of
from gateway.resolvers.core.actor import Role
from gateway.resolvers.core.inputs import Email, EmptyToNone, IdText, Input, Name, ShortText
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period
from gateway.resolvers.core.views import View, columns_of_view
from gateway.values.ids import Id


class MemberStatus(StrEnum):
    """The current status. An invitation that was not accepted in time is `expired`."""

    invited = StoredStatus.invited.value
    active = StoredStatus.active.value
    removed = StoredStatus.removed.value
    expired = "expired"


class MemberView(View):
    """Uma pessoa da equipe da loja: convidada, ativa ou removida. O titular não aparece aqui."""

    id: Id = Field(description="Identificador do membro (UUID).")
    store_id: Id = Field(description="A loja: o id do titular.")
    user_id: Id | None = Field(description="A conta da pessoa; nulo até o aceite.")
    name: str | None = Field(description="Nome da conta ou, até o aceite, o que o convite deu.")
    email: str = Field(description="E-mail do convite.")
    role: MemberRole = Field(description="Papel na loja.")
    status: MemberStatus = Field(description="Situação agora. Um convite vencido (`expired`) pode ser reenviado.")
    invited_by: Id = Field(description="Quem enviou o último convite.")
    invited_by_name: str = Field(description="O nome de quem o enviou.")
    invited_at: datetime = Field(description="Quando o último convite foi enviado.")
    expires_at: datetime = Field(description="Até quando ele pode ser aceito.")
    accepted_at: datetime | None = Field(description="Quando foi aceito.")
    last_access_at: datetime | None = Field(description="Último acesso à loja, com precisão de um minuto.")
    created_at: datetime = Field(description="Quando a pessoa foi convidada pela primeira vez.")

    def as_of(self, now: datetime) -> Self:
        """The member with its `status` at this time."""
        expired = self.status == StoredStatus.invited.value and self.expires_at <= now
        return self.replaced(status=MemberStatus.expired.value) if expired else self


class StoreView(View):
    """Uma loja em que a pessoa trabalha: a própria, ou a de outro titular."""

    id: Id = Field(description="Identificador da loja, para o cabeçalho `x-store`.")
    name: str = Field(description="Nome da loja.")
    role: Role = Field(description="O papel da pessoa nela: `owner` na própria.")
    production_status: ProductionStatus = Field(description="Situação da loja na liberação para produção.")
    accepted_at: datetime | None = Field(description="Desde quando participa; nulo na própria.")
    time_zone: str = Field(description="Fuso horário da loja (IANA), que o titular escolhe no perfil.")


class RefusedOperation(View):
    """Um campo que o papel de quem pergunta permite, mas que a loja ou o ambiente recusa agora."""

    operation: str = Field(description="O campo de `Query` ou `Mutation`.")
    codigo: str | None = Field(description="O código do erro com que ele responde, se tem um.")


class ViewerView(View):
    """Quem pergunta, na loja do cabeçalho `x-store`, e o que pode fazer nela agora."""

    store: StoreView = Field(description="A loja da requisição: a do cabeçalho `x-store`, ou a própria.")
    role: Role = Field(description="O papel nela. Uma chave de API tem o do titular.")
    environment: Environment = Field(description="Ambiente da credencial.")
    is_staff: bool = Field(description="Se tem aqui os direitos da equipe do serviço; na loja de outros, nunca.")
    lacks_second_factor: bool = Field(
        description="Se é da equipe do serviço, mas sem os direitos dela até ativar a verificação em duas etapas."
    )
    operations: list[str] = Field(
        description="Os campos de `Query` e `Mutation` que a credencial pode usar agora, em ordem alfabética."
    )
    refused: list[RefusedOperation] = Field(
        description="Os que o papel permite, mas a loja ou o ambiente recusa agora, em ordem alfabética."
    )


NAME = func.coalesce(person_name_of(members.c.user_id), members.c.name)
MEMBER_COLUMNS = columns_of_view(MemberView, members, name=NAME, invited_by_name=person_name_of(members.c.invited_by))


class InviteMember(Input):
    """Um convite para a equipe da loja."""

    email: Email = Field(description="E-mail da pessoa: o convite vai para ele, e só a conta deste e-mail o aceita.")
    role: MemberRole = Field(description="Papel na loja. Só o titular convida administradores.")
    name: Annotated[Name | None, EmptyToNone] = Field(None, description="Nome da pessoa, até que ela aceite.")


class UpdateMember(Input):
    """A mudança de papel de um membro ou de um convite em aberto."""

    id: IdText = Field(description="Identificador do membro.")
    role: MemberRole = Field(description="Papel novo. Só o titular faz ou altera administradores.")


class WhichMember(Input):
    """One member of the store, in any status."""

    id: IdText = Field(description="Identificador do membro.")


class AcceptInvitation(Input):
    """O aceite de um convite."""

    token: ShortText = Field(description="O código que veio no e-mail do convite.")


class MemberFilter(Period):
    """Filtros de membros; todos os enviados valem juntos."""

    status: MemberStatus | None = Field(None, description="`invited`, `active`, `removed` ou `expired`.")
    role: MemberRole | None = Field(None, description="Só os que têm este papel.")


class ListMembers(MemberFilter, ListInput):
    """`GET /members`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")

"""Inputs of members."""

from typing import Annotated

from pydantic import Field

from gateway.models.members import MemberRole
from gateway.resolvers.core.inputs import Email, IdText, Input, Name, NoneIfEmpty, ShortText
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period
from gateway.resolvers.members.views import MemberStatus


class InviteMember(Input):
    """Um convite para a equipe da loja."""

    email: Email = Field(description="E-mail da pessoa: o convite vai para ele, e só a conta deste e-mail o aceita.")
    role: MemberRole = Field(description="Papel na loja. Só o titular convida administradores.")
    name: Annotated[Name | None, NoneIfEmpty] = Field(None, description="Nome da pessoa, até que ela aceite.")


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

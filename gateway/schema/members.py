"""The people of a store over GraphQL. Which store: the header `x-store` of the HTTP request, for all its fields."""

from typing import Annotated

import strawberry

from gateway.models.members import MemberRole
from gateway.resolvers.core.actor import Credential, Role
from gateway.resolvers.core.listing.exports import Export
from gateway.resolvers.members import invitations, operations
from gateway.resolvers.members.types import (
    InviteMember,
    MemberFilter,
    MemberStatus,
    MemberView,
    RefusedOperation,
    StoreView,
    UpdateMember,
    ViewerView,
)
from gateway.schema.connections import export_field, list_field
from gateway.schema.context import Info
from gateway.schema.root_fields import operations_by_field
from gateway.schema.strawberry_types import define_enum, define_input, define_output

define_enum(
    MemberRole,
    "Papel de um membro na loja.",
    admin="Tudo, menos o que cabe só ao titular.",
    finance="Ler, sacar e exportar.",
    operator="Ler; cobranças, clientes, catálogo e assinaturas.",
    viewer="Ler.",
)
define_enum(
    MemberStatus,
    "Situação de um membro.",
    invited="O convite ainda não foi aceito.",
    active="Trabalha na loja.",
    removed="Foi removido da equipe.",
    expired="O convite venceu sem ser aceito; pode ser reenviado.",
)
define_enum(
    Role,
    "Papel de uma pessoa em uma loja: `owner` é o titular.",
    owner="O titular: tudo.",
    admin="Tudo, menos o que cabe só ao titular.",
    finance="Ler, sacar e exportar.",
    operator="Ler; cobranças, clientes, catálogo e assinaturas.",
    viewer="Ler.",
)
define_output(MemberView, "Member")
define_output(StoreView, "Store")
define_output(RefusedOperation, "RefusedOperation")
define_output(ViewerView, "Viewer")
define_input(InviteMember, "InviteMemberInput")
define_input(UpdateMember, "UpdateMemberInput")
define_input(MemberFilter, "MemberFilter")

Token = Annotated[str, strawberry.argument(description="O código que veio no e-mail do convite.")]


@strawberry.type
class MembersQuery:
    members = list_field(operations.list_members, MemberFilter, description="A equipe da loja, sem o titular.")

    @strawberry.field(description="Um membro da equipe da loja.")
    async def member(self, info: Info, id: strawberry.ID) -> MemberView:
        return await operations.read_member(info.context.call, {"id": id})

    @strawberry.field(description="As lojas em que a pessoa trabalha, a própria primeiro.")
    async def stores(self, info: Info) -> list[StoreView]:
        return (await operations.list_stores(info.context.call, {})).items

    @strawberry.field(description="Quem pergunta, na loja do cabeçalho `x-store`, e o que pode fazer nela agora.")
    async def viewer(self, info: Info) -> ViewerView:
        call = info.context.call
        found = await operations.read_viewer(call, {})
        permitted = frozenset(found.operations)
        codes = {each.operation: each.codigo for each in found.refused}
        # An export's field returns an address, which only a session gets; an API key exports over REST.
        in_panel = (await call.authenticator.actor()).credential is Credential.session
        names = {
            field: each.name
            for field, each in operations_by_field(info.schema).items()
            if in_panel or each.result_type is not Export
        }
        return found.replaced(
            operations=[field for field, name in names.items() if name in permitted],
            refused=[
                RefusedOperation(operation=field, codigo=codes[name]) for field, name in names.items() if name in codes
            ],
        )


@strawberry.type
class MembersMutation:
    @strawberry.mutation(description="Convida alguém para a equipe, por e-mail.")
    async def invite_member(self, info: Info, input: InviteMember) -> MemberView:
        return await invitations.invite_member(info.context.call, input)

    @strawberry.mutation(description="Reenvia um convite, com um código novo.")
    async def resend_invitation(self, info: Info, id: strawberry.ID) -> MemberView:
        return await invitations.resend_invitation(info.context.call, {"id": id})

    @strawberry.mutation(description="Aceita um convite, pela conta convidada.")
    async def accept_invitation(self, info: Info, token: Token) -> MemberView:
        return await invitations.accept_invitation(info.context.call, {"token": token})

    @strawberry.mutation(description="Muda o papel de um membro; vale já na próxima requisição.")
    async def update_member(self, info: Info, input: UpdateMember) -> MemberView:
        return await operations.update_member(info.context.call, input)

    @strawberry.mutation(description="Remove um membro ou retira um convite; vale já na próxima requisição.")
    async def remove_member(self, info: Info, id: strawberry.ID) -> MemberView:
        return await operations.remove_member(info.context.call, {"id": id})

    export_members = export_field(operations.export_members, MemberFilter, description="Exporta a equipe da loja.")

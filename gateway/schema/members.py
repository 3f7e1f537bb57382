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
from gateway.schema.fields import mutation_field, query_field
from gateway.schema.root_fields import operations_by_field
from gateway.schema.strawberry_types import define_enum, define_inputs, define_outputs

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
define_outputs(MemberView, StoreView, RefusedOperation, ViewerView)
define_inputs(InviteMember, UpdateMember, MemberFilter)

Token = Annotated[str, strawberry.argument(description="O código que veio no e-mail do convite.")]


@strawberry.type
class MembersQuery:
    members = list_field(operations.list_members, MemberFilter, "A equipe da loja, sem o titular.")
    member = query_field(operations.read_member, "Um membro da equipe da loja.", id=strawberry.ID)
    stores = query_field(operations.list_stores, "As lojas em que a pessoa trabalha, a própria primeiro.")

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
    invite_member = mutation_field(
        invitations.invite_member, "Convida alguém para a equipe, por e-mail.", input=InviteMember
    )
    resend_invitation = mutation_field(
        invitations.resend_invitation, "Reenvia um convite, com um código novo.", id=strawberry.ID
    )
    accept_invitation = mutation_field(
        invitations.accept_invitation, "Aceita um convite, pela conta convidada.", token=Token
    )
    update_member = mutation_field(
        operations.update_member, "Muda o papel de um membro; vale já na próxima requisição.", input=UpdateMember
    )
    remove_member = mutation_field(
        operations.remove_member,
        "Remove um membro ou retira um convite; vale já na próxima requisição.",
        id=strawberry.ID,
    )
    export_members = export_field(operations.export_members, MemberFilter, "Exporta a equipe da loja.")

"""The roadmap board over GraphQL."""

from typing import Annotated

import strawberry

from gateway.models.roadmap import RoadmapStatus
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.listing.inputs import ByCreation
from gateway.resolvers.roadmap import items, votes_and_comments
from gateway.resolvers.roadmap.types import (
    CreateRoadmapItem,
    RoadmapCommentFilter,
    RoadmapCommentView,
    RoadmapFilter,
    RoadmapItemView,
    RoadmapOrder,
    RoadmapVoteView,
    UpdateRoadmapItem,
)
from gateway.schema.connections import (
    FILTER,
    ORDER,
    After,
    Before,
    Connection,
    First,
    Last,
    connection,
    list_field,
    list_input,
)
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output

define_enum(
    RoadmapStatus,
    "Situação de um item do roadmap.",
    under_review="Em análise.",
    planned="Planejado.",
    in_progress="Em andamento.",
    done="Pronto.",
    declined="Não será feito.",
)
define_enum(RoadmapOrder, "Ordem dos itens do roadmap.")
define_output(RoadmapItemView, "RoadmapItem")
define_output(RoadmapVoteView, "RoadmapVote")
define_output(RoadmapCommentView, "RoadmapComment")
define_input(RoadmapFilter, "RoadmapFilter")
define_input(RoadmapCommentFilter, "RoadmapCommentFilter")
define_input(CreateRoadmapItem, "CreateRoadmapItemInput")
define_input(UpdateRoadmapItem, "UpdateRoadmapItemInput")

CommentId = Annotated[strawberry.ID, strawberry.argument(description="O comentário.")]
Body = Annotated[str, strawberry.argument(description="O comentário, de 1 a 2000 caracteres.")]


@strawberry.type
class RoadmapQuery:
    roadmap = list_field(items.list_roadmap, RoadmapFilter, description="Os itens do roadmap, os mesmos para todos.")

    @strawberry.field(description="Um item do roadmap.")
    async def roadmap_item(self, info: Info, id: strawberry.ID) -> RoadmapItemView:
        return await items.read_roadmap_item(info.context.call, {"id": id})

    @strawberry.field(description="Os comentários de um item do roadmap.")
    async def roadmap_comments(
        self,
        info: Info,
        id: strawberry.ID,
        first: First = None,
        after: After = None,
        last: Last = None,
        before: Before = None,
        filter: Annotated[RoadmapCommentFilter | None, FILTER] = None,
        order: Annotated[ByCreation, ORDER] = ByCreation.created_at_desc,
    ) -> Connection[RoadmapCommentView]:
        request = list_input(info, first=first, after=after, last=last, before=before, filter=filter, order=order)
        async with info.context.list_slots:
            return connection(await votes_and_comments.list_roadmap_comments(info.context.call, request | {"id": id}))


@strawberry.type
class RoadmapMutation:
    @strawberry.mutation(description="Vota em um item do roadmap, ou retira o voto.")
    async def vote_for_roadmap_item(self, info: Info, id: strawberry.ID) -> RoadmapVoteView:
        return await votes_and_comments.vote_for_roadmap_item(info.context.call, {"id": id})

    @strawberry.mutation(description="Comenta um item do roadmap.")
    async def comment_on_roadmap_item(self, info: Info, id: strawberry.ID, body: Body) -> RoadmapCommentView:
        return await votes_and_comments.comment_on_roadmap_item(info.context.call, {"id": id, "body": body})

    @strawberry.mutation(description="Cria um item do roadmap; da equipe do serviço.")
    async def create_roadmap_item(self, info: Info, input: CreateRoadmapItem) -> RoadmapItemView:
        return await items.create_roadmap_item(info.context.call, input)

    @strawberry.mutation(description="Altera os campos enviados de um item do roadmap; da equipe do serviço.")
    async def update_roadmap_item(self, info: Info, input: UpdateRoadmapItem) -> RoadmapItemView:
        return await items.update_roadmap_item(info.context.call, input)

    @strawberry.mutation(description="Exclui um item do roadmap com seus votos e comentários; da equipe do serviço.")
    async def delete_roadmap_item(self, info: Info, id: strawberry.ID) -> Deleted:
        return await items.delete_roadmap_item(info.context.call, {"id": id})

    @strawberry.mutation(description="Exclui um comentário do roadmap; da equipe do serviço.")
    async def delete_roadmap_comment(self, info: Info, id: strawberry.ID, comment_id: CommentId) -> Deleted:
        return await votes_and_comments.delete_roadmap_comment(info.context.call, {"id": id, "comment_id": comment_id})

"""The roadmap board over GraphQL."""

from typing import Annotated

import strawberry

from gateway.models.roadmap import RoadmapStatus
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
from gateway.schema.connections import list_field
from gateway.schema.fields import mutation_field, query_field
from gateway.schema.strawberry_types import define_enum, define_inputs, define_outputs

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
define_outputs(RoadmapItemView, RoadmapVoteView, RoadmapCommentView)
define_inputs(RoadmapFilter, RoadmapCommentFilter, CreateRoadmapItem, UpdateRoadmapItem)

CommentId = Annotated[strawberry.ID, strawberry.argument(description="O comentário.")]
Body = Annotated[str, strawberry.argument(description="O comentário, de 1 a 2000 caracteres.")]


@strawberry.type
class RoadmapQuery:
    roadmap = list_field(items.list_roadmap, RoadmapFilter, "Os itens do roadmap, os mesmos para todos.")
    roadmap_item = query_field(items.read_roadmap_item, "Um item do roadmap.", id=strawberry.ID)
    roadmap_comments = list_field(
        votes_and_comments.list_roadmap_comments,
        RoadmapCommentFilter,
        "Os comentários de um item do roadmap.",
        id=strawberry.ID,
    )


@strawberry.type
class RoadmapMutation:
    vote_for_roadmap_item = mutation_field(
        votes_and_comments.vote_for_roadmap_item, "Vota em um item do roadmap, ou retira o voto.", id=strawberry.ID
    )
    comment_on_roadmap_item = mutation_field(
        votes_and_comments.comment_on_roadmap_item, "Comenta um item do roadmap.", id=strawberry.ID, body=Body
    )
    create_roadmap_item = mutation_field(
        items.create_roadmap_item, "Cria um item do roadmap; da equipe do serviço.", input=CreateRoadmapItem
    )
    update_roadmap_item = mutation_field(
        items.update_roadmap_item,
        "Altera os campos enviados de um item do roadmap; da equipe do serviço.",
        input=UpdateRoadmapItem,
    )
    delete_roadmap_item = mutation_field(
        items.delete_roadmap_item,
        "Exclui um item do roadmap com seus votos e comentários; da equipe do serviço.",
        id=strawberry.ID,
    )
    delete_roadmap_comment = mutation_field(
        votes_and_comments.delete_roadmap_comment,
        "Exclui um comentário do roadmap; da equipe do serviço.",
        id=strawberry.ID,
        comment_id=CommentId,
    )

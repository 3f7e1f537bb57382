"""Inputs and results of the roadmap operations."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints
from sqlalchemy import bindparam, exists

from gateway.models.roadmap import RoadmapStatus, roadmap_comments, roadmap_items, roadmap_votes
from gateway.resolvers.core.inputs import EmptyToNone, IdText, Input, LongText, Name, NeverNull, line
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period
from gateway.resolvers.core.views import View, columns_of_view
from gateway.values.ids import Id

MISSING = "Item do roadmap não encontrado."
MISSING_COMMENT = "Comentário não encontrado."
Category: Any = line(60)
CommentBody = Annotated[LongText, StringConstraints(min_length=1)]


class RoadmapItemFields(Input):
    """The optional fields of an item; empty or null clears."""

    description: Annotated[LongText | None, EmptyToNone] = Field(None, description="Descrição, até 2000 caracteres.")
    category: Annotated[Category | None, EmptyToNone] = Field(None, description="Categoria, até 60 caracteres.")


class CreateRoadmapItem(RoadmapItemFields):
    """Um novo item do roadmap."""

    title: Name = Field(description="Título, até 120 caracteres.")
    status: RoadmapStatus = Field(RoadmapStatus.under_review, description="Situação.")


class WhichRoadmapItem(Input):
    """One item of the board."""

    id: IdText = Field(description="Identificador do item.")


class UpdateRoadmapItem(RoadmapItemFields):
    """Mudanças em um item do roadmap: só os campos enviados mudam; nulo ou vazio limpa os opcionais."""

    id: IdText = Field(description="Identificador do item.")
    title: Annotated[Name | None, NeverNull] = Field(None, description="Título, até 120 caracteres.")
    status: Annotated[RoadmapStatus | None, NeverNull] = Field(None, description="Situação.")


class CommentOnRoadmapItem(WhichRoadmapItem):
    """`POST /roadmap/{id}/comments`."""

    body: CommentBody = Field(description="O comentário, de 1 a 2000 caracteres.")


class WhichRoadmapComment(WhichRoadmapItem):
    """One comment on one item."""

    unknown: ClassVar[Mapping[str, str]] = {**Input.unknown, "comment_id": MISSING_COMMENT}

    comment_id: IdText = Field(description="Identificador do comentário.")


class RoadmapOrder(StrEnum):
    """The orders of the board; ties are ordered by id."""

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    updated_at_desc = "-updated_at"
    updated_at_asc = "updated_at"
    votes_count_desc = "-votes_count"
    votes_count_asc = "votes_count"
    comments_count_desc = "-comments_count"
    comments_count_asc = "comments_count"


class RoadmapFilter(Period):
    """Filtros do roadmap; todos os enviados valem juntos."""

    status: RoadmapStatus | None = Field(None, description="Só os itens nesta situação.")
    category: Category | None = Field(None, description="Só os itens desta categoria.")


class ListRoadmap(RoadmapFilter, ListInput):
    """`GET /roadmap`: everything optional."""

    sort: RoadmapOrder = Field(
        RoadmapOrder.created_at_desc, description="Ordem; `-` na frente é decrescente. `-votes_count`: os mais votados."
    )


class RoadmapCommentFilter(Period):
    """Filtros dos comentários de um item; todos os enviados valem juntos."""


class ListRoadmapComments(RoadmapCommentFilter, ListInput):
    """`GET /roadmap/{id}/comments`: everything optional but the item."""

    id: IdText = Field(description="Identificador do item.")
    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class RoadmapItemView(View):
    """Um item do roadmap, com os seus votos e comentários contados."""

    id: Id = Field(description="Identificador do item (UUID).")
    title: str = Field(description="Título.")
    description: str | None = Field(description="Descrição.")
    category: str | None = Field(description="Categoria.")
    status: RoadmapStatus = Field(description="Situação.")
    votes_count: int = Field(description="Quantas pessoas votaram.")
    comments_count: int = Field(description="Quantos comentários há.")
    voted: bool = Field(description="Se o titular da credencial votou.")
    created_at: datetime = Field(description="Quando foi criado.")
    updated_at: datetime = Field(description="Última mudança do item; votos e comentários não contam.")


class RoadmapVoteView(View):
    """O voto em um item, como ficou."""

    id: Id = Field(description="Identificador do item.")
    voted: bool = Field(description="Se o voto está dado: cada chamada o dá ou o retira.")
    votes_count: int = Field(description="Quantas pessoas votaram.")


class RoadmapCommentView(View):
    """Um comentário em um item do roadmap."""

    id: Id = Field(description="Identificador do comentário (UUID).")
    item_id: Id = Field(description="O item comentado.")
    author_name: str = Field(description="Nome de quem comentou.")
    is_staff: bool = Field(description="Se quem comentou é da equipe do serviço.")
    body: str = Field(description="O comentário.")
    created_at: datetime = Field(description="Quando foi escrito.")


_voted = exists().where(
    roadmap_votes.c.item_id == roadmap_items.c.id,
    roadmap_votes.c.user_id == bindparam("voter"),
)
ITEM_COLUMNS = [
    _voted.label("voted") if name == "voted" else roadmap_items.c[name] for name in RoadmapItemView.model_fields
]
"""They bind `voter`, the account that `voted` is about."""
COMMENT_COLUMNS = columns_of_view(RoadmapCommentView, roadmap_comments)

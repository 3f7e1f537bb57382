"""Inputs of the roadmap."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints

from gateway.models.roadmap import RoadmapStatus
from gateway.resolvers.core.inputs import IdText, Input, LongText, Name, NeverNull, NoneIfEmpty, line
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period

MISSING = "Item do roadmap não encontrado."
MISSING_COMMENT = "Comentário não encontrado."
Category: Any = line(60)
CommentBody = Annotated[LongText, StringConstraints(min_length=1)]


class RoadmapItemFields(Input):
    """The optional fields of an item; empty or null clears."""

    description: Annotated[LongText | None, NoneIfEmpty] = Field(None, description="Descrição, até 2000 caracteres.")
    category: Annotated[Category | None, NoneIfEmpty] = Field(None, description="Categoria, até 60 caracteres.")


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

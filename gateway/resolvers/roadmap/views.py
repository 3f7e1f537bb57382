"""What the API shows of the roadmap."""

from datetime import datetime

from pydantic import Field
from sqlalchemy import bindparam, exists

from gateway.models.roadmap import RoadmapStatus, roadmap_comments, roadmap_items, roadmap_votes
from gateway.resolvers.core.views import View
from gateway.values.ids import Id


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
    roadmap_votes.c.user_id == bindparam("voter", type_=roadmap_votes.c.user_id.type),
)
ITEM_COLUMNS = [
    _voted.label("voted") if name == "voted" else roadmap_items.c[name] for name in RoadmapItemView.model_fields
]
"""They bind `voter`, the account that `voted` is about."""
COMMENT_COLUMNS = [roadmap_comments.c[name] for name in RoadmapCommentView.model_fields]

"""the panel: roadmap board, onboarding answers, external identities"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0014'
down_revision = '0013'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('external_identities',
    sa.Column('provider', sa.Text(), nullable=False),
    sa.Column('provider_uid', sa.Text(), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('email', sa.Text(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("provider in ('google')", name=op.f('ck_external_identities_provider')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_external_identities_user_id')),
    sa.PrimaryKeyConstraint('provider', 'provider_uid', name=op.f('pk_external_identities')),
    sa.UniqueConstraint('user_id', 'provider', name='uq_external_identities_user_id')
    )
    op.create_table('onboarding_answers',
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('answers', postgresql.JSONB(astext_type=sa.Text()), server_default='{}', nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_onboarding_answers_user_id')),
    sa.PrimaryKeyConstraint('user_id', name=op.f('pk_onboarding_answers'))
    )
    op.create_table('roadmap_items',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('title', sa.Text(), nullable=False),
    sa.Column('description', sa.Text(), nullable=True),
    sa.Column('category', sa.Text(), nullable=True),
    sa.Column('status', sa.Text(), server_default='under_review', nullable=False),
    sa.Column('votes_count', sa.BigInteger(), server_default='0', nullable=False),
    sa.Column('comments_count', sa.BigInteger(), server_default='0', nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("status in ('under_review', 'planned', 'in_progress', 'done', 'declined')", name=op.f('ck_roadmap_items_status')),
    sa.CheckConstraint('votes_count >= 0', name=op.f('ck_roadmap_items_votes_count')),
    sa.CheckConstraint('comments_count >= 0', name=op.f('ck_roadmap_items_comments_count')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_roadmap_items'))
    )
    op.create_table('roadmap_comments',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('item_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('author_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('author_name', sa.Text(), nullable=False),
    sa.Column('is_staff', sa.Boolean(), nullable=False),
    sa.Column('body', sa.Text(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['author_id'], ['users.id'], name=op.f('fk_roadmap_comments_author_id')),
    sa.ForeignKeyConstraint(['item_id'], ['roadmap_items.id'], name=op.f('fk_roadmap_comments_item_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_roadmap_comments'))
    )
    op.create_index('ix_roadmap_comments_item_id', 'roadmap_comments', ['item_id', 'created_at', 'id'], unique=False)
    op.create_table('roadmap_votes',
    sa.Column('item_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['item_id'], ['roadmap_items.id'], name=op.f('fk_roadmap_votes_item_id')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_roadmap_votes_user_id')),
    sa.PrimaryKeyConstraint('item_id', 'user_id', name=op.f('pk_roadmap_votes'))
    )


def downgrade() -> None:
    op.drop_table('roadmap_votes')
    op.drop_index('ix_roadmap_comments_item_id', table_name='roadmap_comments')
    op.drop_table('roadmap_comments')
    op.drop_table('roadmap_items')
    op.drop_table('onboarding_answers')
    op.drop_table('external_identities')

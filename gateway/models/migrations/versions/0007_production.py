"""production approval: documents, moves and the archive's strays"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('archive_strays',
    sa.Column('object_key', sa.Text(), nullable=False),
    sa.Column('writing', sa.Boolean(), nullable=False),
    sa.Column('delete_after', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('object_key', name=op.f('pk_archive_strays'))
    )
    op.create_index('ix_archive_strays_delete_after', 'archive_strays', ['delete_after'], unique=False)
    op.create_table('production_documents',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('type', sa.Text(), nullable=False),
    sa.Column('file_name', sa.Text(), nullable=False),
    sa.Column('content_type', sa.Text(), nullable=False),
    sa.Column('size', sa.Integer(), nullable=False),
    sa.Column('sha256', sa.Text(), nullable=False),
    sa.Column('object_key', sa.Text(), nullable=False),
    sa.Column('file_key', sa.LargeBinary(), nullable=False),
    sa.Column('uploaded_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("type in ('company_registration', 'responsible_document', 'proof_of_address')", name=op.f('ck_production_documents_type')),
    sa.CheckConstraint("content_type in ('application/pdf', 'image/jpeg', 'image/png')", name=op.f('ck_production_documents_content_type')),
    sa.CheckConstraint('size > 0', name=op.f('ck_production_documents_size')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_production_documents_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_production_documents')),
    sa.UniqueConstraint('user_id', 'type', name='uq_production_documents_user_id')
    )
    op.create_table('production_moves',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('from_status', sa.Text(), nullable=False),
    sa.Column('to_status', sa.Text(), nullable=False),
    sa.Column('reason', sa.Text(), nullable=True),
    sa.Column('submitted', postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
    sa.Column('actor_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('actor_name', sa.Text(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("from_status in ('sandbox', 'pending', 'approved', 'rejected', 'suspended')", name=op.f('ck_production_moves_from_status')),
    sa.CheckConstraint("to_status in ('sandbox', 'pending', 'approved', 'rejected', 'suspended')", name=op.f('ck_production_moves_to_status')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_production_moves_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_production_moves'))
    )
    op.create_index('ix_production_moves_user_id', 'production_moves', ['user_id', 'created_at', 'id'], unique=False)
    op.create_index('ix_users_pending', 'users', ['production_requested_at', 'id'], unique=False, postgresql_where=sa.text("production_status = 'pending'"))


def downgrade() -> None:
    op.drop_index('ix_users_pending', table_name='users', postgresql_where=sa.text("production_status = 'pending'"))
    op.drop_index('ix_production_moves_user_id', table_name='production_moves')
    op.drop_table('production_moves')
    op.drop_table('production_documents')
    op.drop_index('ix_archive_strays_delete_after', table_name='archive_strays')
    op.drop_table('archive_strays')

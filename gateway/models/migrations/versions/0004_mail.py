"""mails"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0004'
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('mails',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=True),
    sa.Column('recipient', sa.Text(), nullable=False),
    sa.Column('recipient_name', sa.Text(), nullable=True),
    sa.Column('facts', postgresql.JSONB(astext_type=sa.Text()), server_default='{}', nullable=False),
    sa.Column('dedupe_key', sa.Text(), nullable=False),
    sa.Column('state', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('failures', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('next_attempt_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('lease_token', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('lease_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('handed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('reply', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('finished_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_mails_environment')),
    sa.CheckConstraint("kind in ('payer_receipt', 'merchant_notice', 'webhook_endpoint_disabled', 'webhook_endpoint_gone', 'webhook_endpoint_failing', 'webhook_deliveries_exhausted', 'invitation', 'production_approved', 'production_refused', 'production_suspended')", name=op.f('ck_mails_kind')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_mails_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_mails')),
    sa.UniqueConstraint('dedupe_key', name='uq_mails_dedupe_key')
    )
    op.create_index('ix_mails_waiting', 'mails', ['next_attempt_at'], unique=False, postgresql_where=sa.text('state = 0 and handed_at is null'))
    op.create_index('ix_mails_handed', 'mails', ['lease_until'], unique=False, postgresql_where=sa.text('state = 0 and handed_at is not null'))


def downgrade() -> None:
    op.drop_table('mails')

"""resetting a password by mail, and the mails about passwords"""

import sqlalchemy as sa
from alembic import op
revision = '0038'
down_revision = '0037'
branch_labels = None
depends_on = None

KINDS = (
    'payer_receipt', 'merchant_notice', 'webhook_endpoint_disabled', 'webhook_endpoint_gone', 'webhook_endpoint_failing',
    'webhook_deliveries_exhausted', 'invitation', 'production_approved', 'production_refused', 'production_suspended',
    'withdrawal_requested', 'withdrawal_rejected',
)
MORE = ('password_reset', 'password_changed')


def _allow(kinds: tuple[str, ...]) -> None:
    op.drop_constraint(op.f('ck_mails_kind'), 'mails', type_='check')
    listed = ', '.join(f"'{kind}'" for kind in kinds)
    op.create_check_constraint(op.f('ck_mails_kind'), 'mails', f'kind in ({listed})')


def upgrade() -> None:
    op.create_table('password_resets',
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_password_resets_user_id')),
    sa.PrimaryKeyConstraint('token_hash', name=op.f('pk_password_resets'))
    )
    op.create_index('ix_password_resets_user_id', 'password_resets', ['user_id'], unique=False)
    _allow((*KINDS, *MORE))


def downgrade() -> None:
    op.execute("delete from mails where kind in ('password_reset', 'password_changed')")
    _allow(KINDS)
    op.drop_table('password_resets')

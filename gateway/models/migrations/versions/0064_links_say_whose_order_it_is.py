"""payment links: the merchant's reference and metadata, passed on to their charges; mails that a store sends about a charge"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0064'
down_revision = '0063'
branch_labels = None
depends_on = None

KINDS = (
    'payer_receipt', 'merchant_notice', 'webhook_endpoint_disabled', 'webhook_endpoint_gone', 'webhook_endpoint_failing',
    'webhook_deliveries_exhausted', 'invitation', 'production_approved', 'production_refused', 'production_suspended',
    'withdrawal_requested', 'withdrawal_rejected', 'password_reset', 'password_changed', 'two_factor_changed',
)


def _allow(kinds: tuple[str, ...]) -> None:
    op.drop_constraint(op.f('ck_mails_kind'), 'mails', type_='check')
    listed = ', '.join(f"'{kind}'" for kind in kinds)
    op.create_check_constraint(op.f('ck_mails_kind'), 'mails', f'kind in ({listed})')


def upgrade() -> None:
    op.add_column('payment_links', sa.Column('external_reference', sa.Text(), nullable=True))
    op.add_column('payment_links', sa.Column('metadata', postgresql.JSONB(astext_type=sa.Text()), server_default='{}', nullable=False))
    op.create_index('ix_payment_links_reference', 'payment_links', ['user_id', 'environment', 'external_reference'], unique=False,
                    postgresql_where=sa.text('external_reference is not null'))
    op.add_column('charges', sa.Column('link_reference', sa.Text(), nullable=True))
    op.create_table('charge_sends',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('charge_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('recipient', sa.Text(), nullable=False),
    sa.Column('sent_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_charge_sends'))
    )
    op.create_index('ix_charge_sends_charge', 'charge_sends', ['charge_id', 'sent_at'], unique=False)
    op.create_index('ix_charge_sends_recipient', 'charge_sends', ['user_id', 'recipient', 'sent_at'], unique=False)
    _allow((*KINDS, 'payment_request'))


def downgrade() -> None:
    op.execute("delete from mails where kind = 'payment_request'")
    _allow(KINDS)
    op.drop_table('charge_sends')
    op.drop_column('charges', 'link_reference')
    op.drop_index('ix_payment_links_reference', table_name='payment_links')
    op.drop_column('payment_links', 'metadata')
    op.drop_column('payment_links', 'external_reference')

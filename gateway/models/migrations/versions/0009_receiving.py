"""merchants' receiving accounts, and which of them a charge is on"""

import sqlalchemy as sa
from alembic import op
revision = '0009'
down_revision = '0008'
branch_labels = None
depends_on = None

TRACKS = "('PENDING', 'AWAITING_APPROVAL', 'APPROVED', 'REJECTED')"


def upgrade() -> None:
    op.create_table('receiving_accounts',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('engine', sa.Text(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.Column('attempts', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('account_id', sa.Text(), nullable=True),
    sa.Column('wallet_id', sa.Text(), nullable=True),
    sa.Column('secret', sa.LargeBinary(), nullable=True),
    sa.Column('company_name', sa.Text(), nullable=False),
    sa.Column('email', sa.Text(), nullable=False),
    sa.Column('cnpj', sa.Text(), nullable=False),
    sa.Column('phone', sa.Text(), nullable=False),
    sa.Column('monthly_revenue', sa.BigInteger(), nullable=False),
    sa.Column('address', sa.Text(), nullable=False),
    sa.Column('address_number', sa.Text(), nullable=False),
    sa.Column('complement', sa.Text(), nullable=True),
    sa.Column('province', sa.Text(), nullable=False),
    sa.Column('postal_code', sa.Text(), nullable=False),
    sa.Column('company_type', sa.Text(), nullable=True),
    sa.Column('site', sa.Text(), nullable=True),
    sa.Column('webhook_registered', sa.Boolean(), server_default='false', nullable=False),
    sa.Column('general', sa.Text(), nullable=True),
    sa.Column('commercial', sa.Text(), nullable=True),
    sa.Column('bank', sa.Text(), nullable=True),
    sa.Column('documents', sa.Text(), nullable=True),
    sa.Column('documents_link', sa.Text(), nullable=True),
    sa.Column('rejection', sa.Text(), nullable=True),
    sa.Column('checked_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('look_after', sa.DateTime(timezone=True), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_receiving_accounts_environment')),
    sa.CheckConstraint("state in ('opening', 'open', 'lost')", name=op.f('ck_receiving_accounts_state')),
    sa.CheckConstraint("company_type in ('MEI', 'LIMITED', 'INDIVIDUAL', 'ASSOCIATION')", name=op.f('ck_receiving_accounts_company_type')),
    sa.CheckConstraint(f'general in {TRACKS}', name=op.f('ck_receiving_accounts_general')),
    sa.CheckConstraint(f'commercial in {TRACKS}', name=op.f('ck_receiving_accounts_commercial')),
    sa.CheckConstraint(f'bank in {TRACKS}', name=op.f('ck_receiving_accounts_bank')),
    sa.CheckConstraint(f'documents in {TRACKS}', name=op.f('ck_receiving_accounts_documents')),
    sa.CheckConstraint('monthly_revenue >= 0', name=op.f('ck_receiving_accounts_monthly_revenue')),
    sa.CheckConstraint("(state = 'open') = (secret is not null)", name=op.f('ck_receiving_accounts_secret')),
    sa.CheckConstraint("state = 'opening' or account_id is not null", name=op.f('ck_receiving_accounts_account_id')),
    sa.CheckConstraint('(checked_at is null) = (general is null)', name=op.f('ck_receiving_accounts_checked_at')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_receiving_accounts_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_receiving_accounts')),
    sa.UniqueConstraint('user_id', 'environment', 'engine', name='uq_receiving_accounts_user_id')
    )
    op.create_index('ix_receiving_accounts_look_after', 'receiving_accounts', ['look_after'], unique=False)
    op.create_index('uq_receiving_accounts_account_id', 'receiving_accounts', ['account_id', 'environment', 'engine'], unique=True, postgresql_where=sa.text("state = 'open'"))
    op.add_column('charges', sa.Column('receiving_account_id', sa.Uuid(as_uuid=False), nullable=True))
    op.add_column('issuances', sa.Column('receiving_account_id', sa.Uuid(as_uuid=False), nullable=True))
    op.add_column('issuances', sa.Column('fee_amount', sa.BigInteger(), server_default='0', nullable=False))


def downgrade() -> None:
    op.drop_column('issuances', 'fee_amount')
    op.drop_column('issuances', 'receiving_account_id')
    op.drop_column('charges', 'receiving_account_id')
    op.drop_index('uq_receiving_accounts_account_id', table_name='receiving_accounts', postgresql_where=sa.text("state = 'open'"))
    op.drop_index('ix_receiving_accounts_look_after', table_name='receiving_accounts')
    op.drop_table('receiving_accounts')

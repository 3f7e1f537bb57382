"""accounts and transfers at engines, and the payers they know"""

import sqlalchemy as sa
from alembic import op
revision = '0006'
down_revision = "0005"
branch_labels = None
depends_on = None

TRACKS = "('PENDING', 'AWAITING_APPROVAL', 'APPROVED', 'REJECTED')"


def upgrade() -> None:
    op.create_table('engine_payers',
    sa.Column('engine', sa.Text(), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('account_id', sa.Text(), nullable=False),
    sa.Column('document', sa.Text(), nullable=False),
    sa.Column('payer_id', sa.Text(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_engine_payers_environment')),
    sa.PrimaryKeyConstraint('engine', 'environment', 'account_id', 'document', name=op.f('pk_engine_payers'))
    )
    op.create_table('simulator_accounts',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('document', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('wallet_id', sa.Text(), nullable=False),
    sa.Column('secret_hash', sa.LargeBinary(), nullable=False),
    sa.Column('general', sa.Text(), server_default='PENDING', nullable=False),
    sa.Column('commercial', sa.Text(), server_default='AWAITING_APPROVAL', nullable=False),
    sa.Column('bank', sa.Text(), server_default='PENDING', nullable=False),
    sa.Column('documents', sa.Text(), server_default='PENDING', nullable=False),
    sa.Column('rejection', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_simulator_accounts_environment')),
    sa.CheckConstraint(f'general in {TRACKS}', name=op.f('ck_simulator_accounts_general')),
    sa.CheckConstraint(f'commercial in {TRACKS}', name=op.f('ck_simulator_accounts_commercial')),
    sa.CheckConstraint(f'bank in {TRACKS}', name=op.f('ck_simulator_accounts_bank')),
    sa.CheckConstraint(f'documents in {TRACKS}', name=op.f('ck_simulator_accounts_documents')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_simulator_accounts')),
    sa.UniqueConstraint('environment', 'document', name='uq_simulator_accounts_document')
    )
    op.create_table('simulator_transfers',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('account_id', sa.Text(), nullable=True),
    sa.Column('external_reference', sa.Text(), nullable=False),
    sa.Column('amount', sa.BigInteger(), nullable=False),
    sa.Column('pix_key', sa.Text(), nullable=False),
    sa.Column('pix_key_type', sa.Text(), nullable=False),
    sa.Column('status', sa.Text(), server_default='pending', nullable=False),
    sa.Column('fail_reason', sa.Text(), nullable=True),
    sa.Column('end_to_end_id', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint('amount > 0', name=op.f('ck_simulator_transfers_amount')),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_simulator_transfers_environment')),
    sa.CheckConstraint("pix_key_type in ('cpf', 'cnpj', 'email', 'phone', 'random')", name=op.f('ck_simulator_transfers_pix_key_type')),
    sa.CheckConstraint("status in ('pending', 'done', 'failed')", name=op.f('ck_simulator_transfers_status')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_simulator_transfers'))
    )
    op.create_index('ix_simulator_transfers_external_reference', 'simulator_transfers', ['environment', 'external_reference'], unique=False)
    op.add_column('simulator_charges', sa.Column('account_id', sa.Text(), nullable=True))
    op.add_column('simulator_charges', sa.Column('fee', sa.BigInteger(), server_default='0', nullable=False))
    op.create_check_constraint(op.f('ck_simulator_charges_fee'), 'simulator_charges', 'fee >= 0')


def downgrade() -> None:
    op.drop_constraint(op.f('ck_simulator_charges_fee'), 'simulator_charges', type_='check')
    op.drop_column('simulator_charges', 'fee')
    op.drop_column('simulator_charges', 'account_id')
    op.drop_index('ix_simulator_transfers_external_reference', table_name='simulator_transfers')
    op.drop_table('simulator_transfers')
    op.drop_table('simulator_accounts')
    op.drop_table('engine_payers')

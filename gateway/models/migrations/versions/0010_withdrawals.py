"""withdrawals, what stores have received as sums, and repayments"""

import sqlalchemy as sa
from alembic import op
revision = '0010'
down_revision = '0009'
branch_labels = None
depends_on = None

# Entries come with every payment and go within seconds, all of them.
BUSY = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 1'


def upgrade() -> None:
    op.create_table('withdrawals',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('status', sa.Text(), server_default='pending', nullable=False),
    sa.Column('amount', sa.BigInteger(), nullable=False),
    sa.Column('fee_amount', sa.BigInteger(), server_default='0', nullable=False),
    sa.Column('pix_key', sa.Text(), nullable=False),
    sa.Column('pix_key_type', sa.Text(), nullable=False),
    sa.Column('description', sa.Text(), nullable=True),
    sa.Column('external_reference', sa.Text(), nullable=True),
    sa.Column('reject_reason', sa.Text(), nullable=True),
    sa.Column('end_to_end_id', sa.Text(), nullable=True),
    sa.Column('engine', sa.Text(), nullable=False),
    sa.Column('engine_id', sa.Text(), nullable=True),
    sa.Column('receiving_account_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('attempts', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('settle_after', sa.DateTime(timezone=True), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('completed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('rejected_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_withdrawals_environment')),
    sa.CheckConstraint("status in ('pending', 'processing', 'completed', 'rejected', 'canceled')", name=op.f('ck_withdrawals_status')),
    sa.CheckConstraint("pix_key_type in ('cpf', 'cnpj', 'email', 'phone', 'random')", name=op.f('ck_withdrawals_pix_key_type')),
    sa.CheckConstraint('amount > 0', name=op.f('ck_withdrawals_amount')),
    sa.CheckConstraint('fee_amount between 0 and amount', name=op.f('ck_withdrawals_fee_amount')),
    sa.CheckConstraint("(status = 'completed') = (completed_at is not null)", name=op.f('ck_withdrawals_completed_at')),
    sa.CheckConstraint("(status = 'rejected') = (rejected_at is not null)", name=op.f('ck_withdrawals_rejected_at')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_withdrawals_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_withdrawals'))
    )
    in_flight = sa.text("status in ('pending', 'processing')")
    op.create_index('uq_withdrawals_in_flight', 'withdrawals', ['user_id', 'environment'], unique=True, postgresql_where=in_flight)
    op.create_index('ix_withdrawals_store', 'withdrawals', ['user_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_index('ix_withdrawals_created_at', 'withdrawals', ['created_at', 'id'], unique=False)
    op.create_index('ix_withdrawals_settle_after', 'withdrawals', ['settle_after'], unique=False, postgresql_where=in_flight)
    op.create_index('ix_withdrawals_engine_id', 'withdrawals', ['engine_id'], unique=False, postgresql_where=sa.text('engine_id is not null'))
    _create_balances()
    _create_repayments()


def _create_balances() -> None:
    op.create_table('balance_entries',
    sa.Column('id', sa.Uuid(as_uuid=False), server_default=sa.text('uuidv7()'), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('receiving_account_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('gross', sa.BigInteger(), nullable=False),
    sa.Column('fee', sa.BigInteger(), nullable=False),
    sa.Column('charges', sa.SmallInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_balance_entries'))
    )
    op.create_index('ix_balance_entries_store', 'balance_entries', ['user_id', 'environment'], unique=False)
    op.execute(f'alter table balance_entries set ({BUSY})')
    op.create_table('store_balances',
    sa.Column('id', sa.Uuid(as_uuid=False), server_default=sa.text('uuidv7()'), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('receiving_account_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('gross', sa.BigInteger(), nullable=False),
    sa.Column('fee', sa.BigInteger(), nullable=False),
    sa.Column('charges', sa.BigInteger(), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_store_balances_environment')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_store_balances_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_store_balances')),
    sa.UniqueConstraint('user_id', 'environment', 'receiving_account_id', name='uq_store_balances_user_id', postgresql_nulls_not_distinct=True)
    )
    op.execute("""
        create function enter_into_balance() returns trigger language plpgsql as $$
        declare
            sign smallint := case when new.status = 'paid' then 1 else -1 end;
        begin
            insert into balance_entries (user_id, environment, receiving_account_id, gross, fee, charges)
            values (new.user_id, new.environment, new.receiving_account_id, sign * new.amount, sign * new.fee_amount, sign);
            return null;
        end
        $$
    """)
    # Nobody pays a charge between the sum and the trigger.
    op.execute('lock table charges in share row exclusive mode')
    op.execute("""
        create trigger charges_enter_balance_paid after insert on charges
        for each row when (new.status = 'paid') execute function enter_into_balance()
    """)
    op.execute("""
        create trigger charges_enter_balance_moved after update of status on charges
        for each row when ((old.status = 'paid') <> (new.status = 'paid')) execute function enter_into_balance()
    """)
    op.execute("""
        insert into store_balances (user_id, environment, receiving_account_id, gross, fee, charges)
        select user_id, environment, receiving_account_id, sum(amount), sum(fee_amount), count(*)
        from charges where status = 'paid' group by user_id, environment, receiving_account_id
    """)


def _create_repayments() -> None:
    op.create_table('repayments',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('status', sa.Text(), server_default='recorded', nullable=False),
    sa.Column('paid_from', sa.DateTime(timezone=True), nullable=False),
    sa.Column('paid_to', sa.DateTime(timezone=True), nullable=False),
    sa.Column('gross', sa.BigInteger(), nullable=False),
    sa.Column('fee', sa.BigInteger(), nullable=False),
    sa.Column('net', sa.BigInteger(), nullable=False),
    sa.Column('charges_count', sa.Integer(), nullable=False),
    sa.Column('end_to_end_id', sa.Text(), nullable=True),
    sa.Column('recorded_by', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('concluded_by', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('concluded_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_repayments_environment')),
    sa.CheckConstraint("status in ('recorded', 'done', 'discarded')", name=op.f('ck_repayments_status')),
    sa.CheckConstraint('fee >= 0', name=op.f('ck_repayments_fee')),
    sa.CheckConstraint('net = gross - fee and net >= 0', name=op.f('ck_repayments_net')),
    sa.CheckConstraint('charges_count > 0', name=op.f('ck_repayments_charges_count')),
    sa.CheckConstraint("(status = 'done') = (concluded_at is not null)", name=op.f('ck_repayments_concluded_at')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_repayments_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_repayments'))
    )
    op.create_index('ix_repayments_store', 'repayments', ['user_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_index('ix_repayments_created_at', 'repayments', ['created_at', 'id'], unique=False)
    op.create_table('repaid_charges',
    sa.Column('charge_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('repayment_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('amount', sa.BigInteger(), nullable=False),
    sa.Column('fee', sa.BigInteger(), nullable=False),
    sa.CheckConstraint('fee >= 0', name=op.f('ck_repaid_charges_fee')),
    sa.ForeignKeyConstraint(['charge_id'], ['charges.id'], name=op.f('fk_repaid_charges_charge_id')),
    sa.ForeignKeyConstraint(['repayment_id'], ['repayments.id'], name=op.f('fk_repaid_charges_repayment_id')),
    sa.PrimaryKeyConstraint('charge_id', name=op.f('pk_repaid_charges'))
    )
    op.create_index('ix_repaid_charges_repayment_id', 'repaid_charges', ['repayment_id'], unique=False)


def downgrade() -> None:
    op.drop_index('ix_repaid_charges_repayment_id', table_name='repaid_charges')
    op.drop_table('repaid_charges')
    op.drop_index('ix_repayments_created_at', table_name='repayments')
    op.drop_index('ix_repayments_store', table_name='repayments')
    op.drop_table('repayments')
    op.execute('drop trigger charges_enter_balance_moved on charges')
    op.execute('drop trigger charges_enter_balance_paid on charges')
    op.execute('drop function enter_into_balance()')
    op.drop_table('store_balances')
    op.drop_index('ix_balance_entries_store', table_name='balance_entries')
    op.drop_table('balance_entries')
    in_flight = sa.text("status in ('pending', 'processing')")
    op.drop_index('ix_withdrawals_engine_id', table_name='withdrawals', postgresql_where=sa.text('engine_id is not null'))
    op.drop_index('ix_withdrawals_settle_after', table_name='withdrawals', postgresql_where=in_flight)
    op.drop_index('ix_withdrawals_created_at', table_name='withdrawals')
    op.drop_index('ix_withdrawals_store', table_name='withdrawals')
    op.drop_index('uq_withdrawals_in_flight', table_name='withdrawals', postgresql_where=in_flight)
    op.drop_table('withdrawals')

"""repayments take what stores had got of charges that were given back later (ADR 0052)"""

import sqlalchemy as sa
from alembic import op
revision = '0045'
down_revision = '0044'
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, kind in (('deducted', sa.BigInteger()), ('deducted_gross', sa.BigInteger()), ('deducted_count', sa.Integer())):
        op.add_column('repayments', sa.Column(name, kind, server_default='0', nullable=False))
    op.drop_constraint(op.f('ck_repayments_net'), 'repayments', type_='check')
    op.create_check_constraint(op.f('ck_repayments_net'), 'repayments', 'net = gross - fee - deducted and net >= 0')
    op.create_check_constraint(op.f('ck_repayments_deducted'), 'repayments', 'deducted >= 0')
    op.create_check_constraint(op.f('ck_repayments_deducted_gross'), 'repayments', 'deducted_gross >= deducted')
    op.create_check_constraint(op.f('ck_repayments_deducted_count'), 'repayments', '(deducted_count > 0) = (deducted_gross > 0)')
    op.create_table('deducted_charges',
    sa.Column('charge_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('repayment_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('amount', sa.BigInteger(), nullable=False),
    sa.Column('fee', sa.BigInteger(), nullable=False),
    sa.CheckConstraint('fee >= 0', name=op.f('ck_deducted_charges_fee')),
    sa.ForeignKeyConstraint(['charge_id'], ['charges.id'], name=op.f('fk_deducted_charges_charge_id')),
    sa.ForeignKeyConstraint(['repayment_id'], ['repayments.id'], name=op.f('fk_deducted_charges_repayment_id')),
    sa.PrimaryKeyConstraint('charge_id', name=op.f('pk_deducted_charges'))
    )
    op.create_index('ix_deducted_charges_repayment_id', 'deducted_charges', ['repayment_id'], unique=False)


def downgrade() -> None:
    op.drop_table('deducted_charges')
    op.drop_constraint(op.f('ck_repayments_net'), 'repayments', type_='check')
    # What was deducted was not sent: as before, a record's net is what its charges come to, and the balance tells the rest.
    op.execute('update repayments set net = gross - fee where deducted > 0')
    for name in ('deducted_count', 'deducted_gross', 'deducted'):
        op.drop_column('repayments', name)
    op.create_check_constraint(op.f('ck_repayments_net'), 'repayments', 'net = gross - fee and net >= 0')

"""reconciliation: payments of orders that have no charge (ADR 0005)"""

import sqlalchemy as sa
from alembic import op
revision = '0042'
down_revision = '0041'
branch_labels = None
depends_on = None

BEFORE = "'amount', 'status', 'missing', 'payable', 'mistaken', 'partial_refund', 'chargeback'"


def _kinds(kinds: str) -> None:
    op.drop_constraint(op.f('ck_differences_kind'), 'differences', type_='check')
    op.create_check_constraint(op.f('ck_differences_kind'), 'differences', f'kind in ({kinds})')


def upgrade() -> None:
    _kinds(f"{BEFORE}, 'unclaimed'")
    for name in ('txid', 'charge_status'):
        op.alter_column('differences', name, existing_type=sa.Text(), nullable=True)


def downgrade() -> None:
    op.execute("delete from differences where kind = 'unclaimed'")
    for name in ('txid', 'charge_status'):
        op.alter_column('differences', name, existing_type=sa.Text(), nullable=False)
    _kinds(BEFORE)

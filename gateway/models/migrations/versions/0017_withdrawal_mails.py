"""mails about withdrawals"""

from alembic import op

revision = '0017'
down_revision = '0016'
branch_labels = None
depends_on = None

KINDS = (
    'payer_receipt', 'merchant_notice', 'webhook_endpoint_disabled', 'webhook_endpoint_gone', 'webhook_endpoint_failing',
    'webhook_deliveries_exhausted', 'invitation', 'production_approved', 'production_refused', 'production_suspended',
)
MORE = ('withdrawal_requested', 'withdrawal_rejected')


def _allow(kinds: tuple[str, ...]) -> None:
    op.drop_constraint(op.f('ck_mails_kind'), 'mails', type_='check')
    listed = ', '.join(f"'{kind}'" for kind in kinds)
    op.create_check_constraint(op.f('ck_mails_kind'), 'mails', f'kind in ({listed})')


def upgrade() -> None:
    _allow((*KINDS, *MORE))


def downgrade() -> None:
    op.execute("delete from mails where kind in ('withdrawal_requested', 'withdrawal_rejected')")
    _allow(KINDS)

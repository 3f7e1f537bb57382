"""the mail about changes of the second factor"""

from alembic import op
revision = '0039'
down_revision = '0038'
branch_labels = None
depends_on = None

KINDS = (
    'payer_receipt', 'merchant_notice', 'webhook_endpoint_disabled', 'webhook_endpoint_gone', 'webhook_endpoint_failing',
    'webhook_deliveries_exhausted', 'invitation', 'production_approved', 'production_refused', 'production_suspended',
    'withdrawal_requested', 'withdrawal_rejected', 'password_reset', 'password_changed',
)


def _allow(kinds: tuple[str, ...]) -> None:
    op.drop_constraint(op.f('ck_mails_kind'), 'mails', type_='check')
    listed = ', '.join(f"'{kind}'" for kind in kinds)
    op.create_check_constraint(op.f('ck_mails_kind'), 'mails', f'kind in ({listed})')


def upgrade() -> None:
    _allow((*KINDS, 'two_factor_changed'))


def downgrade() -> None:
    op.execute("delete from mails where kind = 'two_factor_changed'")
    _allow(KINDS)

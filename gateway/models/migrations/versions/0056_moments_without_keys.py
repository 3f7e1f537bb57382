"""issuances, idempotency_keys: no foreign key to their store; an emptied queue keeps its pages (ADR 0062)"""

from alembic import op
revision = '0056'
down_revision = '0055'
branch_labels = None
depends_on = None

TABLES = ('issuances', 'idempotency_keys')


def upgrade() -> None:
    for table in TABLES:
        op.drop_constraint(f'fk_{table}_user_id', table, type_='foreignkey')
    op.execute('alter table issuances set (vacuum_truncate = off)')


def downgrade() -> None:
    op.execute('alter table issuances reset (vacuum_truncate)')
    for table in TABLES:
        op.create_foreign_key(f'fk_{table}_user_id', table, 'users', ['user_id'], ['id'])

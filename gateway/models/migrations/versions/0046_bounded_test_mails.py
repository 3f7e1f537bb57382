"""mails: what a store's test environment has been told lately is counted"""

import sqlalchemy as sa
from alembic import op
revision = '0046'
down_revision = '0045'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index('ix_mails_of_test', 'mails', ['user_id', 'kind', 'created_at'], unique=False, postgresql_where=sa.text("environment = 'test'"))


def downgrade() -> None:
    op.drop_index('ix_mails_of_test', table_name='mails', postgresql_where=sa.text("environment = 'test'"))

"""charges that expire at infinity, which asyncpg reads as a moment without a zone, expire a microsecond before it"""

from alembic import op
revision = '0044'
down_revision = '0043'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("update charges set expires_at = '9999-12-31 23:59:59.999998+00' where expires_at = 'infinity'")


def downgrade() -> None:
    """Nothing has to be as wrong as it was."""

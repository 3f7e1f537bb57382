"""The initial schema: functions, tables, triggers and partitions, as plain SQL.

Nothing is released yet, so a change of the schema edits these files. After the first release they stay as they are, and
each change is a migration of its own.
"""

from pathlib import Path

from alembic import op
from sqlalchemy.engine import AdaptedConnection

revision = "0001"
down_revision = None

MODELS = Path(__file__).parents[2]
FILES = ("functions.sql", "tables.sql", "triggers.sql", "partitions.sql")


def upgrade() -> None:
    connection = op.get_bind().connection.dbapi_connection
    assert isinstance(connection, AdaptedConnection)
    for name in FILES:
        # asyncpg runs a whole script; SQLAlchemy would prepare it, which PostgreSQL allows for one statement only.
        script = (MODELS / name).read_text()
        connection.run_async(lambda driver, script=script: driver.execute(script))

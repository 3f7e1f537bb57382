"""Alembic's entry: migrations run over one synchronous-looking connection of SQLAlchemy's asyncpg dialect.

They say themselves what they make. Of the models they need the names of constraints alone, and a process that migrates
imports no table.
"""

from alembic import context
from sqlalchemy import MetaData

from gateway.models.naming_convention import NAMING

context.configure(
    connection=context.config.attributes["connection"], target_metadata=MetaData(naming_convention=NAMING)
)
with context.begin_transaction():
    context.run_migrations()

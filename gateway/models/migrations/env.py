"""Alembic's entry: migrations run over one synchronous-looking connection of SQLAlchemy's asyncpg dialect."""

from alembic import context

from gateway.models.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, compare_type=True, compare_server_default=True)
with context.begin_transaction():
    context.run_migrations()

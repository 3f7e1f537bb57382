"""Alembic's entry. Migrations are plain SQL, so a process that migrates imports no table."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()

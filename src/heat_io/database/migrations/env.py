"""Alembic's entry: runs the revisions on the connection that `upgrade` handed over."""

from __future__ import annotations

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection)
with context.begin_transaction():
    context.run_migrations()

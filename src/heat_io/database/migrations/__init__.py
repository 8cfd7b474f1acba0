"""Brings a database to Heat's schema, by Heat's own revisions.

Source: facts/schema.json (alembic).
"""

from heat_io.database.migrations.upgrade import HEAD, current_revision, migrate, upgrade

__all__ = ["HEAD", "current_revision", "migrate", "upgrade"]

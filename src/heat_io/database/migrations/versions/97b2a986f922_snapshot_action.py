"""Snapshots have an action; the older ones were all creations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "97b2a986f922"
down_revision = "88be64598c0f"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add snapshot.action and fill it with CREATE."""
    op.add_column("snapshot", sa.Column("action", sa.String(255)))
    snapshot = sa.table("snapshot", sa.column("action", sa.String))
    op.execute(snapshot.update().where(snapshot.c.action.is_(None)).values(action="CREATE"))

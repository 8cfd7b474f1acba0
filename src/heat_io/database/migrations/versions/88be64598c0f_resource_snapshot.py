"""Snapshots of single resources."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from heat_io.database.column_types import long_text

revision = "88be64598c0f"
down_revision = "d2db381e3324"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create resource_snapshot."""
    op.create_table(
        "resource_snapshot",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("snapshot_id", sa.String(36), nullable=False),
        sa.Column("resource_name", sa.String(255), nullable=False),
        sa.Column("created_at", sa.DateTime),
        sa.Column("updated_at", sa.DateTime),
        sa.Column("data", long_text()),
        sa.ForeignKeyConstraint(["snapshot_id"], ["snapshot.id"]),
        sa.PrimaryKeyConstraint("id"),
        mysql_engine="InnoDB",
    )
    op.create_index("ix_resource_snapshot_snapshot_id", "resource_snapshot", ["snapshot_id"])

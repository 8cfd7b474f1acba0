"""Facts that travel beside a sync point's input data."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from heat_io.database.column_types import long_text

revision = "d2db381e3324"
down_revision = "c6214ca60943"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add sync_point.extra_data."""
    op.add_column("sync_point", sa.Column("extra_data", long_text()))

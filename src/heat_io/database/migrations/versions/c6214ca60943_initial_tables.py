"""Initial tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from heat_io.database.column_types import long_text

revision = "c6214ca60943"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create 14 tables; the order of columns and constraints is part of the schema's text."""
    _templates_and_credentials()
    _software()
    _stack()
    _event()
    _resource()
    _beside_the_stack()
    _resource_data()


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, nullable=False)


def _uuid_id() -> sa.Column[str]:
    return sa.Column("id", sa.String(36), nullable=False)


def _times() -> tuple[sa.Column[object], sa.Column[object]]:
    return sa.Column("created_at", sa.DateTime), sa.Column("updated_at", sa.DateTime)


def _create(name: str, *items: sa.schema.SchemaItem) -> None:
    op.create_table(name, *items, mysql_engine="InnoDB")


def _templates_and_credentials() -> None:
    _create(
        "raw_template_files",
        _id(),
        sa.Column("files", long_text()),
        *_times(),
        sa.PrimaryKeyConstraint("id"),
    )
    _create(
        "resource_properties_data",
        _id(),
        sa.Column("data", long_text()),
        sa.Column("encrypted", sa.Boolean),
        *_times(),
        sa.PrimaryKeyConstraint("id"),
    )
    _create(
        "service",
        _uuid_id(),
        sa.Column("engine_id", sa.String(36), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("hostname", sa.String(255), nullable=False),
        sa.Column("binary", sa.String(255), nullable=False),
        sa.Column("topic", sa.String(255), nullable=False),
        sa.Column("report_interval", sa.Integer, nullable=False),
        *_times(),
        sa.Column("deleted_at", sa.DateTime),
        sa.PrimaryKeyConstraint("id"),
    )
    _create(
        "user_creds",
        _id(),
        *_times(),
        sa.Column("username", sa.String(255)),
        sa.Column("password", sa.String(255)),
        sa.Column("region_name", sa.String(255)),
        sa.Column("decrypt_method", sa.String(64)),
        sa.Column("tenant", sa.String(1024)),
        sa.Column("auth_url", sa.Text),
        sa.Column("tenant_id", sa.String(256)),
        sa.Column("trust_id", sa.String(255)),
        sa.Column("trustor_user_id", sa.String(64)),
        sa.PrimaryKeyConstraint("id"),
    )
    _create(
        "raw_template",
        _id(),
        *_times(),
        sa.Column("template", long_text()),
        sa.Column("files", long_text()),
        sa.Column("environment", long_text()),
        sa.Column("files_id", sa.Integer),
        sa.ForeignKeyConstraint(
            ["files_id"], ["raw_template_files.id"], name="raw_tmpl_files_fkey_ref"
        ),
        sa.PrimaryKeyConstraint("id"),
    )


def _software() -> None:
    _create(
        "software_config",
        _uuid_id(),
        *_times(),
        sa.Column("name", sa.String(255)),
        sa.Column("group", sa.String(255)),
        sa.Column("config", long_text()),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_software_config_tenant", "software_config", ["tenant"])
    _create(
        "software_deployment",
        _uuid_id(),
        *_times(),
        sa.Column("server_id", sa.String(36), nullable=False),
        sa.Column("config_id", sa.String(36), nullable=False),
        sa.Column("input_values", long_text()),
        sa.Column("output_values", long_text()),
        sa.Column("action", sa.String(255)),
        sa.Column("status", sa.String(255)),
        sa.Column("status_reason", sa.Text),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("stack_user_project_id", sa.String(64)),
        sa.ForeignKeyConstraint(["config_id"], ["software_config.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    for column in ("created_at", "server_id", "tenant"):
        op.create_index(f"ix_software_deployment_{column}", "software_deployment", [column])


def _stack() -> None:
    _create(
        "stack",
        _uuid_id(),
        *_times(),
        sa.Column("deleted_at", sa.DateTime),
        sa.Column("name", sa.String(255)),
        sa.Column("raw_template_id", sa.Integer, nullable=False),
        sa.Column("prev_raw_template_id", sa.Integer),
        sa.Column("user_creds_id", sa.Integer),
        sa.Column("username", sa.String(256)),
        sa.Column("owner_id", sa.String(36)),
        sa.Column("action", sa.String(255)),
        sa.Column("status", sa.String(255)),
        sa.Column("status_reason", sa.Text),
        sa.Column("timeout", sa.Integer),
        sa.Column("tenant", sa.String(256)),
        sa.Column("disable_rollback", sa.Boolean, nullable=False),
        sa.Column("stack_user_project_id", sa.String(64)),
        sa.Column("backup", sa.Boolean),
        sa.Column("nested_depth", sa.Integer),
        sa.Column("convergence", sa.Boolean),
        sa.Column("current_traversal", sa.String(36)),
        sa.Column("current_deps", long_text()),
        sa.Column("parent_resource_name", sa.String(255)),
        sa.ForeignKeyConstraint(["prev_raw_template_id"], ["raw_template.id"]),
        sa.ForeignKeyConstraint(["raw_template_id"], ["raw_template.id"]),
        sa.ForeignKeyConstraint(["user_creds_id"], ["user_creds.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_stack_name", "stack", ["name"], mysql_length=255)
    op.create_index("ix_stack_tenant", "stack", ["tenant"], mysql_length=255)
    op.create_index("ix_stack_owner_id", "stack", ["owner_id"])


def _event() -> None:
    _create(
        "event",
        _id(),
        sa.Column("uuid", sa.String(36)),
        sa.Column("stack_id", sa.String(36), nullable=False),
        *_times(),
        sa.Column("resource_action", sa.String(255)),
        sa.Column("resource_status", sa.String(255)),
        sa.Column("resource_name", sa.String(255)),
        sa.Column("physical_resource_id", sa.String(255)),
        sa.Column("resource_status_reason", sa.String(255)),
        sa.Column("resource_type", sa.String(255)),
        sa.Column("resource_properties", sa.LargeBinary),
        sa.Column("rsrc_prop_data_id", sa.Integer),
        sa.ForeignKeyConstraint(
            ["rsrc_prop_data_id"], ["resource_properties_data.id"], name="ev_rsrc_prop_data_ref"
        ),
        sa.ForeignKeyConstraint(["stack_id"], ["stack.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("uuid"),
    )


def _resource() -> None:
    _create(
        "resource",
        _id(),
        sa.Column("uuid", sa.String(36)),
        sa.Column("nova_instance", sa.String(255)),
        sa.Column("name", sa.String(255)),
        *_times(),
        sa.Column("action", sa.String(255)),
        sa.Column("status", sa.String(255)),
        sa.Column("status_reason", sa.Text),
        sa.Column("stack_id", sa.String(36), nullable=False),
        sa.Column("rsrc_metadata", long_text()),
        sa.Column("properties_data", long_text()),
        sa.Column("engine_id", sa.String(36)),
        sa.Column("atomic_key", sa.Integer),
        sa.Column("needed_by", long_text()),
        sa.Column("requires", long_text()),
        sa.Column("replaces", sa.Integer),
        sa.Column("replaced_by", sa.Integer),
        sa.Column("current_template_id", sa.Integer),
        sa.Column("properties_data_encrypted", sa.Boolean),
        sa.Column("root_stack_id", sa.String(36)),
        sa.Column("rsrc_prop_data_id", sa.Integer),
        sa.Column("attr_data_id", sa.Integer),
        sa.ForeignKeyConstraint(
            ["attr_data_id"], ["resource_properties_data.id"], name="rsrc_attr_data_ref"
        ),
        sa.ForeignKeyConstraint(["current_template_id"], ["raw_template.id"]),
        sa.ForeignKeyConstraint(
            ["rsrc_prop_data_id"], ["resource_properties_data.id"], name="rsrc_rsrc_prop_data_ref"
        ),
        sa.ForeignKeyConstraint(["stack_id"], ["stack.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("uuid"),
    )
    op.create_index("ix_resource_root_stack_id", "resource", ["root_stack_id"])


def _beside_the_stack() -> None:
    _create(
        "snapshot",
        _uuid_id(),
        sa.Column("stack_id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(255)),
        *_times(),
        sa.Column("status", sa.String(255)),
        sa.Column("status_reason", sa.String(255)),
        sa.Column("data", long_text()),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["stack_id"], ["stack.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_snapshot_tenant", "snapshot", ["tenant"])
    _create(
        "stack_lock",
        sa.Column("stack_id", sa.String(36), nullable=False),
        *_times(),
        sa.Column("engine_id", sa.String(36)),
        sa.ForeignKeyConstraint(["stack_id"], ["stack.id"]),
        sa.PrimaryKeyConstraint("stack_id"),
    )
    _create(
        "stack_tag",
        _id(),
        *_times(),
        sa.Column("tag", sa.Unicode(80)),
        sa.Column("stack_id", sa.String(36), nullable=False),
        sa.ForeignKeyConstraint(["stack_id"], ["stack.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    _create(
        "sync_point",
        sa.Column("entity_id", sa.String(36), nullable=False),
        sa.Column("traversal_id", sa.String(36), nullable=False),
        sa.Column("is_update", sa.Boolean, nullable=False),
        sa.Column("atomic_key", sa.Integer, nullable=False),
        sa.Column("stack_id", sa.String(36), nullable=False),
        sa.Column("input_data", long_text()),
        *_times(),
        sa.ForeignKeyConstraint(["stack_id"], ["stack.id"]),
        sa.PrimaryKeyConstraint("entity_id", "traversal_id", "is_update"),
    )


def _resource_data() -> None:
    _create(
        "resource_data",
        _id(),
        *_times(),
        sa.Column("key", sa.String(255)),
        sa.Column("value", sa.Text),
        sa.Column("redact", sa.Boolean),
        sa.Column("decrypt_method", sa.String(64)),
        sa.Column("resource_id", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(
            ["resource_id"], ["resource.id"], name="fk_resource_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id"),
    )

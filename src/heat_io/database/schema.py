"""The 16 tables of Heat's database at revision 97b2a986f922.

The migrations make them (heat_io.database.migrations); nothing here ever creates a table. Column
names are Heat's: `resource.nova_instance` is the physical id. Source: facts/schema.json.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    Unicode,
)

from heat_io.database.column_types import Json

metadata = MetaData()


def _timestamps() -> tuple[Column[object], Column[object]]:
    return Column("created_at", DateTime), Column("updated_at", DateTime)


raw_template_files = Table(
    "raw_template_files",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("files", Json),
    *_timestamps(),
)

raw_template = Table(
    "raw_template",
    metadata,
    Column("id", Integer, primary_key=True),
    *_timestamps(),
    Column("template", Json),
    Column("files", Json),
    Column("environment", Json),
    Column("files_id", Integer, ForeignKey("raw_template_files.id")),
)

user_creds = Table(
    "user_creds",
    metadata,
    Column("id", Integer, primary_key=True),
    *_timestamps(),
    Column("username", String(255)),
    Column("password", String(255)),
    Column("region_name", String(255)),
    Column("decrypt_method", String(64)),
    Column("tenant", String(1024)),
    Column("auth_url", Text),
    Column("tenant_id", String(256)),
    Column("trust_id", String(255)),
    Column("trustor_user_id", String(64)),
)

stack = Table(
    "stack",
    metadata,
    Column("id", String(36), primary_key=True),
    *_timestamps(),
    Column("deleted_at", DateTime),
    Column("name", String(255)),
    Column("raw_template_id", Integer, ForeignKey("raw_template.id"), nullable=False),
    Column("prev_raw_template_id", Integer, ForeignKey("raw_template.id")),
    Column("user_creds_id", Integer, ForeignKey("user_creds.id")),
    Column("username", String(256)),
    Column("owner_id", String(36), index=True),
    Column("action", String(255)),
    Column("status", String(255)),
    Column("status_reason", Text),
    Column("timeout", Integer),
    Column("tenant", String(256)),
    Column("disable_rollback", Boolean, nullable=False),
    Column("stack_user_project_id", String(64)),
    Column("backup", Boolean),
    Column("nested_depth", Integer),
    Column("convergence", Boolean),
    Column("current_traversal", String(36)),
    Column("current_deps", Json),
    Column("parent_resource_name", String(255)),
    Index("ix_stack_name", "name", mysql_length=255),
    Index("ix_stack_tenant", "tenant", mysql_length=255),
)

stack_lock = Table(
    "stack_lock",
    metadata,
    Column("stack_id", String(36), ForeignKey("stack.id"), primary_key=True),
    *_timestamps(),
    Column("engine_id", String(36)),
)

stack_tag = Table(
    "stack_tag",
    metadata,
    Column("id", Integer, primary_key=True),
    *_timestamps(),
    Column("tag", Unicode(80)),
    Column("stack_id", String(36), ForeignKey("stack.id"), nullable=False),
)

sync_point = Table(
    "sync_point",
    metadata,
    Column("entity_id", String(36), primary_key=True),
    Column("traversal_id", String(36), primary_key=True),
    Column("is_update", Boolean, primary_key=True),
    Column("atomic_key", Integer, nullable=False),
    Column("stack_id", String(36), ForeignKey("stack.id"), nullable=False),
    Column("input_data", Json),
    *_timestamps(),
    Column("extra_data", Json),
)

resource_properties_data = Table(
    "resource_properties_data",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("data", Json),
    Column("encrypted", Boolean),
    *_timestamps(),
)

resource = Table(
    "resource",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), unique=True),
    Column("nova_instance", String(255)),
    Column("name", String(255)),
    *_timestamps(),
    Column("action", String(255)),
    Column("status", String(255)),
    Column("status_reason", Text),
    Column("stack_id", String(36), ForeignKey("stack.id"), nullable=False),
    Column("rsrc_metadata", Json),
    Column("properties_data", Json),
    Column("engine_id", String(36)),
    Column("atomic_key", Integer),
    Column("needed_by", Json),
    Column("requires", Json),
    Column("replaces", Integer),
    Column("replaced_by", Integer),
    Column("current_template_id", Integer, ForeignKey("raw_template.id")),
    Column("properties_data_encrypted", Boolean),
    Column("root_stack_id", String(36), index=True),
    Column("rsrc_prop_data_id", Integer, ForeignKey("resource_properties_data.id")),
    Column("attr_data_id", Integer, ForeignKey("resource_properties_data.id")),
)

resource_data = Table(
    "resource_data",
    metadata,
    Column("id", Integer, primary_key=True),
    *_timestamps(),
    Column("key", String(255)),
    Column("value", Text),
    Column("redact", Boolean),
    Column("decrypt_method", String(64)),
    Column("resource_id", Integer, ForeignKey("resource.id", ondelete="CASCADE"), nullable=False),
)

event = Table(
    "event",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), unique=True),
    Column("stack_id", String(36), ForeignKey("stack.id"), nullable=False),
    *_timestamps(),
    Column("resource_action", String(255)),
    Column("resource_status", String(255)),
    Column("resource_name", String(255)),
    Column("physical_resource_id", String(255)),
    Column("resource_status_reason", String(255)),
    Column("resource_type", String(255)),
    # A pickle in rows of old releases. Never read: unpickling runs code.
    Column("resource_properties", LargeBinary),
    Column("rsrc_prop_data_id", Integer, ForeignKey("resource_properties_data.id")),
)

service = Table(
    "service",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("engine_id", String(36), nullable=False),
    Column("host", String(255), nullable=False),
    Column("hostname", String(255), nullable=False),
    Column("binary", String(255), nullable=False),
    Column("topic", String(255), nullable=False),
    Column("report_interval", Integer, nullable=False),
    *_timestamps(),
    Column("deleted_at", DateTime),
)

snapshot = Table(
    "snapshot",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("stack_id", String(36), ForeignKey("stack.id"), nullable=False),
    Column("name", String(255)),
    *_timestamps(),
    Column("status", String(255)),
    Column("status_reason", String(255)),
    Column("data", Json),
    Column("tenant", String(64), nullable=False, index=True),
    Column("action", String(255)),
)

resource_snapshot = Table(
    "resource_snapshot",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("snapshot_id", String(36), ForeignKey("snapshot.id"), nullable=False, index=True),
    Column("resource_name", String(255), nullable=False),
    *_timestamps(),
    Column("data", Json),
)

software_config = Table(
    "software_config",
    metadata,
    Column("id", String(36), primary_key=True),
    *_timestamps(),
    Column("name", String(255)),
    Column("group", String(255)),
    Column("config", Json),
    Column("tenant", String(64), nullable=False, index=True),
)

software_deployment = Table(
    "software_deployment",
    metadata,
    Column("id", String(36), primary_key=True),
    *_timestamps(),
    Column("server_id", String(36), nullable=False, index=True),
    Column("config_id", String(36), ForeignKey("software_config.id"), nullable=False),
    Column("input_values", Json),
    Column("output_values", Json),
    Column("action", String(255)),
    Column("status", String(255)),
    Column("status_reason", Text),
    Column("tenant", String(64), nullable=False, index=True),
    Column("stack_user_project_id", String(64)),
    Index("ix_software_deployment_created_at", "created_at"),
)

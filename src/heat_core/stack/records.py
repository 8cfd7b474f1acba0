"""The rows of Heat's database as frozen values, JSON decoded and names in the field's terms.

heat_io.database turns rows into records and back; heat_core decides on records alone.
Times are naive UTC, as stored (rules/j-encodings.md#3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from heat_core.stack.ids import (
    EngineId,
    FilesId,
    PropertiesDataId,
    ResourceId,
    StackId,
    TemplateId,
    TraversalId,
)
from heat_core.stack.states import Action, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class StackRecord:
    """One row of `stack`. `current_deps` is the decoded JSON ({"edges": [...]}) or None."""

    id: StackId
    name: str
    tenant: str
    raw_template_id: TemplateId
    action: Action
    status: Status
    status_reason: str | None = None
    prev_raw_template_id: TemplateId | None = None
    user_creds_id: int | None = None
    username: str | None = None
    owner_id: StackId | None = None
    timeout: int | None = None
    """minutes"""
    disable_rollback: bool = True
    stack_user_project_id: str | None = None
    backup: bool = False
    nested_depth: int = 0
    convergence: bool = True
    current_traversal: TraversalId | None = None
    current_deps: Mapping[str, Any] | None = None
    parent_resource_name: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    deleted_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRecord:
    """One row of `resource` with, where they were asked for, its properties and its data.

    `physical_id` is the column nova_instance. `properties` is the decoded (decrypted) content of
    rsrc_prop_data_id, `attributes` that of attr_data_id, `data` the rows of resource_data.
    """

    id: ResourceId
    uuid: str
    name: str
    stack_id: StackId
    root_stack_id: StackId | None = None
    physical_id: str | None = None
    action: Action = Action.INIT
    status: Status = Status.COMPLETE
    status_reason: str | None = ""
    metadata: Mapping[str, Any] | None = None
    engine_id: EngineId | None = None
    atomic_key: int | None = None
    requires: tuple[ResourceId, ...] = ()
    needed_by: tuple[Any, ...] = ()
    replaces: ResourceId | None = None
    replaced_by: ResourceId | None = None
    current_template_id: TemplateId | None = None
    properties_data_id: PropertiesDataId | None = None
    attributes_data_id: PropertiesDataId | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    properties: Mapping[str, Any] | None = None
    attributes: Mapping[str, Any] | None = None
    data: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncPointRecord:
    """One row of `sync_point`; `input_data` and `extra_data` are the decoded JSON as stored."""

    entity_id: str
    traversal_id: TraversalId
    is_update: bool
    stack_id: StackId
    atomic_key: int = 0
    input_data: Mapping[str, Any] = field(default_factory=dict)
    extra_data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRecord:
    """One row of `raw_template` (environment decrypted)."""

    id: TemplateId
    template: Mapping[str, Any]
    environment: Mapping[str, Any]
    files_id: FilesId | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """One row of `event` (rules/g-events-status.md#9-11)."""

    uuid: str
    stack_id: StackId
    resource_action: str
    resource_status: str
    resource_name: str | None
    physical_resource_id: str | None
    resource_status_reason: str
    resource_type: str | None
    properties_data_id: PropertiesDataId | None = None
    created_at: datetime | None = None
    id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRecord:
    """One row of `service`: an engine process and its last sign of life."""

    id: str
    engine_id: EngineId
    host: str
    hostname: str
    binary: str
    topic: str
    report_interval: int
    created_at: datetime | None = None
    updated_at: datetime | None = None
    deleted_at: datetime | None = None

"""Stacks: identifiers, names, states and the records of the database."""

from heat_core.stack.definition import StackDefinition
from heat_core.stack.identity import HeatIdentifier
from heat_core.stack.ids import (
    EngineId,
    FilesId,
    PropertiesDataId,
    ResourceId,
    StackId,
    TemplateId,
    TraversalId,
)
from heat_core.stack.limits import DEFAULT_LIMITS, StackLimits, TreeCount
from heat_core.stack.naming import (
    check_resource_name,
    check_stack_name,
    physical_resource_name,
    reduce_physical_name,
    short_id,
)
from heat_core.stack.node_data import NodeData
from heat_core.stack.outputs import OutputDefinition
from heat_core.stack.records import (
    EventRecord,
    ResourceRecord,
    ServiceRecord,
    StackRecord,
    SyncPointRecord,
    TemplateRecord,
)
from heat_core.stack.resource_definition import FrozenDefinition, ResourceDefinition
from heat_core.stack.states import Action, Status

__all__ = [
    "DEFAULT_LIMITS",
    "Action",
    "EngineId",
    "EventRecord",
    "FilesId",
    "FrozenDefinition",
    "HeatIdentifier",
    "NodeData",
    "OutputDefinition",
    "PropertiesDataId",
    "ResourceDefinition",
    "ResourceId",
    "ResourceRecord",
    "ServiceRecord",
    "StackDefinition",
    "StackId",
    "StackLimits",
    "StackRecord",
    "Status",
    "SyncPointRecord",
    "TemplateId",
    "TemplateRecord",
    "TraversalId",
    "TreeCount",
    "check_resource_name",
    "check_stack_name",
    "physical_resource_name",
    "reduce_physical_name",
    "short_id",
]

"""The handlers by action (heat_app.native.routes names the actions)."""

from __future__ import annotations

from collections.abc import Mapping

from heat_app.native.call import Handler
from heat_app.native.handlers import actions, resources, software, stacks, types

__all__ = ["HANDLERS", "OWN_AUTHORIZATION"]

HANDLERS: Mapping[str, Handler] = {
    "stacks:validate_template": stacks.validate_template,
    "stacks:list_resource_types": types.list_resource_types,
    "stacks:resource_schema": types.resource_schema,
    "stacks:generate_template": types.generate_template,
    "stacks:list_template_versions": types.list_template_versions,
    "stacks:list_template_functions": types.list_template_functions,
    "stacks:index": stacks.index,
    "stacks:create": stacks.create,
    "stacks:preview": stacks.preview,
    "stacks:detail": stacks.detail,
    "stacks:lookup": stacks.lookup,
    "stacks:show": stacks.show,
    "stacks:template": stacks.template,
    "stacks:environment": stacks.environment,
    "stacks:files": stacks.files,
    "stacks:update": stacks.update,
    "stacks:update_patch": stacks.update_patch,
    "stacks:preview_update": stacks.preview_update,
    "stacks:preview_update_patch": stacks.preview_update_patch,
    "stacks:delete": stacks.delete,
    "stacks:abandon": stacks.abandon,
    "stacks:export": stacks.export,
    "stacks:snapshot": actions.snapshot,
    "stacks:show_snapshot": actions.show_snapshot,
    "stacks:delete_snapshot": actions.delete_snapshot,
    "stacks:list_snapshots": actions.list_snapshots,
    "stacks:restore_snapshot": actions.restore_snapshot,
    "stacks:list_outputs": stacks.list_outputs,
    "stacks:show_output": stacks.show_output,
    "resource:index": resources.index,
    "resource:show": resources.show,
    "resource:metadata": resources.metadata,
    "resource:signal": resources.signal,
    "resource:mark_unhealthy": resources.mark_unhealthy,
    "events:index": resources.events,
    "events:show": resources.event,
    "actions:action": actions.action,
    "build_info:build_info": types.build_info,
    "software_configs:index": software.list_configs,
    "software_configs:create": software.create_config,
    "software_configs:show": software.show_config,
    "software_configs:delete": software.delete_config,
    "software_deployments:index": software.list_deployments,
    "software_deployments:metadata": software.server_metadata,
    "software_deployments:create": software.create_deployment,
    "software_deployments:show": software.show_deployment,
    "software_deployments:update": software.update_deployment,
    "software_deployments:delete": software.delete_deployment,
    "service:index": types.list_services,
}

OWN_AUTHORIZATION: frozenset[str] = frozenset({"actions:action"})
"""Actions whose handlers look at project and policy themselves, after the body."""

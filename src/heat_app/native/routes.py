"""The table of all operations, in the order in which they are tried (facts/routes.json).

Each route names its action: the rule of the policy (`stacks:show`) and the key of its handler in
heat_app.native.handlers.
"""

from __future__ import annotations

from heat_app.web.routing import Body, Group, Route

_NONE, _OPTIONAL, _REQUIRED = Body.NONE, Body.OPTIONAL, Body.REQUIRED
_LOOKUP_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_STACK = "/stacks/{stack_name}/{stack_id}"


def _route(name: str, method: str, path: str, action: str, body: Body = _NONE) -> Route:
    return Route(name, (method,), path, action, body)


_STACKS = Group(
    "/{tenant_id}",
    (
        _route("template_validate", "POST", "/validate", "stacks:validate_template", _REQUIRED),
        _route("resource_types", "GET", "/resource_types", "stacks:list_resource_types"),
        _route("resource_schema", "GET", "/resource_types/{type_name}", "stacks:resource_schema"),
        _route(
            "generate_template",
            "GET",
            "/resource_types/{type_name}/template",
            "stacks:generate_template",
        ),
        _route("template_versions", "GET", "/template_versions", "stacks:list_template_versions"),
        _route(
            "template_functions",
            "GET",
            "/template_versions/{template_version}/functions",
            "stacks:list_template_functions",
        ),
        _route("stack_index", "GET", "/stacks", "stacks:index"),
        _route("stack_create", "POST", "/stacks", "stacks:create", _REQUIRED),
        _route("stack_preview", "POST", "/stacks/preview", "stacks:preview", _REQUIRED),
        _route("stack_detail", "GET", "/stacks/detail", "stacks:detail"),
        Route("stack_lookup", _LOOKUP_METHODS, "/stacks/{stack_name}", "stacks:lookup", _OPTIONAL),
        Route(
            "stack_lookup",
            _LOOKUP_METHODS,
            "/stacks/{stack_name:arn:.*}",
            "stacks:lookup",
            _OPTIONAL,
        ),
        _route(
            "stack_lookup_subpath",
            "GET",
            "/stacks/{stack_name}/{path:resources|events|template|actions|environment|files}",
            "stacks:lookup",
            _OPTIONAL,
        ),
        _route(
            "stack_lookup_subpath_post",
            "POST",
            "/stacks/{stack_name}/{path:resources|events|template|actions}",
            "stacks:lookup",
            _OPTIONAL,
        ),
        _route("stack_show", "GET", _STACK, "stacks:show"),
        _route("stack_template", "GET", f"{_STACK}/template", "stacks:template"),
        _route("stack_environment", "GET", f"{_STACK}/environment", "stacks:environment"),
        _route("stack_files", "GET", f"{_STACK}/files", "stacks:files"),
        _route("stack_update", "PUT", _STACK, "stacks:update", _REQUIRED),
        _route("stack_update_patch", "PATCH", _STACK, "stacks:update_patch", _REQUIRED),
        _route(
            "preview_stack_update", "PUT", f"{_STACK}/preview", "stacks:preview_update", _REQUIRED
        ),
        _route(
            "preview_stack_update_patch",
            "PATCH",
            f"{_STACK}/preview",
            "stacks:preview_update_patch",
            _REQUIRED,
        ),
        _route("stack_delete", "DELETE", _STACK, "stacks:delete"),
        _route("stack_abandon", "DELETE", f"{_STACK}/abandon", "stacks:abandon"),
        _route("stack_export", "GET", f"{_STACK}/export", "stacks:export"),
        _route("stack_snapshot", "POST", f"{_STACK}/snapshots", "stacks:snapshot", _REQUIRED),
        _route(
            "stack_snapshot_show",
            "GET",
            _STACK + "/snapshots/{snapshot_id}",
            "stacks:show_snapshot",
        ),
        _route(
            "stack_snapshot_delete",
            "DELETE",
            _STACK + "/snapshots/{snapshot_id}",
            "stacks:delete_snapshot",
        ),
        _route("stack_list_snapshots", "GET", f"{_STACK}/snapshots", "stacks:list_snapshots"),
        _route(
            "stack_snapshot_restore",
            "POST",
            _STACK + "/snapshots/{snapshot_id}/restore",
            "stacks:restore_snapshot",
        ),
        _route("stack_output_list", "GET", f"{_STACK}/outputs", "stacks:list_outputs"),
        _route("stack_output_show", "GET", _STACK + "/outputs/{output_key}", "stacks:show_output"),
    ),
)

_RESOURCES = Group(
    "/{tenant_id}" + _STACK,
    (
        _route("resource_index", "GET", "/resources", "resource:index"),
        _route("resource_show", "GET", "/resources/{resource_name}", "resource:show"),
        _route(
            "resource_metadata_show",
            "GET",
            "/resources/{resource_name}/metadata",
            "resource:metadata",
        ),
        _route(
            "resource_signal",
            "POST",
            "/resources/{resource_name}/signal",
            "resource:signal",
            _OPTIONAL,
        ),
        _route(
            "resource_mark_unhealthy",
            "PATCH",
            "/resources/{resource_name}",
            "resource:mark_unhealthy",
            _REQUIRED,
        ),
    ),
)

_EVENTS = Group(
    "/{tenant_id}" + _STACK,
    (
        _route("event_index_stack", "GET", "/events", "events:index"),
        _route("event_index_resource", "GET", "/resources/{resource_name}/events", "events:index"),
        _route("event_show", "GET", "/resources/{resource_name}/events/{event_id}", "events:show"),
    ),
)

_ACTIONS = Group(
    "/{tenant_id}" + _STACK,
    (_route("action_stack", "POST", "/actions", "actions:action", _OPTIONAL),),
)

_BUILD_INFO = Group(
    "/{tenant_id}", (_route("build_info", "GET", "/build_info", "build_info:build_info"),)
)

_CONFIGS = Group(
    "/{tenant_id}/software_configs",
    (
        _route("software_config_index", "GET", "", "software_configs:index"),
        _route("software_config_create", "POST", "", "software_configs:create", _REQUIRED),
        _route("software_config_show", "GET", "/{config_id}", "software_configs:show"),
        _route("software_config_delete", "DELETE", "/{config_id}", "software_configs:delete"),
    ),
)

_DEPLOYMENTS = Group(
    "/{tenant_id}/software_deployments",
    (
        _route("software_deployment_index", "GET", "", "software_deployments:index"),
        _route(
            "software_deployment_metadata",
            "GET",
            "/metadata/{server_id}",
            "software_deployments:metadata",
        ),
        _route("software_deployment_create", "POST", "", "software_deployments:create", _REQUIRED),
        _route("software_deployment_show", "GET", "/{deployment_id}", "software_deployments:show"),
        _route(
            "software_deployment_update",
            "PUT",
            "/{deployment_id}",
            "software_deployments:update",
            _REQUIRED,
        ),
        _route(
            "software_deployment_delete",
            "DELETE",
            "/{deployment_id}",
            "software_deployments:delete",
        ),
    ),
)

_SERVICES = Group(
    "/{tenant_id}",
    (_route("service_index", "GET", "/services", "service:index"),),
    closed=False,
)

GROUPS: tuple[Group, ...] = (
    _STACKS,
    _RESOURCES,
    _EVENTS,
    _ACTIONS,
    _BUILD_INFO,
    _CONFIGS,
    _DEPLOYMENTS,
    _SERVICES,
)

NOT_YET: frozenset[str] = frozenset(
    {
        "stack_abandon",
        "stack_export",
        "stack_snapshot",
        "stack_snapshot_show",
        "stack_snapshot_delete",
        "stack_list_snapshots",
        "stack_snapshot_restore",
        "software_config_index",
        "software_config_create",
        "software_config_show",
        "software_config_delete",
        "software_deployment_index",
        "software_deployment_metadata",
        "software_deployment_create",
        "software_deployment_show",
        "software_deployment_update",
        "software_deployment_delete",
    }
)
"""Routes whose operations no engine of ours has yet: answered like a path that nobody knows, to
those whom the policy would let in."""

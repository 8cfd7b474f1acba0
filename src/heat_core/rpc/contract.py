"""Every method that crosses the bus: its topic, its version and its arguments.

The version is the one a client pins on the message; a server takes it when the major number is
its own and the minor number is not above its own. `client` holds the arguments on the wire with
the defaults that a client fills in; `server` what the endpoint accepts, where that differs.
Source: facts/rpc.json.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

type Arguments = tuple[tuple[str, Any], ...]


class _Required:
    """Stands where an argument has no default."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


@dataclass(frozen=True, slots=True)
class Method:
    """One method. `client` and `server` are (name, default or REQUIRED) in order."""

    name: str
    version: str
    client: Arguments
    server: Arguments
    call: bool = True
    cast: bool = False

    def request(self, **given: Any) -> dict[str, Any]:
        """The complete arguments of a message; TypeError for a missing or an unknown one."""
        return _fill(self.name, self.client, given)

    def accept(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What the endpoint gets for a message: defaults filled in.

        TypeError for a missing or an unknown argument, as a call of a Python function gives it:
        the API answers that as a bad request (rules/f-redirects.md#24).
        """
        return _fill(self.name, self.server, arguments)


def _fill(name: str, wanted: Arguments, given: Mapping[str, Any]) -> dict[str, Any]:
    filled = {}
    for argument, default in wanted:
        value = given.get(argument, default)
        if value is REQUIRED:
            raise TypeError(f"{name}() missing required argument: {argument!r}")
        filled[argument] = value
    for argument in given:
        if argument not in filled:
            raise TypeError(f"{name}() got an unexpected keyword argument {argument!r}")
    return filled


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic: the version its servers announce and what they answer."""

    name: str
    version: str
    methods: Mapping[str, Method]

    def __getitem__(self, method: str) -> Method:
        return self.methods[method]

    def __iter__(self) -> Iterator[Method]:
        return iter(self.methods.values())

    def __contains__(self, method: object) -> bool:
        return method in self.methods


def version_accepts(server: str, requested: str) -> bool:
    """Whether a server of version `server` takes a message that asks for `requested`."""
    server_major, server_minor = (int(part) for part in server.split("."))
    major, minor = (int(part) for part in requested.split("."))
    return major == server_major and minor <= server_minor


def _arguments(signature: str) -> Arguments:
    parsed = []
    for part in filter(None, signature.split(", ")):
        name, equals, default = part.partition("=")
        parsed.append((name, ast.literal_eval(default) if equals else REQUIRED))
    return tuple(parsed)


def _method(
    name: str,
    version: str,
    client: str = "",
    *,
    server: str | None = None,
    call: bool = True,
    cast: bool = False,
) -> Method:
    wire = _arguments(client)
    return Method(name, version, wire, wire if server is None else _arguments(server), call, cast)


def _topic(name: str, version: str, *methods: Method) -> Topic:
    return Topic(name, version, MappingProxyType({method.name: method for method in methods}))


_FILTERS = "filters=None, "
_SHOWN = "show_deleted=False, show_nested=False, show_hidden=False, "
_TAGS = "tags=None, tags_any=None, not_tags=None, not_tags_any=None"
_PAGE = "limit=None, marker=None, sort_keys=None, sort_dir=None, "
_SOURCES = "template, params, files, args, environment_files=None, files_container=None"

ENGINE_METHODS = _topic(
    "engine",
    "1.36",
    _method("abandon_stack", "1.0", "stack_identity", server="stack_identity, abandon=True"),
    _method("authenticated_to_backend", "1.0"),
    _method("check_software_deployment", "1.27", "deployment_id, timeout"),
    _method(
        "count_stacks",
        "1.33",
        _FILTERS + _SHOWN + _TAGS,
        server=_FILTERS + "tenant_safe=True, " + _SHOWN + _TAGS,
    ),
    _method(
        "create_software_config",
        "1.0",
        "group, name, config, inputs=None, outputs=None, options=None",
        server="group, name, config, inputs, outputs, options",
    ),
    _method(
        "create_software_deployment",
        "1.0",
        "server_id, config_id=None, input_values=None, action='INIT', status='COMPLETE', "
        "status_reason='', stack_user_project_id=None, deployment_id=None",
        server="server_id, config_id, input_values, action, status, status_reason, "
        "stack_user_project_id, deployment_id=None",
    ),
    _method(
        "create_stack",
        "1.36",
        "stack_name, " + _SOURCES + ", owner_id=None, nested_depth=0, user_creds_id=None, "
        "stack_user_project_id=None, parent_resource_name=None, template_id=None",
    ),
    _method("delete_snapshot", "1.0", "stack_identity, snapshot_id"),
    _method("delete_software_config", "1.0", "config_id"),
    _method("delete_software_deployment", "1.0", "deployment_id"),
    _method("delete_stack", "1.0", "stack_identity", cast=True),
    _method(
        "describe_stack_resource",
        "1.2",
        "stack_identity, resource_name, with_attr=False",
        server="stack_identity, resource_name, with_attr=None",
    ),
    _method("describe_stack_resources", "1.0", "stack_identity, resource_name"),
    _method("export_stack", "1.22", "stack_identity"),
    _method("find_physical_resource", "1.0", "physical_resource_id"),
    _method("generate_template", "1.9", "type_name, template_type='cfn'"),
    _method("get_environment", "1.28", "stack_identity"),
    _method("get_files", "1.32", "stack_identity"),
    _method("get_revision", "1.0"),
    _method("get_template", "1.0", "stack_identity"),
    _method("identify_stack", "1.0", "stack_name"),
    _method("list_events", "1.31", "stack_identity, " + _FILTERS + _PAGE + "nested_depth=None"),
    _method("list_outputs", "1.19", "stack_identity"),
    _method(
        "list_resource_types",
        "1.30",
        "support_status=None, type_name=None, heat_version=None, with_description=False",
    ),
    _method("list_services", "1.4"),
    _method(
        "list_software_configs",
        "1.33",
        "limit=None, marker=None",
        server="limit=None, marker=None, tenant_safe=True",
    ),
    _method("list_software_deployments", "1.0", "server_id=None", server="server_id"),
    _method(
        "list_stack_resources",
        "1.25",
        "stack_identity, nested_depth=0, with_detail=False, filters=None",
    ),
    _method(
        "list_stacks",
        "1.33",
        _PAGE + _FILTERS + _SHOWN + _TAGS,
        server=_PAGE + _FILTERS + "tenant_safe=True, " + _SHOWN + _TAGS,
    ),
    _method("list_template_functions", "1.35", "template_version, with_condition=False"),
    _method("list_template_versions", "1.11"),
    _method("metadata_software_deployments", "1.0", "server_id"),
    _method("migrate_convergence_1", "1.34", "stack_id"),
    _method("preview_stack", "1.36", "stack_name, " + _SOURCES),
    _method("preview_update_stack", "1.36", "stack_identity, " + _SOURCES),
    _method(
        "resource_mark_unhealthy",
        "1.26",
        "stack_identity, resource_name, mark_unhealthy, resource_status_reason=None",
    ),
    _method("resource_schema", "1.30", "type_name, with_description=False"),
    _method("resource_signal", "1.3", "stack_identity, resource_name, details, sync_call=False"),
    _method("show_output", "1.19", "stack_identity, output_key"),
    _method("show_snapshot", "1.0", "stack_identity, snapshot_id"),
    _method("show_software_config", "1.0", "config_id"),
    _method("show_software_deployment", "1.0", "deployment_id"),
    _method("show_stack", "1.20", "stack_identity, resolve_outputs=True"),
    _method(
        "signal_software_deployment",
        "1.6",
        "deployment_id, details, updated_at=None",
        server="deployment_id, details, updated_at",
    ),
    _method("stack_cancel_update", "1.14", "stack_identity, cancel_with_rollback=True"),
    _method("stack_check", "1.0", "stack_identity"),
    _method("stack_list_snapshots", "1.0", "stack_identity"),
    _method("stack_restore", "1.0", "stack_identity, snapshot_id"),
    _method("stack_resume", "1.0", "stack_identity"),
    _method("stack_snapshot", "1.0", "stack_identity, name"),
    _method("stack_suspend", "1.0", "stack_identity"),
    _method(
        "update_software_deployment",
        "1.5",
        "deployment_id, config_id=None, input_values=None, output_values=None, action=None, "
        "status=None, status_reason=None, updated_at=None",
        server="deployment_id, config_id, input_values, output_values, action, status, "
        "status_reason, updated_at",
    ),
    _method("update_stack", "1.36", "stack_identity, " + _SOURCES + ", template_id=None"),
    _method(
        "validate_template",
        "1.36",
        "template, params=None, files=None, environment_files=None, files_container=None, "
        "show_nested=False, ignorable_errors=None",
    ),
)

WORKER_METHODS = _topic(
    "engine_worker",
    "1.9",
    _method("cancel_check_resource", "1.3", "stack_id", call=False, cast=True),
    _method(
        "check_resource",
        "1.9",
        "resource_id, current_traversal, data, is_update, adopt_stack_data, converge=False, "
        "skip_propagate=False, accumulated_failures=None, node_type='resource', abandon=False",
        call=False,
        cast=True,
    ),
    _method(
        "check_resource_delete_snapshot",
        "1.7",
        "snapshot_id, resource_name, start_time, is_stack_delete=False, current_traversal=None",
        server="snapshot_id, resource_name, start_time=None, is_stack_delete=False, "
        "current_traversal=None",
        call=False,
        cast=True,
    ),
)

LISTENER_METHODS = _topic(
    "heat-engine-listener",
    "1.0",
    _method("listening", "1.0"),
    _method("send", "1.0", "stack_identity, message"),
    _method("stop_stack", "1.0", "stack_identity"),
)

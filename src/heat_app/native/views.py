"""Engine answers in the form of the HTTP API: identities become links, the action and the status
one word (facts/formats.json, api)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from heat_app.native.faults import HTTPInternalServerError
from heat_app.web.parameters import Parameters
from heat_app.web.request import ApiRequest
from heat_core.stack.identity import HeatIdentifier

STACK_LIST_KEYS = frozenset(
    {
        "stack_identity",
        "stack_name",
        "description",
        "stack_status",
        "stack_status_reason",
        "creation_time",
        "deletion_time",
        "updated_time",
        "stack_owner",
        "parent",
        "stack_user_project_id",
        "tags",
    }
)
EVENT_LIST_KEYS = frozenset(
    {
        "event_identity",
        "event_time",
        "resource_name",
        "resource_status",
        "resource_status_reason",
        "physical_resource_id",
    }
)
_RESOURCE_HIDDEN = frozenset(
    {"stack_name", "stack_identity", "resource_action", "nested_stack_id", "metadata"}
)
_EVENT_HIDDEN = frozenset({"stack_identity", "stack_name", "resource_action"})


def stack_url(request: ApiRequest, identity: Mapping[str, Any]) -> str:
    """The absolute URL of an identity."""
    return _url(request, _identifier(identity))


def _identifier(identity: Mapping[str, Any]) -> HeatIdentifier:
    try:
        return HeatIdentifier.from_dict(identity)
    except ValueError:
        raise HTTPInternalServerError("Invalid Stack address") from None


def _url(request: ApiRequest, identifier: HeatIdentifier) -> str:
    return request.link(identifier.url_path())


def _link(request: ApiRequest, identifier: HeatIdentifier, relation: str) -> dict[str, str]:
    return {"href": _url(request, identifier), "rel": relation}


def _above(identifier: HeatIdentifier, levels: int) -> HeatIdentifier:
    """The identity so many path segments up."""
    segments = identifier.path.lstrip("/").split("/")[:-levels]
    path = "/".join(segments)
    return HeatIdentifier(identifier.tenant, identifier.stack_name, identifier.stack_id, path)


def format_stack(
    request: ApiRequest,
    stack: Mapping[str, Any],
    keys: Collection[str] | None = None,
    *,
    with_project: bool = False,
) -> dict[str, Any]:
    """A stack; `keys` limits what is shown, `with_project` adds whose it is."""
    shown: dict[str, Any] = {}
    for key, value in stack.items():
        if keys is not None and key not in keys:
            continue
        if key == "stack_identity":
            shown["id"] = value["stack_id"]
            shown["links"] = [_link(request, _identifier(value), "self")]
            if with_project:
                shown["project"] = value["tenant"]
        elif key == "stack_status" and "stack_action" in stack:
            shown[key] = f"{stack['stack_action']}_{value}"
        elif key != "stack_action":
            shown[key] = value
    return shown


def format_stacks(
    request: ApiRequest,
    stacks: Sequence[Mapping[str, Any]],
    parameters: Parameters,
    *,
    count: int | None,
    with_project: bool,
) -> dict[str, Any]:
    """A page of stacks, with the link to the next when there may be one (rules/o-listing.md#8)."""
    shown = [
        format_stack(request, stack, STACK_LIST_KEYS, with_project=with_project) for stack in stacks
    ]
    result: dict[str, Any] = {"stacks": shown}
    limit = _page_size(parameters)
    if limit > 0 and limit == len(shown):
        query = parameters.encode_with("marker", shown[-1]["id"])
        result["links"] = [{"rel": "next", "href": f"{request.path_url}?{query}"}]
    if count is not None:
        result["count"] = count
    return result


def _page_size(parameters: Parameters) -> int:
    try:
        return int(parameters.get("limit") or 0)
    except ValueError:
        return 0


def format_resource(request: ApiRequest, resource: Mapping[str, Any]) -> dict[str, Any]:
    """A resource."""
    shown: dict[str, Any] = {}
    for key, value in resource.items():
        if key == "resource_identity":
            identifier = _identifier(value)
            links = [
                _link(request, identifier, "self"),
                _link(request, _above(identifier, 2), "stack"),
            ]
            nested = resource.get("nested_stack_id")
            if nested:
                links.append(_link(request, _identifier(nested), "nested"))
            shown["links"] = links
        elif key in _RESOURCE_HIDDEN:
            continue
        elif key == "resource_status" and "resource_action" in resource:
            shown[key] = f"{resource['resource_action']}_{value}"
        else:
            if key == "resource_name":
                shown["logical_resource_id"] = value
            shown[key] = value
    return shown


def format_event(
    request: ApiRequest, event: Mapping[str, Any], keys: Collection[str] | None = None
) -> dict[str, Any]:
    """An event; `keys` limits what is shown."""
    shown: dict[str, Any] = {}
    for key, value in event.items():
        if keys is not None and key not in keys:
            continue
        if key == "event_identity":
            identifier = _identifier(value)
            shown["id"] = identifier.path.rpartition("/")[2]
            shown["links"] = [
                _link(request, identifier, "self"),
                _link(request, _above(identifier, 2), "resource"),
                _link(request, _above(identifier, 4), "stack"),
            ]
        elif key in _EVENT_HIDDEN:
            continue
        elif key == "resource_status" and "resource_action" in event:
            shown[key] = f"{event['resource_action']}_{value}"
        else:
            if key == "resource_name":
                shown["logical_resource_id"] = value
            shown[key] = value
    root = event.get("root_stack_id")
    if root:
        shown["links"].append(_link(request, _identifier(root), "root_stack"))
    return shown

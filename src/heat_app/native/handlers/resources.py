"""Resources of a stack, and the events of both."""

from __future__ import annotations

from heat_app.native.call import Call
from heat_app.native.faults import HTTPBadRequest, HTTPNotFound
from heat_app.native.parameters import extract_bool, extract_int
from heat_app.native.views import EVENT_LIST_KEYS, format_event, format_resource
from heat_app.web.answers import Answer, json_answer

_FILTERS = ("type", "status", "name", "action", "id", "physical_resource_id")
_KNOWN = frozenset({*_FILTERS, "nested_depth", "with_detail"})
_EVENT_FILTERS = ("resource_status", "resource_action", "resource_name", "resource_type")


async def index(call: Call) -> Answer:
    """The stack's resources (rules/o-listing.md#11-15)."""
    parameters = call.parameters
    unknown = [name for name in parameters.names() if name not in _KNOWN]
    if unknown:
        raise HTTPBadRequest(f"Invalid filter parameters {unknown}")
    depth: int | None = 0
    if "nested_depth" in parameters:
        depth = extract_int("nested_depth", parameters.get("nested_depth"))
    with_detail = False
    if "with_detail" in parameters:
        with_detail = extract_bool("with_detail", parameters.get("with_detail"))
    resources = await call.engine(
        "list_stack_resources",
        stack_identity=call.identity,
        nested_depth=depth,
        with_detail=with_detail,
        filters=parameters.mixed(*_FILTERS),
    )
    return json_answer(
        {"resources": [format_resource(call.request, resource) for resource in resources]}
    )


async def show(call: Call) -> Answer:
    """One resource; `with_attr` names attributes to look up beside the declared ones."""
    resource = await call.engine(
        "describe_stack_resource",
        stack_identity=call.identity,
        resource_name=call.variables["resource_name"],
        with_attr=call.parameters.all("with_attr") or None,
    )
    return json_answer({"resource": format_resource(call.request, resource)})


async def metadata(call: Call) -> Answer:
    """A resource's metadata."""
    resource = await call.engine(
        "describe_stack_resource",
        stack_identity=call.identity,
        resource_name=call.variables["resource_name"],
    )
    return json_answer({"metadata": resource["metadata"]})


async def signal(call: Call) -> Answer:
    """Signal a resource, or remove its hooks."""
    await call.engine(
        "resource_signal",
        stack_identity=call.identity,
        resource_name=call.variables["resource_name"],
        details=call.body,
    )
    return json_answer(None)


async def mark_unhealthy(call: Call) -> Answer:
    """Have the next update replace a resource, or take that back."""
    body = call.body
    assert body is not None, "the route requires a body"
    unknown = set(body) - {"mark_unhealthy", "resource_status_reason"}
    if unknown:
        raise HTTPBadRequest(f"Invalid keys in resource mark unhealthy {unknown}")
    if "mark_unhealthy" not in body:
        raise HTTPBadRequest("Missing mandatory (mark_unhealthy) key from mark unhealthy request")
    await call.engine(
        "resource_mark_unhealthy",
        stack_identity=call.identity,
        resource_name=call.variables["resource_name"],
        mark_unhealthy=extract_bool("mark_unhealthy", body["mark_unhealthy"]),
        resource_status_reason=body.get("resource_status_reason", ""),
    )
    return json_answer(None)


async def events(call: Call) -> Answer:
    """Events of a stack or of one resource (rules/o-listing.md#16-21)."""
    parameters = call.parameters
    page = parameters.single("limit", "marker", "sort_dir", "nested_depth")
    page |= parameters.multiple("sort_keys")
    for name in ("limit", "nested_depth"):
        if name in page:
            page[name] = extract_int(name, page[name])
    filters = parameters.mixed(*_EVENT_FILTERS)
    resource_name = call.variables.get("resource_name")
    if resource_name is not None:
        filters["resource_name"] = resource_name
    found = await call.engine(
        "list_events", stack_identity=call.identity, filters=filters or None, **page
    )
    if not found and resource_name is not None:
        raise HTTPNotFound(f"No events found for resource {resource_name}")
    return json_answer(
        {"events": [format_event(call.request, event, EVENT_LIST_KEYS) for event in found]}
    )


async def event(call: Call) -> Answer:
    """One event."""
    event_id = call.variables["event_id"]
    found = await call.engine(
        "list_events",
        stack_identity=call.identity,
        filters={"resource_name": call.variables["resource_name"], "uuid": event_id},
    )
    if not found:
        raise HTTPNotFound(f"No event {event_id} found")
    return json_answer({"event": format_event(call.request, found[0])})

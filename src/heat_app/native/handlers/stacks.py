"""Stacks: create, list, look up, show, update, delete, outputs, and their previews."""

from __future__ import annotations

from typing import Any

from heat_app.native.call import Call
from heat_app.native.faults import HTTPBadRequest, HTTPInternalServerError
from heat_app.native.parameters import extract_bool, extract_int, extract_tags
from heat_app.native.stack_data import StackData
from heat_app.native.views import format_stack, format_stacks, stack_url
from heat_app.web.answers import Answer, json_answer, no_content, plain_answer, redirect
from heat_core.errors import URLFetchError
from heat_core.rpc import RequestContext
from heat_core.stack.identity import HeatIdentifier
from heat_io.sandbox.evaluation import evaluate, evaluate_in_thread

_FILTERS = (
    "stack_name",
    "stack_action",
    "stack_status",
    "stack_status_reason",
    "disable_rollback",
    "timeout_mins",
    "stack_owner",
    "parent",
    "stack_user_project_id",
    "id",
    "status",
    "name",
    "action",
    "tenant",
    "username",
    "owner_id",
)
LARGE_BODY_BYTES = 32768
_SHOW_FLAGS = ("show_deleted", "show_nested", "show_hidden")
_TAG_FILTERS = ("tags", "tags_any", "not_tags", "not_tags_any")


def _data(call: Call, *, patch: bool = False) -> StackData:
    assert call.body is not None, "the route requires a body"
    return StackData(call.body, patch=patch, max_template_size=call.settings.max_template_size)


async def _sources(call: Call, data: StackData) -> dict[str, Any]:
    """What a stack is made from, read in the order in which its errors are told.

    Reading much YAML takes long: a large body is read in a thread, so that others are answered
    meanwhile.
    """
    fetched = await _fetched(call, data)
    if call.request.body_size + len(fetched or b"") < LARGE_BODY_BYTES:
        return await evaluate(_read_sources, data, fetched)
    return await evaluate_in_thread(_read_sources, data, fetched)


async def _fetched(call: Call, data: StackData) -> bytes | None:
    """The template behind `template_url`, where that is what the request names."""
    url = data.template_url()
    if url is None:
        return None
    try:
        return await call.fetch(url)
    except URLFetchError as error:
        raise HTTPBadRequest(f"Could not retrieve template: {error}") from None


def _read_sources(data: StackData, fetched: bytes | None) -> dict[str, Any]:
    return {
        "template": data.template(fetched),
        "params": data.environment(),
        "files": data.files(),
        "environment_files": data.environment_files(),
        "files_container": data.files_container(),
    }


# --- lists -------------------------------------------------------------------------------------


async def index(call: Call) -> Answer:
    """A page of stacks (rules/o-listing.md#1-9)."""
    if "global_tenant" in call.parameters and extract_bool(
        "global_tenant", call.parameters.get("global_tenant")
    ):
        call.authorize("stacks:global_index")
        everybody = RequestContext(is_admin=True, request_id=call.context.request_id)
        return await _list(call, everybody)
    return await _list(call, call.context)


async def _list(call: Call, context: RequestContext) -> Answer:
    parameters = call.parameters
    page = parameters.single("limit", "marker", "sort_dir", *_SHOW_FLAGS, *_TAG_FILTERS)
    page |= parameters.multiple("sort_keys")
    filters = parameters.mixed(*_FILTERS) or None
    for name in ("show_deleted", "show_nested"):
        if name in page:
            page[name] = extract_bool(name, page[name])
    if "limit" in page:
        page["limit"] = extract_int("limit", page["limit"])
    if "show_hidden" in page:
        page["show_hidden"] = extract_bool("show_hidden", page["show_hidden"])
    for name in _TAG_FILTERS:
        if name in page:
            page[name] = extract_tags(page[name])
    with_count = parameters.get("with_count")
    wants_count = extract_bool("with_count", with_count) if with_count else False

    stacks = await call.engine_as(context, "list_stacks", filters=filters, **page)
    count = None
    if wants_count:
        same = {name: page[name] for name in (*_SHOW_FLAGS, *_TAG_FILTERS) if name in page}
        count = await call.engine_as(context, "count_stacks", filters=filters, **same)
    return json_answer(
        format_stacks(call.request, stacks, parameters, count=count, with_project=context.is_admin)
    )


async def detail(call: Call) -> Answer:
    """All stacks with all that a list knows of them."""
    stacks = await call.engine("list_stacks")
    return json_answer({"stacks": [format_stack(call.request, stack) for stack in stacks]})


# --- one stack ---------------------------------------------------------------------------------


async def create(call: Call) -> Answer:
    """Begin a stack: 201 and where it is."""
    data = _data(call)
    arguments = data.arguments()
    identity = await call.engine(
        "create_stack", stack_name=data.stack_name(), args=arguments, **await _sources(call, data)
    )
    stack = format_stack(call.request, {"stack_identity": identity})
    return json_answer({"stack": stack}, 201).with_header("Location", stack["links"][0]["href"])


async def preview(call: Call) -> Answer:
    """What a create would make."""
    data = _data(call)
    arguments = data.arguments()
    stack = await call.engine(
        "preview_stack", stack_name=data.stack_name(), args=arguments, **await _sources(call, data)
    )
    return json_answer({"stack": format_stack(call.request, stack)})


async def lookup(call: Call) -> Answer:
    """Redirect from a stack's name, id or ARN to its own URL (rules/f-redirects.md#1-9)."""
    name = call.variables["stack_name"]
    try:
        identity: dict[str, Any] = HeatIdentifier.from_arn(name).to_dict()
    except ValueError:
        identity = await call.engine("identify_stack", stack_name=name)
    location = stack_url(call.request, identity)
    below = call.variables.get("path")
    if below:
        location = f"{location}/{below}"
    if call.parameters:
        location = f"{location}?{call.parameters.encode()}"
    return redirect(location, call.request.method, call.request.accept)


async def show(call: Call) -> Answer:
    """One stack."""
    resolve_outputs = True
    if "resolve_outputs" in call.parameters:
        resolve_outputs = extract_bool("resolve_outputs", call.parameters.get("resolve_outputs"))
    stacks = await call.engine(
        "show_stack", stack_identity=call.identity, resolve_outputs=resolve_outputs
    )
    if not stacks:
        raise HTTPInternalServerError
    return json_answer({"stack": format_stack(call.request, stacks[0])})


async def template(call: Call) -> Answer:
    """The stack's template as it was given."""
    return json_answer(await call.engine("get_template", stack_identity=call.identity))


async def environment(call: Call) -> Answer:
    """The stack's environment."""
    return json_answer(await call.engine("get_environment", stack_identity=call.identity))


async def files(call: Call) -> Answer:
    """The stack's files."""
    return json_answer(await call.engine("get_files", stack_identity=call.identity))


def _accepted(call: Call) -> Answer:
    return plain_answer(202, call.request.method, call.request.accept)


async def _update(call: Call, data: StackData) -> Answer:
    arguments = data.arguments(is_update=True)
    await call.engine(
        "update_stack", stack_identity=call.identity, args=arguments, **await _sources(call, data)
    )
    return _accepted(call)


async def update(call: Call) -> Answer:
    """Begin an update to a whole new template and environment: 202."""
    return await _update(call, _data(call))


async def update_patch(call: Call) -> Answer:
    """Begin an update of what is given, keeping the rest: 202.

    Its rule is stacks:update_patch even if nothing changes: the original's test for
    stacks:update_no_change never holds (http-cases, auth/reader-patch).
    """
    return await _update(call, _data(call, patch=True))


async def _preview_update(call: Call, data: StackData) -> Answer:
    arguments = data.arguments(is_update=True)
    for name in ("show_nested", "show_changes"):
        given = call.parameters.get(name)
        if given:
            arguments[name] = extract_bool(name, given)
    changes = await call.engine(
        "preview_update_stack",
        stack_identity=call.identity,
        args=arguments,
        **await _sources(call, data),
    )
    return json_answer({"resource_changes": changes})


async def preview_update(call: Call) -> Answer:
    """What an update would change."""
    return await _preview_update(call, _data(call))


async def preview_update_patch(call: Call) -> Answer:
    """What a patch would change."""
    return await _preview_update(call, _data(call, patch=True))


async def delete(call: Call) -> Answer:
    """Begin a delete: 204."""
    await call.engine("delete_stack", stack_identity=call.identity)
    return no_content()


async def abandon(call: Call) -> Answer:
    """Forget a stack and leave its resources alone; answers what adopts them again."""
    return json_answer(await call.engine("abandon_stack", stack_identity=call.identity))


async def export(call: Call) -> Answer:
    """What `abandon` answers, without the forgetting."""
    return json_answer(await call.engine("export_stack", stack_identity=call.identity))


async def list_outputs(call: Call) -> Answer:
    """Names and descriptions of the outputs."""
    outputs = await call.engine("list_outputs", stack_identity=call.identity)
    return json_answer({"outputs": outputs})


async def show_output(call: Call) -> Answer:
    """One output with its value."""
    output = await call.engine(
        "show_output", stack_identity=call.identity, output_key=call.variables["output_key"]
    )
    return json_answer({"output": output})


# --- templates ---------------------------------------------------------------------------------


async def validate_template(call: Call) -> Answer:
    """Check a template without making anything."""
    data = _data(call)
    given = call.parameters.single("show_nested", "ignore_errors")
    show_nested = False
    if "show_nested" in given:
        show_nested = extract_bool("show_nested", given["show_nested"])
    ignored = given["ignore_errors"].split(",") if "ignore_errors" in given else None
    result = await call.engine(
        "validate_template",
        show_nested=show_nested,
        ignorable_errors=ignored,
        **await _sources(call, data),
    )
    if "Error" in result:
        raise HTTPBadRequest(result["Error"])
    return json_answer(result)

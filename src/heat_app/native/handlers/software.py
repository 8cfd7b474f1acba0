"""Software configs and deployments."""

from __future__ import annotations

from typing import Any

from heat_app.native.call import Call
from heat_app.native.faults import HTTPBadRequest
from heat_app.native.parameters import extract_bool, extract_int
from heat_app.web.answers import Answer, json_answer, no_content
from heat_core.rpc import RequestContext

_CONFIG_KEYS = ("name", "group", "config", "inputs", "outputs", "options")
_DEPLOYMENT_KEYS = (
    "config_id",
    "server_id",
    "input_values",
    "action",
    "status",
    "status_reason",
    "stack_user_project_id",
)
_DEPLOYMENT_UPDATE_KEYS = (
    "config_id",
    "input_values",
    "output_values",
    "action",
    "status",
    "status_reason",
)


def _body(call: Call) -> dict[str, Any]:
    assert call.body is not None, "the route requires a body"
    return call.body


def _deleted(result: Any) -> Answer:
    """204, unless an old engine describes an error in its result."""
    if result is not None:
        raise HTTPBadRequest(result["Error"])
    return no_content()


async def list_configs(call: Call) -> Answer:
    """A page of configs."""
    context = call.context
    if "global_tenant" in call.parameters and extract_bool(
        "global_tenant", call.parameters.get("global_tenant")
    ):
        call.authorize("software_configs:global_index")
        context = RequestContext(is_admin=True, request_id=context.request_id)
    page = call.parameters.single("limit", "marker")
    if "limit" in page:
        page["limit"] = extract_int("limit", page["limit"])
    configs = await call.engine_as(context, "list_software_configs", **page)
    return json_answer({"software_configs": configs})


async def show_config(call: Call) -> Answer:
    """One config."""
    config = await call.engine("show_software_config", config_id=call.variables["config_id"])
    return json_answer({"software_config": config})


async def create_config(call: Call) -> Answer:
    """Store a config."""
    body = _body(call)
    given = {key: body.get(key) for key in _CONFIG_KEYS}
    for key, empty in (("inputs", []), ("outputs", []), ("options", {})):
        given[key] = given[key] or empty
    config = await call.engine("create_software_config", **given)
    return json_answer({"software_config": config})


async def delete_config(call: Call) -> Answer:
    """Delete a config: 204."""
    return _deleted(
        await call.engine("delete_software_config", config_id=call.variables["config_id"])
    )


async def list_deployments(call: Call) -> Answer:
    """Deployments, of one server if it is named."""
    deployments = await call.engine(
        "list_software_deployments", **call.parameters.single("server_id")
    )
    return json_answer({"software_deployments": deployments})


async def server_metadata(call: Call) -> Answer:
    """The deployments of a server as its agent reads them."""
    found = await call.engine(
        "metadata_software_deployments", server_id=call.variables["server_id"]
    )
    return json_answer({"metadata": found})


async def show_deployment(call: Call) -> Answer:
    """One deployment."""
    deployment = await call.engine(
        "show_software_deployment", deployment_id=call.variables["deployment_id"]
    )
    return json_answer({"software_deployment": deployment})


async def create_deployment(call: Call) -> Answer:
    """Store a deployment."""
    body = _body(call)
    given = {key: body.get(key) for key in _DEPLOYMENT_KEYS}
    given["input_values"] = given["input_values"] or {}
    deployment = await call.engine("create_software_deployment", **given)
    return json_answer({"software_deployment": deployment})


async def update_deployment(call: Call) -> Answer:
    """Change the given parts of a deployment."""
    body = _body(call)
    changes = {key: body[key] for key in _DEPLOYMENT_UPDATE_KEYS if body.get(key) is not None}
    deployment = await call.engine(
        "update_software_deployment", deployment_id=call.variables["deployment_id"], **changes
    )
    return json_answer({"software_deployment": deployment})


async def delete_deployment(call: Call) -> Answer:
    """Delete a deployment: 204."""
    return _deleted(
        await call.engine(
            "delete_software_deployment", deployment_id=call.variables["deployment_id"]
        )
    )

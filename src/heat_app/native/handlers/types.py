"""Resource types, template versions, build information and services."""

from __future__ import annotations

from heat_app.native.call import Call
from heat_app.native.faults import HTTPServiceUnavailable
from heat_app.native.parameters import extract_bool, extract_template_type
from heat_app.web.answers import Answer, json_answer
from heat_core.rpc import CallTimeout


async def list_resource_types(call: Call) -> Answer:
    """Names of the types, or names with descriptions."""
    parameters = call.parameters
    wanted = parameters.get("with_description")
    types = await call.engine(
        "list_resource_types",
        support_status=parameters.get("support_status"),
        type_name=parameters.get("name"),
        heat_version=parameters.get("version"),
        with_description=(
            extract_bool("with_description", wanted) if wanted is not None else False
        ),
    )
    return json_answer({"resource_types": types})


async def resource_schema(call: Call) -> Answer:
    """One type's properties and attributes. The query is not looked at."""
    return json_answer(await call.engine("resource_schema", type_name=call.variables["type_name"]))


async def generate_template(call: Call) -> Answer:
    """A template that wraps one type."""
    kind = "cfn"
    given = call.parameters.get("template_type")
    if given is not None:
        kind = extract_template_type(given)
    return json_answer(
        await call.engine(
            "generate_template", type_name=call.variables["type_name"], template_type=kind
        )
    )


async def list_template_versions(call: Call) -> Answer:
    """The template versions."""
    return json_answer({"template_versions": await call.engine("list_template_versions")})


async def list_template_functions(call: Call) -> Answer:
    """The functions of a template version."""
    wanted = call.parameters.get("with_condition_func")
    functions = await call.engine(
        "list_template_functions",
        template_version=call.variables["template_version"],
        with_condition=(
            extract_bool("with_condition_func", wanted) if wanted is not None else False
        ),
    )
    return json_answer({"template_functions": functions})


async def build_info(call: Call) -> Answer:
    """The revisions of the API and of the engine that answers."""
    revision = await call.engine("get_revision")
    return json_answer(
        {
            "api": {"revision": call.settings.revision.heat_revision},
            "engine": {"revision": revision},
        }
    )


async def list_services(call: Call) -> Answer:
    """The engines; 503 when none of them answers."""
    try:
        services = await call.engine("list_services")
    except CallTimeout:
        raise HTTPServiceUnavailable("All heat engines are down.") from None
    return json_answer({"services": services})

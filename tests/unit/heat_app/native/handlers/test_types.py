"""Resource types, template versions, build information, services."""

from dataclasses import replace
from typing import Any

import pytest

from heat_app.config import RevisionSettings, Settings
from heat_core.rpc import CallTimeout, RequestContext

ADMIN = RequestContext(project_id="PID", roles=("admin", "member", "reader"))


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ("", {}),
        (
            "?support_status=SUPPORTED&name=OS::.*&version=5",
            {
                "support_status": "SUPPORTED",
                "type_name": "OS::.*",
                "heat_version": "5",
            },
        ),
        ("?with_description=True", {"with_description": True}),
        ("?name=", {"type_name": ""}),
    ],
)
async def test_resource_types(make_api: Any, query: str, arguments: dict[str, Any]) -> None:
    api = make_api({"list_resource_types": ["T"]})
    got = await api.request("GET", f"/v1/PID/resource_types{query}")
    assert got.json == {"resource_types": ["T"]}
    defaults = {
        "support_status": None,
        "type_name": None,
        "heat_version": None,
        "with_description": False,
    }
    assert api.engine.calls == [("list_resource_types", {**defaults, **arguments})]


async def test_resource_schema_ignores_the_query(make_api: Any) -> None:
    api = make_api({"resource_schema": {"resource_type": "T"}})
    got = await api.request("GET", "/v1/PID/resource_types/OS::X::Y?with_description=yes")
    assert got.json == {"resource_type": "T"}
    assert api.engine.calls == [
        ("resource_schema", {"type_name": "OS::X::Y", "with_description": False})
    ]


@pytest.mark.parametrize(("query", "kind"), [("", "cfn"), ("?template_type=HOT", "hot")])
async def test_generated_template(make_api: Any, query: str, kind: str) -> None:
    api = make_api({"generate_template": {}})
    await api.request("GET", f"/v1/PID/resource_types/T/template{query}")
    assert api.engine.calls == [("generate_template", {"type_name": "T", "template_type": kind})]
    got = await api.request("GET", "/v1/PID/resource_types/T/template?template_type=")
    assert got.status == 400


async def test_template_versions_and_functions(make_api: Any) -> None:
    api = make_api({"list_template_versions": [1], "list_template_functions": [2]})
    got = await api.request("GET", "/v1/PID/template_versions")
    assert got.json == {"template_versions": [1]}
    got = await api.request(
        "GET", "/v1/PID/template_versions/hot.2018/functions?with_condition_func=true"
    )
    assert got.json == {"template_functions": [2]}
    assert api.engine.calls[1] == (
        "list_template_functions",
        {"template_version": "hot.2018", "with_condition": True},
    )


async def test_build_info(make_api: Any) -> None:
    settings = replace(Settings(), revision=RevisionSettings(heat_revision="r1"))
    got = await make_api({"get_revision": "r2"}, settings=settings).request(
        "GET", "/v1/PID/build_info"
    )
    assert got.json == {"api": {"revision": "r1"}, "engine": {"revision": "r2"}}


async def test_services(make_api: Any) -> None:
    api = make_api({"list_services": [{"id": "x"}]}, contexts={"t": ADMIN})
    assert (await api.request("GET", "/v1/PID/services")).json == {"services": [{"id": "x"}]}
    api = make_api({"list_services": CallTimeout()}, contexts={"t": ADMIN})
    got = await api.request("GET", "/v1/PID/services")
    assert (got.status, got.message) == (503, "All heat engines are down.")
    assert (got.json["title"], got.json["error"]["type"]) == (
        "Service Unavailable",
        "HTTPServiceUnavailable",
    )

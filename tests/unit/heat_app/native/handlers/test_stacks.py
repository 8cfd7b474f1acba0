"""Stack operations: what the engine is asked, what the client is told."""

from typing import Any

import pytest
import trio
import trio.testing

IDENTITY = {"tenant": "PID", "stack_name": "s", "stack_id": "SID", "path": ""}
HOT = {"heat_template_version": "2018-08-31"}
STACKS = "/v1/PID/stacks"
STACK = f"{STACKS}/s/SID"
URL = "http://api.example:8004/v1/PID/stacks/s/SID"
ENVIRONMENT: dict[str, Any] = {
    "parameters": {},
    "resource_registry": {},
    "parameter_defaults": {},
    "encrypted_param_names": [],
    "event_sinks": [],
}
SOURCES: dict[str, Any] = {
    "template": HOT,
    "params": ENVIRONMENT,
    "files": {},
    "environment_files": None,
    "files_container": None,
}
NO_LIST_ARGUMENTS: dict[str, Any] = {
    "limit": None,
    "marker": None,
    "sort_keys": None,
    "sort_dir": None,
    "filters": None,
    "show_deleted": False,
    "show_nested": False,
    "show_hidden": False,
    "tags": None,
    "tags_any": None,
    "not_tags": None,
    "not_tags_any": None,
}


async def test_create(make_api: Any) -> None:
    api = make_api({"create_stack": IDENTITY})
    body = {"stack_name": "s", "template": HOT, "timeout_mins": "3", "tags": "a,b", "x": 1}
    got = await api.request("POST", STACKS, body=body)
    assert (got.status, got.headers["location"]) == (201, URL)
    assert got.json == {"stack": {"id": "SID", "links": [{"href": URL, "rel": "self"}]}}
    [(method, arguments)] = api.engine.calls
    assert method == "create_stack"
    assert arguments == {
        "stack_name": "s",
        **SOURCES,
        "args": {"timeout_mins": 3, "tags": ["a", "b"], "x": 1},
        "owner_id": None,
        "nested_depth": 0,
        "user_creds_id": None,
        "stack_user_project_id": None,
        "parent_resource_name": None,
        "template_id": None,
    }


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"timeout_mins": "x"}, "Only integer is acceptable by 'timeout_mins'."),
        ({"template": 1}, "No stack name specified"),
        ({"stack_name": "s", "environment": "x"}, "No template specified"),
        (
            {"stack_name": "s", "template": HOT, "environment": "x"},
            "Environment not in valid format: "
            "The environment is not a valid YAML mapping data type.",
        ),
    ],
)
async def test_create_tells_the_first_error(make_api: Any, body: Any, message: str) -> None:
    got = await make_api({}).request("POST", STACKS, body=body)
    assert (got.status, got.message) == (400, message)


async def test_create_from_a_url(make_api: Any) -> None:
    pages = {"https://h/t.yaml": b"heat_template_version: 2018-08-31"}
    api = make_api({"create_stack": IDENTITY}, pages=pages)
    body = {"stack_name": "s", "template_url": "https://h/t.yaml"}
    got = await api.request("POST", STACKS, body=body)
    assert got.status == 201
    [(_, arguments)] = api.engine.calls
    assert arguments["template"] == HOT


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("file:///etc/passwd", "Invalid URL scheme file"),
        ("nothing", "Invalid URL scheme "),
        ("http://h/t", "Failed to retrieve template from http://h/t"),
    ],
)
async def test_a_url_that_gives_no_template(make_api: Any, url: str, text: str) -> None:
    api = make_api()
    for path in (STACKS, "/v1/PID/validate"):
        got = await api.request("POST", path, body={"stack_name": "s", "template_url": url})
        assert (got.status, got.message) == (400, f"Could not retrieve template: {text}")


async def test_list_defaults(make_api: Any) -> None:
    api = make_api({"list_stacks": []})
    got = await api.request("GET", f"{STACKS}?foo=1&limit=&tags=")
    assert got.json == {"stacks": []}
    assert api.engine.calls == [("list_stacks", NO_LIST_ARGUMENTS)]


async def test_list_with_everything(make_api: Any) -> None:
    found = [{"stack_identity": IDENTITY, "stack_name": "s", "parameters": {"secret": 1}}]
    api = make_api({"list_stacks": found, "count_stacks": 7})
    query = (
        "limit=1&marker=M&sort_keys=a&sort_keys=b&sort_dir=asc&show_deleted=True&show_nested=true"
        "&show_hidden=false&tags=a,b&not_tags_any=c&with_count=true&name=x&name=y&status=Z"
    )
    got = await api.request("GET", f"{STACKS}?{query}")
    shared_arguments = {
        "filters": {"name": ["x", "y"], "status": "Z"},
        "show_deleted": True,
        "show_nested": True,
        "show_hidden": False,
        "tags": ["a", "b"],
        "tags_any": None,
        "not_tags": None,
        "not_tags_any": ["c"],
    }
    page = {"limit": 1, "marker": "M", "sort_keys": ["a", "b"], "sort_dir": "asc"}
    assert api.engine.calls == [
        ("list_stacks", {**page, **shared_arguments}),
        ("count_stacks", shared_arguments),
    ]
    assert list(got.json) == ["stacks", "links", "count"]
    assert got.json["stacks"] == [
        {"id": "SID", "links": [{"href": URL, "rel": "self"}], "stack_name": "s"}
    ]
    assert got.json["links"][0]["href"].endswith("name=y&status=Z&marker=SID")
    assert got.json["count"] == 7


@pytest.mark.parametrize(
    "query",
    ["limit=-1", "limit=x", "show_deleted=1", "show_nested=1", "show_hidden=x", "with_count=1"],
)
async def test_list_with_bad_values(make_api: Any, query: str) -> None:
    api = make_api({})
    assert (await api.request("GET", f"{STACKS}?{query}")).status == 400
    assert api.engine.calls == []


async def test_global_list_needs_its_own_rule(make_api: Any) -> None:
    got = await make_api({}).request("GET", f"{STACKS}?global_tenant=true")
    assert got.message == "You are not authorized to use stacks:global_index."
    assert (await make_api({}).request("GET", f"{STACKS}?global_tenant=1")).status == 400


async def test_an_administrators_list_says_whose_stacks_they_are(make_api: Any) -> None:
    from heat_core.rpc import RequestContext

    admin = RequestContext(project_id="PID", roles=("admin", "member", "reader"))
    api = make_api({"list_stacks": [{"stack_identity": IDENTITY}]}, contexts={"t": admin})
    assert (await api.request("GET", STACKS)).json["stacks"][0]["project"] == "PID"


async def test_detail(make_api: Any) -> None:
    api = make_api({"list_stacks": [{"stack_identity": IDENTITY, "more": 1}]})
    got = await api.request("GET", f"{STACKS}/detail?limit=x")
    assert got.json["stacks"][0]["more"] == 1
    assert api.engine.calls == [("list_stacks", NO_LIST_ARGUMENTS)]


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/s", URL),
        ("/s?a=1&a=2&b=%C3%A9", f"{URL}?a=1&a=2&b=%C3%A9"),
        ("/s/events?a=", f"{URL}/events?a="),
    ],
)
async def test_lookup(make_api: Any, path: str, location: str) -> None:
    api = make_api({"identify_stack": IDENTITY})
    got = await api.request("GET", STACKS + path)
    assert (got.status, got.headers["location"]) == (302, location)
    assert api.engine.calls == [("identify_stack", {"stack_name": "s"})]


async def test_lookup_by_arn_asks_nobody(make_api: Any) -> None:
    api = make_api({})
    arn = "arn:openstack:heat::OTHER:stacks/s%2520x/SID/resources/r"
    got = await api.request("PATCH", f"{STACKS}/{arn}", body={})
    assert got.headers["location"] == (
        "http://api.example:8004/v1/OTHER/stacks/s%20x/SID/resources/r"
    )
    assert api.engine.calls == []


async def test_lookup_by_a_name_that_only_looks_like_an_arn(make_api: Any) -> None:
    api = make_api({"identify_stack": IDENTITY})
    await api.request("GET", f"{STACKS}/arn:openstack:heat::PID:other")
    assert api.engine.calls == [("identify_stack", {"stack_name": "arn:openstack:heat::PID:other"})]


async def test_form_parameters_join_the_redirect(make_api: Any) -> None:
    api = make_api({"identify_stack": IDENTITY})
    got = await api.request(
        "POST",
        f"{STACKS}/s?q=1",
        body=b"a=1&b=2",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert got.headers["location"] == f"{URL}?q=1&a=1&b=2"


async def test_show(make_api: Any) -> None:
    api = make_api({"show_stack": [{"stack_identity": IDENTITY, "stack_status": "X"}]})
    got = await api.request("GET", f"{STACK}?resolve_outputs=False")
    assert got.json["stack"]["id"] == "SID"
    assert api.engine.calls == [
        ("show_stack", {"stack_identity": IDENTITY, "resolve_outputs": False})
    ]
    got = await make_api({"show_stack": []}).request("GET", STACK)
    assert (got.status, got.json["error"]["type"]) == (500, "HTTPInternalServerError")


@pytest.mark.parametrize(
    ("below", "method"),
    [
        ("template", "get_template"),
        ("environment", "get_environment"),
        ("files", "get_files"),
        ("export", "export_stack"),
    ],
)
async def test_what_the_engine_says_is_passed_on(make_api: Any, below: str, method: str) -> None:
    api = make_api({method: {"anything": None}}, not_yet=frozenset())
    got = await api.request("GET", f"{STACK}/{below}")
    assert got.json == {"anything": None}
    assert api.engine.calls == [(method, {"stack_identity": IDENTITY})]


async def test_update(make_api: Any) -> None:
    api = make_api({"update_stack": IDENTITY})
    got = await api.request(
        "PUT",
        STACK,
        body={"template": HOT, "converge": True},
        headers={"Accept": "application/json"},
    )
    assert (got.status, got.json["code"]) == (202, "202 Accepted")
    [(_, arguments)] = api.engine.calls
    assert arguments["args"] == {"converge": True}
    assert arguments["stack_identity"] == IDENTITY
    assert {key: arguments[key] for key in SOURCES} == SOURCES


async def test_patch(make_api: Any) -> None:
    api = make_api({"update_stack": IDENTITY}, not_yet=frozenset())
    assert (await api.request("PATCH", STACK, body={"parameters": {"a": 1}})).status == 202
    [(_, arguments)] = api.engine.calls
    assert arguments["args"] == {"existing": True}
    assert arguments["template"] is None
    assert arguments["params"]["parameters"] == {"a": 1}


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_preview_of_an_update(make_api: Any, method: str) -> None:
    api = make_api({"preview_update_stack": {"added": []}}, not_yet=frozenset())
    got = await api.request(method, f"{STACK}/preview?show_nested=TRUE", body={"template": HOT})
    assert got.json == {"resource_changes": {"added": []}}
    [(_, arguments)] = api.engine.calls
    assert arguments["args"]["show_nested"] is True
    got = await api.request(method, f"{STACK}/preview?show_nested=1", body={"template": HOT})
    assert got.status == 400


async def test_preview_of_a_create(make_api: Any) -> None:
    api = make_api({"preview_stack": {"stack_identity": IDENTITY}}, not_yet=frozenset())
    got = await api.request("POST", f"{STACKS}/preview", body={"stack_name": "s", "template": HOT})
    assert got.json == {"stack": {"id": "SID", "links": [{"href": URL, "rel": "self"}]}}


async def test_delete_and_abandon(make_api: Any) -> None:
    api = make_api({"delete_stack": None, "abandon_stack": {"name": "s"}}, not_yet=frozenset())
    got = await api.request("DELETE", STACK)
    assert (got.status, got.body) == (204, b"")
    assert "content-type" not in got.headers
    assert "content-length" not in got.headers
    assert (await api.request("DELETE", f"{STACK}/abandon")).json == {"name": "s"}


async def test_outputs(make_api: Any) -> None:
    api = make_api({"list_outputs": [{"output_key": "o"}], "show_output": {"output_value": 1}})
    assert (await api.request("GET", f"{STACK}/outputs")).json == {"outputs": [{"output_key": "o"}]}
    got = await api.request("GET", f"{STACK}/outputs/a%20b")
    assert got.json == {"output": {"output_value": 1}}
    assert api.engine.calls[1] == (
        "show_output",
        {"stack_identity": IDENTITY, "output_key": "a b"},
    )


async def test_validate(make_api: Any) -> None:
    api = make_api({"validate_template": {"Description": "d"}})
    got = await api.request(
        "POST", "/v1/PID/validate?show_nested=true&ignore_errors=a,b", body={"template": HOT}
    )
    assert got.json == {"Description": "d"}
    assert api.engine.calls == [
        (
            "validate_template",
            {**SOURCES, "show_nested": True, "ignorable_errors": ["a", "b"]},
        )
    ]
    api = make_api({"validate_template": {"Error": "bad"}})
    got = await api.request("POST", "/v1/PID/validate", body={"template": HOT})
    assert (got.status, got.message) == (400, "bad")


async def test_a_large_template_does_not_hold_up_others(make_api: Any) -> None:
    api = make_api({"create_stack": IDENTITY, "list_stacks": []})
    lines = "\n".join(f"  r{number}: {{type: OS::Heat::None}}" for number in range(4000))
    text = f"heat_template_version: 2018-08-31\nresources:\n{lines}"
    order: list[str] = []

    async def create() -> None:
        got = await api.request("POST", STACKS, body={"stack_name": "s", "template": text})
        order.append(f"create {got.status}")

    async def list_() -> None:
        got = await api.request("GET", STACKS)
        order.append(f"list {got.status}")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(create)
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(list_)
    assert order == ["list 200", "create 201"]
    assert len(api.engine.calls[1][1]["template"]["resources"]) == 4000

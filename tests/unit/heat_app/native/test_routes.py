"""The table of operations equals the recorded one, for every path and method."""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from heat_app.engine.service import NOUNS
from heat_app.native.handlers import HANDLERS, OWN_AUTHORIZATION
from heat_app.native.routes import GROUPS, NOT_YET
from heat_app.web.routing import Body, Found, Refused, Router
from heat_core.errors import EntityNotFound
from heat_core.rpc import ENGINE_METHODS, RequestContext

ROUTES = [(group, route) for group in GROUPS for route in group.routes]


def _dotted(action: str) -> str:
    return action.replace(":", ".")


def test_every_recorded_operation_is_there(shared: Path) -> None:
    recorded = json.loads((shared / "facts" / "routes.json").read_text())["native"]
    theirs = [
        (
            tuple(route["methods"]),
            route["path"].replace("\\x3A", ":"),
            route["action"],
            route["body"].split(" ")[0],
        )
        for route in recorded["routes"]
    ]
    ours = [
        (route.methods, group.prefix + route.path, _dotted(route.action), route.body.value)
        for group, route in ROUTES
    ]
    assert ours == theirs
    assert sum(len(methods) for methods, *_ in ours) == recorded["count_operations"]


def test_the_method_matrix(shared: Path) -> None:
    facts = json.loads((shared / "facts" / "routes.json").read_text())
    router = Router(GROUPS)
    compared = 0
    for template, methods in facts["native_method_matrix"].items():
        path = re.sub(r"\{(\w+)\}", r"x-\1", template).replace(
            "arn:...", "arn:openstack:heat::p:stacks/s/i"
        )
        for method, expected in methods.items():
            outcome = router.match(method, path)
            if isinstance(outcome, Refused):
                shown = f"{204 if outcome.is_options else 405} Allow: {outcome.allowed}"
            else:
                shown = _dotted(outcome.route.action) if isinstance(outcome, Found) else "404"
            assert shown == expected, (method, template)
            compared += 1
    assert compared > 200


def test_every_action_has_a_handler() -> None:
    actions = {route.action for _, route in ROUTES}
    assert actions == set(HANDLERS)
    assert actions >= OWN_AUTHORIZATION


def test_what_is_not_built_yet_are_routes() -> None:
    assert {route.name for _, route in ROUTES} >= NOT_YET


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/p/stacks/arn:openstack:heat::p:stacks/s/i/resources/r", "stack_lookup"),
        ("/p/stacks/a/resources", "stack_lookup_subpath"),
        ("/p/stacks/a/outputs", "stack_show"),
        ("/p/stacks/preview", "stack_lookup"),
        ("/p/software_deployments/metadata", "software_deployment_show"),
    ],
)
def test_paths_that_two_routes_would_take(path: str, name: str) -> None:
    outcome = Router(GROUPS).match("GET", path)
    assert isinstance(outcome, Found)
    assert outcome.route.name == name


def test_bodies_are_optional_where_the_request_is_only_redirected() -> None:
    optional = {route.action for _, route in ROUTES if route.body is Body.OPTIONAL}
    assert optional == {"stacks:lookup", "resource:signal", "actions:action"}


_BODIES: dict[str, dict[str, Any]] = {
    "stack_create": {"template": {"heat_template_version": "2018-08-31"}, "stack_name": "s"},
    "resource_mark_unhealthy": {"mark_unhealthy": True},
    "action_stack": {"check": None},
}


async def test_what_is_open_is_built(make_api: Any) -> None:
    """No operation that the table lets through asks an engine for a method that it lacks."""
    built = {
        method.name for method in ENGINE_METHODS for noun in NOUNS if hasattr(noun, method.name)
    }
    administrator = RequestContext(project_id="x-tenant_id", roles=("admin", "member", "reader"))
    asked: set[str] = set()
    for group, route in ROUTES:
        if route.name in NOT_YET:
            continue
        template = group.prefix + route.path
        path = re.sub(r"\{(\w+)(:[^}]*)?\}", r"x-\1", template).replace("x-path", "template")
        body = _BODIES.get(route.name, _BODIES["stack_create"])
        api = make_api(
            defaultdict(lambda: EntityNotFound(entity="Thing", name="x")),
            contexts={"t": administrator},
        )
        for method in route.methods:
            got = await api.request(
                method, f"/v1{path}", body=None if route.body is Body.NONE else body
            )
            assert (got.status, got.json["error"]["type"]) == (404, "EntityNotFound"), path
        asked |= {method for method, _ in api.engine.calls}
    assert asked <= built
    assert len(asked) >= 20

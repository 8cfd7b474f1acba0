"""What a request asks for: by its path, at `/` by the parameter Action (facts/routes.json, cfn)."""

from __future__ import annotations

from heat_app.cfn.errors import InvalidAction
from heat_app.web.parameters import Parameters
from heat_app.web.routing import ALL_METHODS, Group, Refused, Route, Router

__all__ = ["ACTIONS", "BY_PARAMETER", "NO_ACTION", "action_of", "find"]

ACTIONS = (
    "ListStacks",
    "CreateStack",
    "DescribeStacks",
    "DeleteStack",
    "UpdateStack",
    "CancelUpdateStack",
    "DescribeStackEvents",
    "ValidateTemplate",
    "GetTemplate",
    "EstimateTemplateCost",
    "DescribeStackResource",
    "DescribeStackResources",
    "ListStackResources",
)
BY_PARAMETER = "by parameter"
NO_ACTION = ""
_EVERY_METHOD = (*ALL_METHODS, "OPTIONS")


def _route(method: str, path: str, action: str) -> Route:
    return Route(path, (method,), path, action)


_ROUTER = Router(
    [
        Group(
            "",
            (
                _route("POST", "/stacks", "CreateStack"),
                _route("POST", "/stacks.{format}", "CreateStack"),
                _route("GET", "/stacks", NO_ACTION),
                _route("GET", "/stacks.{format}", NO_ACTION),
                _route("GET", "/stacks/{id}/edit", NO_ACTION),
                _route("GET", "/stacks/{id}/edit.{format}", NO_ACTION),
                _route("PUT", "/stacks/{id}", "UpdateStack"),
                _route("DELETE", "/stacks/{id}", "DeleteStack"),
                _route("GET", "/stacks/{id}", NO_ACTION),
                Route("/", _EVERY_METHOD, "/", BY_PARAMETER),
                _route("PUT", "/waitcondition/{arn:.*}", "waitcondition"),
                _route("POST", "/signal/{arn:.*}", "signal"),
            ),
            closed=False,
        )
    ]
)


def find(method: str, path: str) -> str | None:
    """What there is at the path for this method: an action's name, BY_PARAMETER for the parameter
    Action to tell, NO_ACTION for a path that only other methods do something at; None for a path
    that nobody knows."""
    found = _ROUTER.match(method, path)
    assert not isinstance(found, Refused), "an open group refuses nothing"
    return None if found is None else found.route.action


def action_of(found: str, parameters: Parameters) -> str:
    """The action that is asked for: one of ACTIONS, `signal` or `waitcondition`.

    `found` is what `find` gave. Raises InvalidAction where no action, or none that is known, is
    asked for.
    """
    action = found
    if found == BY_PARAMETER:
        action = parameters.get("Action") or NO_ACTION
        if action not in ACTIONS:
            raise InvalidAction
    if action == NO_ACTION:
        raise InvalidAction
    return action

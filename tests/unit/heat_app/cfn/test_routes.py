"""What requests ask for is what Heat's own table of routes says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from heat_app.cfn.errors import InvalidAction
from heat_app.cfn.routes import ACTIONS, BY_PARAMETER, NO_ACTION, action_of, find
from heat_app.web.parameters import Parameters

OF_HANDLERS = {"create": "CreateStack", "update": "UpdateStack", "delete": "DeleteStack"}


@pytest.fixture
def facts(shared: Path) -> Any:
    return json.loads((shared / "facts" / "routes.json").read_text())["cfn"]


def test_the_actions(facts: Any) -> None:
    assert set(ACTIONS) == {name for name in facts["actions"] if not name.startswith("_")}


def test_the_paths(facts: Any) -> None:
    seen = 0
    for route in facts["routes"]:
        if "method" not in route["conditions"]:
            assert route["path"] == "/"
            continue
        path = re.sub(r":\((\w+)\)", r"\1", route["path"]).replace("{arn:.*}", "arn:a:b/c")
        (method,) = route["conditions"]["method"]
        found = find(method, path)
        if route["handler"].startswith("SignalController"):
            assert found == path.split("/")[1]
        elif route["result"] is not None:
            assert found == NO_ACTION, route
        else:
            assert found == OF_HANDLERS[route["action"]], route
        seen += 1
    assert seen >= 16


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS"])
def test_at_the_root_a_parameter_tells(method: str) -> None:
    assert find(method, "/") == BY_PARAMETER


def test_what_nobody_knows() -> None:
    assert find("GET", "/signals") is None
    assert find("GET", "/signal/arn") is None
    assert find("GET", "") is None  # of /v1 without a slash
    assert find("PATCH", "/stacks/x") is None


def test_the_action_of_a_request() -> None:
    assert action_of(BY_PARAMETER, Parameters.parse(b"Action=GetTemplate")) == "GetTemplate"
    assert action_of("signal", Parameters.parse(b"Action=GetTemplate")) == "signal"
    for found, given in ((BY_PARAMETER, b""), (BY_PARAMETER, b"Action=signal"), (NO_ACTION, b"")):
        with pytest.raises(InvalidAction):
            action_of(found, Parameters.parse(given))

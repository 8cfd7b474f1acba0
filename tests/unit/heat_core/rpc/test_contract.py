from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heat_core.rpc import (
    ENGINE_METHODS,
    LISTENER_METHODS,
    REQUIRED,
    WORKER_METHODS,
    version_accepts,
)
from heat_core.rpc.contract import Arguments


def _signature(arguments: Arguments) -> list[str]:
    return [n if d is REQUIRED else f"{n}={d!r}" for n, d in arguments]


@pytest.mark.parametrize("topic", [ENGINE_METHODS, WORKER_METHODS, LISTENER_METHODS])
def test_the_table_equals_the_measured_contract(topic: Any, shared: Path) -> None:
    facts = json.loads((shared / "facts" / "rpc.json").read_text())["topics"][topic.name]
    assert topic.version == facts["server_version"]
    server_only = set(facts["server_only"])
    assert {method.name for method in topic} == set(facts["methods"]) | server_only
    for name, fact in facts["methods"].items():
        method = topic[name]
        assert method.version == fact["version"]
        assert (method.call, method.cast) == ("call" in fact["mode"], "cast" in fact["mode"])
        wire = [a for a in fact["client_signature"] if a.split("=")[0] in fact["wire_args"]]
        assert _signature(method.client) == wire
        assert _signature(method.server) == fact["server"]
    for name in server_only:
        assert _signature(topic[name].server) == facts["server_only"][name]["args"]


def test_a_request_is_complete() -> None:
    assert ENGINE_METHODS["show_stack"].request(stack_identity={"a": 1}) == {
        "stack_identity": {"a": 1},
        "resolve_outputs": True,
    }


def test_wrong_arguments_are_type_errors() -> None:
    method = ENGINE_METHODS["describe_stack_resource"]
    assert method.accept({"stack_identity": {}, "resource_name": "r"})["with_attr"] is None
    with pytest.raises(TypeError, match=r"^describe_stack_resource\(\) missing .*'resource_name'"):
        method.accept({"stack_identity": {}})
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'x'$"):
        method.request(stack_identity={}, resource_name="r", x=1)


def test_a_topic_knows_its_methods() -> None:
    assert "check_resource" in WORKER_METHODS
    assert "show_stack" not in WORKER_METHODS
    assert repr(REQUIRED) == "REQUIRED"


@pytest.mark.parametrize(
    ("server", "requested", "accepted"),
    [
        ("1.36", "1.36", True),
        ("1.36", "1.0", True),
        ("1.36", "1.37", False),
        ("1.36", "2.0", False),
        ("2.0", "1.0", False),
        ("1.9", "1.10", False),
    ],
)
def test_versions(server: str, requested: str, accepted: bool) -> None:
    assert version_accepts(server, requested) is accepted

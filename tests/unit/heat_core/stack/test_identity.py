from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heat_core.stack import HeatIdentifier


def _vectors(shared: Path, group: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        (shared / "facts" / "identity-vectors.json").read_text()
    )[group]
    assert found
    return found


def test_parses_an_arn(shared: Path) -> None:
    for vector in _vectors(shared, "from_arn"):
        _check_parse(HeatIdentifier.from_arn, vector["arn"], vector)


def test_finds_the_arn_in_a_url(shared: Path) -> None:
    for vector in _vectors(shared, "from_arn_url"):
        _check_parse(HeatIdentifier.from_arn_url, vector["url"], vector)


def _check_parse(parse: Any, text: str, vector: dict[str, Any]) -> None:
    if "error" in vector:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared below
            parse(text)
        assert str(caught.value) == vector["error"]
    else:
        assert parse(text).to_dict() == vector["identity"]


def test_prints_every_form(shared: Path) -> None:
    for vector in _vectors(shared, "to_text"):
        _check_forms(vector)


def _check_forms(vector: dict[str, Any]) -> None:
    given = dict(vector["identity"], path=vector.get("given_path", ""))
    identity = HeatIdentifier.from_dict(given)
    if "event_id" in vector:
        identity = identity.event("r é", vector["event_id"])
        assert identity.event_id == vector["event_id"]
        assert identity.resource_name == "r é"
    elif "resource_name" in vector:
        identity = identity.resource(vector["resource_name"])
        assert identity.resource_name == vector["resource_name"]
        assert identity.event_id is None
    assert identity.to_dict() == vector["identity"]
    assert identity.arn() == vector["arn"]
    assert identity.url_path() == vector["url_path"]
    if "arn_url_path" in vector:
        assert identity.arn_url_path() == vector["arn_url_path"]
    if "stack_path" in vector:
        assert identity.stack_path() == vector["stack_path"]


def test_a_resource_leads_back_to_its_stack() -> None:
    stack = HeatIdentifier("t", "s", "i")
    assert stack.resource("r").stack() == stack
    assert stack.resource_name is None
    assert HeatIdentifier.from_arn(stack.event("r", "e").arn()) == stack.event("r", "e")


def test_slashes_in_names_are_refused() -> None:
    with pytest.raises(ValueError, match='Stack name may not contain "/"'):
        HeatIdentifier("t", "a/b", "i")
    with pytest.raises(ValueError, match='Resource name may not contain "/"'):
        HeatIdentifier("t", "s", "i").resource("a/b")


@pytest.mark.parametrize("wire", [{}, {"tenant": "t", "stack_name": "s", "stack_id": "i", "x": 1}])
def test_a_malformed_dict_is_a_type_error(wire: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        HeatIdentifier.from_dict(wire)

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.stack import (
    check_resource_name,
    check_stack_name,
    physical_resource_name,
    reduce_physical_name,
    short_id,
)

_UUID = "01234567-89ab-4def-8123-456789abcdef"


def _vectors(shared: Path, group: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        (shared / "facts" / "identity-vectors.json").read_text()
    )[group]
    assert found
    return found


def test_short_id(shared: Path) -> None:
    for vector in _vectors(shared, "short_id"):
        if "error" not in vector:
            assert short_id(vector["uuid"]) == vector["short_id"]
            continue
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared below
            short_id(vector["uuid"])
        assert str(caught.value) == vector["error"]


def test_reduce_physical_name(shared: Path) -> None:
    for vector in _vectors(shared, "reduce_physical_resource_name"):
        if "error" not in vector:
            assert reduce_physical_name(vector["name"], vector["limit"]) == vector["result"]
            continue
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared below
            reduce_physical_name(vector["name"], vector["limit"])
        assert str(caught.value) == vector["error"]


def test_physical_resource_name() -> None:
    assert physical_resource_name("st", "r", _UUID) == "st-r-334jvmasgrlh"
    assert physical_resource_name("st*", "r", _UUID) == "st-r-334jvmasgrlh"
    assert physical_resource_name("stack", "resource", _UUID, 20) == "st-urce-334jvmasgrlh"
    assert len(physical_resource_name("s" * 255, "r", _UUID)) == 255
    assert len(physical_resource_name("s" * 255, "r", _UUID, None)) == 255 + 2 + 13


@pytest.mark.parametrize("name", ["a", "Z9_.-", "a" * 255, "newline\n"])
def test_good_stack_names(name: str) -> None:
    check_stack_name(name)


@pytest.mark.parametrize("name", ["", "1a", "a b", "a" * 256, "é", "a/b", "-a"])
def test_bad_stack_names(name: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        check_stack_name(name)
    assert str(caught.value) == (
        f'Invalid stack name {name} must contain only alphanumeric or "_-." characters, '
        "must start with alpha and must be 255 characters or less."
    )


def test_a_stack_name_must_be_text() -> None:
    with pytest.raises(StackValidationFailed, match=r"^Invalid stack name 3, must be a string$"):
        check_stack_name(3)


def test_a_resource_name_has_no_slash() -> None:
    check_resource_name("r")
    with pytest.raises(StackValidationFailed, match=r'^Resource name may not contain "/"$'):
        check_resource_name("a/b")

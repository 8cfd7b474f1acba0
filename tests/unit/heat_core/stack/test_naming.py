from __future__ import annotations

import json
import os
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

_SHARED = Path(os.environ.get("HEAT_TRIO_SHARED", Path(__file__).parents[5] / "shared"))
_VECTORS = _SHARED / "facts" / "identity-vectors.json"
_UUID = "01234567-89ab-4def-8123-456789abcdef"


def _vectors(group: str) -> list[Any]:
    if not _VECTORS.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"not run: no {_VECTORS}"))]
    return list(json.loads(_VECTORS.read_text())[group])


@pytest.mark.parametrize("vector", _vectors("short_id"))
def test_short_id(vector: dict[str, str]) -> None:
    if "error" in vector:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared below
            short_id(vector["uuid"])
        assert str(caught.value) == vector["error"]
    else:
        assert short_id(vector["uuid"]) == vector["short_id"]


@pytest.mark.parametrize("vector", _vectors("reduce_physical_resource_name"))
def test_reduce_physical_name(vector: dict[str, Any]) -> None:
    if "error" in vector:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared below
            reduce_physical_name(vector["name"], vector["limit"])
        assert str(caught.value) == vector["error"]
    else:
        assert reduce_physical_name(vector["name"], vector["limit"]) == vector["result"]


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

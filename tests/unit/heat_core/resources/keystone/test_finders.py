from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from heat_core.errors import EntityNotFound
from heat_core.procedure import HttpAnswer, ServiceError
from heat_core.resources.keystone.finders import get_domain_id, get_project_id

MISSING = HttpAnswer(404)


def test_domain_by_id(script: Any) -> None:
    assert script.run(get_domain_id(script.io, "default"), {"domain": {"id": "default"}}) == (
        "default"
    )
    assert script.calls == [("GET", "/v3/domains/default")]


def test_domain_by_name_must_match_exactly(script: Any) -> None:
    with pytest.raises(EntityNotFound) as caught:
        script.run(
            get_domain_id(script.io, "ops"), MISSING, {"domains": [{"id": "d", "name": "OPS"}]}
        )
    assert str(caught.value) == "The KeystoneDomain (ops) could not be found."


def test_ids_are_quoted_in_paths(script: Any) -> None:
    script.run(
        get_domain_id(script.io, "a/b c"), MISSING, {"domains": [{"id": "d", "name": "a/b c"}]}
    )
    assert script.calls[0] == ("GET", "/v3/domains/a%2Fb%20c")


def test_project_in_a_domain(script: Any) -> None:
    found = script.run(
        get_project_id(script.io, "demo{Default}"),
        MISSING,
        {"domains": [{"id": "d1", "name": "Default"}]},
        MISSING,
        {"projects": [{"id": "p1", "name": "demo"}]},
    )

    assert found == "p1"
    assert script.calls[2:] == [
        ("GET", "/v3/projects/demo"),
        ("GET", "/v3/projects?name=demo&domain_id=d1"),
    ]


def test_project_in_an_unknown_domain(script: Any) -> None:
    with pytest.raises(EntityNotFound) as caught:
        script.run(get_project_id(script.io, "demo{nope}"), MISSING, {"domains": []})
    assert str(caught.value) == "The KeystoneProject (demo{nope}) could not be found."


def test_project_that_is_not_there(script: Any) -> None:
    with pytest.raises(EntityNotFound) as caught:
        script.run(get_project_id(script.io, "demo"), MISSING, {"projects": []})
    assert str(caught.value) == "The KeystoneProject (demo) could not be found."


def test_other_refusals_pass_through(script: Any, refuse: Callable[..., ServiceError]) -> None:
    with pytest.raises(ServiceError, match="HTTP 403"):
        script.run(get_project_id(script.io, "demo"), refuse(403, "Forbidden"))

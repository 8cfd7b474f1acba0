from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from heat_core.errors import EntityNotFound, KeystoneServiceNameConflict
from heat_core.procedure import HttpAnswer, ServiceError
from heat_core.resources.keystone.finders import FINDERS, get_domain_id, get_project_id

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


@pytest.mark.parametrize("noun", ["group", "role", "user"])
def test_what_lies_in_domains(noun: str, script: Any) -> None:
    find = FINDERS[f"get_{noun}_id"]

    assert script.run(find(script.io, "x"), {noun: {"id": "1"}}) == "1"
    found = {f"{noun}s": [{"id": "2", "name": "x"}]}
    assert script.run(find(script.io, "x"), MISSING, found) == "2"
    with pytest.raises(EntityNotFound) as caught:
        script.run(find(script.io, "x"), MISSING, {f"{noun}s": []})
    assert str(caught.value) == f"The Keystone{noun.title()} (x) could not be found."


def test_regions_have_ids_alone(script: Any) -> None:
    find = FINDERS["get_region_id"]

    assert script.run(find(script.io, "r"), {"region": {"id": "r"}}) == "r"
    with pytest.raises(EntityNotFound, match="KeystoneRegion"):
        script.run(find(script.io, "r"), MISSING)


def test_services(script: Any) -> None:
    find = FINDERS["get_service_id"]

    assert script.run(find(script.io, "1"), {"service": {"id": "1"}}) == "1"
    assert script.run(find(script.io, "heat"), MISSING, {"services": [{"id": "1"}]}) == "1"
    with pytest.raises(EntityNotFound, match="KeystoneService"):
        script.run(find(script.io, "heat"), MISSING, {"services": []})
    with pytest.raises(KeystoneServiceNameConflict):
        script.run(find(script.io, "heat"), MISSING, {"services": [{}, {}]})

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from heat_core.errors import ClientNotAvailable
from heat_core.procedure import HttpAnswer, ServiceError
from heat_core.properties import Finder
from heat_core.resources.lookups import find_id, finder, finder_behind, judge

DOMAIN = Finder("keystone", "get_domain_id")


def test_finders_by_name(script: Any) -> None:
    assert script.run(find_id(script.io, DOMAIN, "d"), {"domain": {"id": "d"}}) == "d"
    with pytest.raises(ClientNotAvailable, match=r"\(nova\)"):
        finder(Finder("nova", "find_flavor_by_name_or_id"))


def test_constraints_stand_for_finders() -> None:
    assert finder_behind("keystone.domain") == DOMAIN
    assert finder_behind("nova.flavor") is None


def test_a_valid_value(script: Any) -> None:
    found = {"project": {"id": "p"}}

    assert script.run(judge(script.io, "keystone.project", "p"), found) is None


def test_a_value_that_names_nothing(script: Any) -> None:
    problem = script.run(judge(script.io, "keystone.domain", "d"), HttpAnswer(404), {"domains": []})
    assert problem == "The KeystoneDomain (d) could not be found."


def test_an_empty_value_is_not_asked_for(script: Any) -> None:
    problem = script.run(judge(script.io, "keystone.project", ""))

    assert problem == "The KeystoneProject () could not be found."
    assert script.asked == []


def test_a_refusal_is_no_verdict(script: Any, refuse: Callable[..., ServiceError]) -> None:
    with pytest.raises(ServiceError):
        script.run(judge(script.io, "keystone.domain", "d"), refuse(503, "ServiceUnavailable"))


def test_a_service_that_nobody_speaks_to(script: Any) -> None:
    with pytest.raises(ClientNotAvailable, match=r"\(nova\)"):
        script.run(judge(script.io, "nova.flavor", "m1"))

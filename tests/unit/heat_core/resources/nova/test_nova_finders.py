from __future__ import annotations

from typing import Any

import pytest

from heat_core.errors import EntityNotFound
from heat_core.procedure import HttpAnswer
from heat_core.properties import Finder
from heat_core.resources import PluginFailure
from heat_core.resources.lookups import find_id

MISSING = HttpAnswer(404)
REFUSED = (EntityNotFound, PluginFailure)


FLAVOR = Finder("nova", "find_flavor_by_name_or_id")


def test_a_flavor_by_id(script: Any) -> None:
    found = script.run(find_id(script.io, FLAVOR, "42"), {"flavor": {"id": "42"}})

    assert found == "42"
    assert script.calls == [("GET", "/flavors/42")]


def test_a_flavor_by_name(script: Any) -> None:
    listed = {"flavors": [{"id": "1", "name": "m1"}, {"id": "2", "name": "m2"}]}

    assert script.run(find_id(script.io, FLAVOR, "m2"), MISSING, listed) == "2"
    assert script.calls[1] == ("GET", "/flavors/detail?is_public=None")


@pytest.mark.parametrize(
    ("count", "text"), [(0, "No Flavor matching {'name': 'm'}. (HTTP 404)"), (2, "")]
)
def test_flavors_that_are_not_one(count: int, text: str, script: Any) -> None:
    listed = {"flavors": [{"id": str(number), "name": "m"} for number in range(count)]}
    with pytest.raises(REFUSED) as caught:
        script.run(find_id(script.io, FLAVOR, "m"), MISSING, listed)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("get_keypair", "/os-keypairs/a%2Fb", "The Key (a/b) could not be found."),
        ("get_server", "/servers/a%2Fb", "The Server (a/b) could not be found."),
        (
            "get_host",
            "/os-hypervisors/a%2Fb/search",
            "No hypervisor matching 'a/b' could be found. (HTTP 404)",
        ),
    ],
)
def test_objects_with_ids_alone(name: str, path: str, text: str, script: Any) -> None:
    finder = Finder("nova", name)
    assert script.run(find_id(script.io, finder, "a/b"), {}) == "a/b"
    assert script.calls == [("GET", path)]
    with pytest.raises(REFUSED) as caught:
        script.run(find_id(script.io, finder, "a/b"), MISSING)
    assert str(caught.value) == text

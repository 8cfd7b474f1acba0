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


POOL = Finder("octavia", "get_pool")


def test_an_object_by_id(script: Any) -> None:
    assert script.run(find_id(script.io, POOL, "p"), {"pool": {"id": "p"}}) == "p"
    assert script.calls == [("GET", "/v2.0/lbaas/pools/p")]


def test_an_object_by_name(script: Any) -> None:
    listed = {"pools": [{"id": "1", "name": "web"}], "pools_links": []}

    assert script.run(find_id(script.io, POOL, "web"), HttpAnswer(400), listed) == "1"


def test_zones_have_names_alone(script: Any) -> None:
    finder = Finder("octavia", "get_availabilityzone")
    zone = {"availability_zone": {"name": "z"}}

    assert script.run(find_id(script.io, finder, "z"), zone) == "z"


def test_nothing_of_that_name(script: Any) -> None:
    with pytest.raises(REFUSED, match=r"^web not found \(HTTP 404\)$"):
        script.run(find_id(script.io, POOL, "web"), MISSING, {"pools": []})

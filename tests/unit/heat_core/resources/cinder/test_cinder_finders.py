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


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("get_volume", "/volumes/v", "The Volume (v) could not be found."),
        ("get_volume_snapshot", "/snapshots/v", "The VolumeSnapshot (v) could not be found."),
        ("get_volume_backup", "/backups/v", "The Volume backup (v) could not be found."),
    ],
)
def test_objects_with_ids_alone(name: str, path: str, text: str, script: Any) -> None:
    finder = Finder("cinder", name)
    assert script.run(find_id(script.io, finder, "v"), {"any": {}}) == "v"
    assert script.calls == [("GET", path)]
    with pytest.raises(REFUSED) as caught:
        script.run(find_id(script.io, finder, "v"), MISSING)
    assert str(caught.value) == text


def test_a_volume_type_by_name_or_id(script: Any) -> None:
    finder = Finder("cinder", "get_volume_type")
    listed = {"volume_types": [{"id": "1", "name": "fast"}]}

    assert script.run(find_id(script.io, finder, "fast"), listed) == "1"
    assert script.run(find_id(script.io, finder, "1"), listed) == "1"
    with pytest.raises(REFUSED, match=r"^The VolumeType \(slow\) could not be found.$"):
        script.run(find_id(script.io, finder, "slow"), listed)


def test_qos_specs(script: Any) -> None:
    finder = Finder("cinder", "get_qos_specs")
    listed = {"qos_specs": [{"id": "1", "name": "gold"}]}

    assert script.run(find_id(script.io, finder, "1"), {"qos_specs": {"id": "1"}}) == "1"
    assert script.run(find_id(script.io, finder, "gold"), MISSING, listed) == "1"
    with pytest.raises(REFUSED, match=r"^No QoSSpecs matching {'name': 'tin'}"):
        script.run(find_id(script.io, finder, "tin"), MISSING, listed)

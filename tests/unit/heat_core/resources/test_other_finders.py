"""Finders of services with little to look for."""

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
REFERENCE = "https://keys.example/v1/secrets/5"


@pytest.mark.parametrize(
    ("client", "name", "value", "answers", "found"),
    [
        ("barbican", "get_secret_by_ref", REFERENCE, [{}], REFERENCE),
        ("barbican", "get_container_by_ref", "x/c", [{}], "x/c"),
        ("blazar", "get_lease", "l", [{}], "l"),
        ("designate", "get_zone_id", "z", [{"id": "z"}], "z"),
        ("designate", "get_zone_id", "a.org.", [MISSING, {"zones": [{"id": "z"}]}], "z"),
        ("ironic", "get_node", "n", [{"uuid": "u"}], "u"),
        ("ironic", "get_portgroup", "g", [{"uuid": "u"}], "u"),
        ("magnum", "get_cluster_template", "t", [{"uuid": "u"}], "u"),
        ("manila", "get_share_type", "1", [{"share_types": [{"id": "1", "name": "a"}]}], "1"),
        ("manila", "get_share_type", "a", [{"share_types": [{"id": "1", "name": "a"}]}], "1"),
        ("mistral", "get_workflow_by_identifier", "w", [{}], "w"),
        ("trove", "find_flavor_by_name_or_id", "1", [{"flavor": {"id": 1}}], "1"),
        (
            "trove",
            "find_flavor_by_name_or_id",
            "m",
            [MISSING, {"flavors": [{"id": 1, "name": "m"}]}],
            "1",
        ),
        ("zaqar", "get_queue", "q", [], "q"),
    ],
)
def test_what_is_found(
    client: str, name: str, value: str, answers: list[Any], found: str, script: Any
) -> None:
    assert script.run(find_id(script.io, Finder(client, name), value), *answers) == found


@pytest.mark.parametrize(
    ("client", "name", "answers", "text"),
    [
        ("barbican", "get_secret_by_ref", [MISSING], "The Secret (x) could not be found."),
        ("barbican", "get_container_by_ref", [MISSING], "The Container (x) could not be found."),
        ("blazar", "get_lease", [MISSING], "ERROR: Lease not found"),
        (
            "designate",
            "get_zone_id",
            [MISSING, {"zones": []}],
            "The Designate Zone (x) could not be found.",
        ),
        ("ironic", "get_node", [MISSING], "The Node (x) could not be found."),
        (
            "magnum",
            "get_cluster_template",
            [MISSING],
            "The ClusterTemplate (x) could not be found.",
        ),
        (
            "manila",
            "get_share_network",
            [{"share_networks": []}],
            "The share network (x) could not be found.",
        ),
        (
            "manila",
            "get_share_snapshot",
            [{"snapshots": [{"id": "1", "name": "x"}, {"id": "2", "name": "x"}]}],
            "Ambiguous share snapshot name 'x'. "
            "Found more than one share snapshot for this name in Manila.",
        ),
        (
            "mistral",
            "get_workflow_by_identifier",
            [MISSING],
            "The Workflow (x) could not be found.",
        ),
        (
            "trove",
            "find_flavor_by_name_or_id",
            [MISSING, {"flavors": []}],
            "No Flavor matching {'name': 'x'}. (HTTP 404)",
        ),
    ],
)
def test_what_is_not_found(
    client: str, name: str, answers: list[Any], text: str, script: Any
) -> None:
    with pytest.raises(REFUSED) as caught:
        script.run(find_id(script.io, Finder(client, name), "x"), *answers)
    assert str(caught.value) == text


def test_names_of_queues(script: Any) -> None:
    queue = Finder("zaqar", "get_queue")
    for name in ("", "q" * 65):
        with pytest.raises(ValueError, match=r"^Queue name length must be 1-64$"):
            script.run(find_id(script.io, queue, name))
    with pytest.raises(TypeError, match=r"^Queue name must be a string$"):
        script.run(find_id(script.io, queue, 5))  # type: ignore[arg-type]  # a user's mistake

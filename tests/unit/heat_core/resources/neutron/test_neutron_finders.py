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


NETWORK = Finder("neutron", "find_resourceid_by_name_or_id", "network")
ID = "7f3c1c52-6a54-4b43-8c42-5f1b7c1f8e11"


def test_an_object_by_id(script: Any) -> None:
    assert script.run(find_id(script.io, NETWORK, ID), {"networks": [{"id": ID}]}) == ID
    assert script.calls == [("GET", f"/v2.0/networks?fields=id&id={ID}")]


def test_an_object_by_name(script: Any) -> None:
    assert script.run(find_id(script.io, NETWORK, "net"), {"networks": [{"id": "n"}]}) == "n"
    assert script.calls == [("GET", "/v2.0/networks?fields=id&name=net")]


def test_an_id_may_be_a_name(script: Any) -> None:
    empty, one = {"networks": []}, {"networks": [{"id": "n"}]}
    assert script.run(find_id(script.io, NETWORK, ID), empty, one) == "n"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "Unable to find network with name or id 'net'"),
        (
            2,
            "Multiple network matches found for name 'net', use an ID to be more specific.",
        ),
    ],
)
def test_objects_that_are_not_one(count: int, text: str, script: Any) -> None:
    found = {"networks": [{"id": str(number)} for number in range(count)]}
    with pytest.raises(REFUSED) as caught:
        script.run(find_id(script.io, NETWORK, "net"), found)
    assert str(caught.value) == text


def test_objects_of_extensions(script: Any) -> None:
    finder = Finder("neutron", "resolve_ext_resource", "port_pair")

    assert script.run(find_id(script.io, finder, "p"), {"port_pair": {"id": "p"}}) == "p"
    listed = {"port_pairs": [{"id": "1", "name": "a"}, {"id": "2", "name": "b"}]}
    assert script.run(find_id(script.io, finder, "b"), MISSING, listed) == "2"
    assert script.calls[-1] == ("GET", "/v2.0/sfc/port_pairs")


def test_policies_have_a_finder_of_their_own(script: Any) -> None:
    finder = Finder("neutron", "get_qos_policy_id")

    assert script.run(find_id(script.io, finder, "gold"), {"policies": [{"id": "1"}]}) == "1"
    assert script.calls == [("GET", "/v2.0/qos/policies?fields=id&name=gold")]


def test_segments(script: Any) -> None:
    finder = Finder("openstack", "find_network_segment")

    assert script.run(find_id(script.io, finder, "s"), {"segment": {"id": "s"}}) == "s"
    assert script.run(find_id(script.io, finder, "n"), MISSING, {"segments": [{"id": "1"}]}) == "1"
    with pytest.raises(REFUSED, match=r"^No Segment found for n$"):
        script.run(find_id(script.io, finder, "n"), MISSING, {"segments": []})
    with pytest.raises(REFUSED, match=r"^More than one Segment exists with the name 'n'.$"):
        script.run(find_id(script.io, finder, "n"), MISSING, {"segments": [{}, {}]})


def test_providers(script: Any) -> None:
    finder = Finder("neutron", "find_provider")
    listed = {"service_providers": [{"name": "amphora"}]}

    assert script.run(find_id(script.io, finder, "amphora"), listed) == "amphora"
    with pytest.raises(REFUSED) as caught:
        script.run(find_id(script.io, finder, "x"), listed)
    assert str(caught.value) == (
        "Unable to find neutron provider 'x', available providers are ['amphora']."
    )

from __future__ import annotations

from typing import Any

from heat_core.properties import Prop, Properties
from heat_core.resources.neighbours import Neighbour, Neighbourhood, where

SCHEMA = {
    "network": Prop.string(required=True),
    "routes": Prop.list(schema=Prop.map(schema={"via": Prop.string()})),
}


def neighbour(name: str, data: dict[str, Any]) -> Neighbour:
    return Neighbour(name, frozenset({"My::Net", "OS::Neutron::Net"}), Properties(SCHEMA, data))


def test_a_type_as_written_or_as_mapped() -> None:
    one = neighbour("one", {})

    assert one.is_a("My::Net")
    assert one.is_a("OS::Neutron::Net")
    assert not one.is_a("OS::Neutron::Port")


def test_only_resources_of_the_type_that_match() -> None:
    others = [neighbour(name, {"network": name}) for name in ("a", "b")]

    assert list(where(others, "My::Net", lambda other: other.read("network") == "b")) == ["b"]
    assert list(where(others, "My::Port", lambda other: True)) == []


def test_what_cannot_be_read_makes_no_requirement() -> None:
    others = [neighbour("without", {}), neighbour("with", {"network": "n"})]

    assert list(where(others, "My::Net", lambda other: other.read("network"))) == ["with"]
    bad = [neighbour("bad", {"network": "n", "routes": [{"via": {}}]})]
    assert list(where(bad, "My::Net", lambda other: other.read("routes") or True)) == []


def test_a_value_is_read_once() -> None:
    class Counting:
        def __init__(self) -> None:
            self.reads = 0

        def read(self, key: str) -> Any:
            self.reads += 1
            return key

    props = Counting()
    one = Neighbour("one", frozenset({"My::Net"}), props)
    assert [one.read("network"), one.read("network"), one.read("routes")] == [
        "network",
        "network",
        "routes",
    ]
    assert props.reads == 2


def test_a_neighbourhood_finds_by_type_and_leaves_out_who_asks() -> None:
    a, b = neighbour("a", {}), neighbour("b", {})
    port = Neighbour("port", frozenset({"OS::Neutron::Port"}), a.props)
    others = Neighbourhood([a, port, b]).others(a)

    assert [other.name for other in others] == ["port", "b"]
    assert len(others) == 2
    assert b in others
    assert a not in others
    assert list(where(others, "My::Net", lambda other: True)) == ["b"]
    assert list(where(others, "My::Router", lambda other: True)) == []

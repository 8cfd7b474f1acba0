"""Which router interfaces a floating IP waits for: those on the subnets of its port."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from heat_core.resources.neighbours import Neighbour, where

INTERFACE = "OS::Neutron::RouterInterface"
_PORT = "OS::Neutron::Port"


def interfaces_of_ports(own: Neighbour, others: Collection[Neighbour]) -> Iterator[str]:
    """Interfaces on the subnet of the first address of a port that `own` refers to."""
    ports = _ports(own, others)
    return where(
        others,
        INTERFACE,
        lambda interface: any(
            interface.read("subnet") == subnet for port in ports for subnet in _subnets(port)[:1]
        ),
    )


def interfaces_that_may_serve_ports(own: Neighbour, others: Collection[Neighbour]) -> Iterator[str]:
    """Interfaces on the subnet of any address of a port that `own` refers to.

    A port without addresses may get one from a subnet that is not known yet.
    """
    ports = _ports(own, others)

    def may_serve(interface: Neighbour) -> bool:
        of_interface = interface.read("subnet")
        return any(
            of_interface in subnets if subnets else of_interface is None
            for subnets in map(_subnets, ports)
        )

    return where(others, INTERFACE, may_serve)


def _ports(own: Neighbour, others: Collection[Neighbour]) -> list[Neighbour]:
    return [other for other in others if other.name in own.requires and other.is_a(_PORT)]


def _subnets(port: Neighbour) -> list[Any]:
    return [address.get("subnet") for address in port.read("fixed_ips") or ()]

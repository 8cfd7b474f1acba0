"""Procedures that ask a service about a value: finders (name -> id) and custom constraints.

The tables name modules, which are imported when a value first needs them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from heat_core.errors import (
    ClientNotAvailable,
    EntityNotFound,
    Error,
    KeystoneServiceNameConflict,
)
from heat_core.procedure import ProcedureIO, ServiceError
from heat_core.properties import Finder
from heat_core.resources.failures import PluginFailure
from heat_core.resources.finding import NoMatch

type FinderProcedure = Callable[[ProcedureIO, str], Awaitable[str]]
"""(io, name or id) -> id; raises EntityNotFound, or ServiceError"""

_FINDER_MODULES: Mapping[str, str] = {
    "barbican": "barbican",
    "blazar": "blazar",
    "cinder": "cinder",
    "designate": "designate",
    "glance": "glance",
    "ironic": "ironic",
    "keystone": "keystone",
    "magnum": "magnum",
    "manila": "manila",
    "mistral": "mistral",
    "neutron": "neutron",
    "nova": "nova",
    "octavia": "octavia",
    "openstack": "neutron",
    "trove": "trove",
    "zaqar": "zaqar",
}
"""client -> package below heat_core.resources with its finders"""

_NEUTRON_ENTITIES = ("address_scope", "network", "port", "router", "security_group", "subnet")
_NEUTRON_FIND = "find_resourceid_by_name_or_id"
_NEUTRON_FIND_EXTENSION = "resolve_ext_resource"

_CONSTRAINTS: Mapping[str, Finder] = {
    "barbican.container": Finder("barbican", "get_container_by_ref"),
    "barbican.secret": Finder("barbican", "get_secret_by_ref"),
    "blazar.reservation": Finder("blazar", "get_lease"),
    "cinder.backup": Finder("cinder", "get_volume_backup"),
    "cinder.qos_specs": Finder("cinder", "get_qos_specs"),
    "cinder.snapshot": Finder("cinder", "get_volume_snapshot"),
    "cinder.volume": Finder("cinder", "get_volume"),
    "cinder.vtype": Finder("cinder", "get_volume_type"),
    "designate.zone": Finder("designate", "get_zone_id"),
    "glance.image": Finder("glance", "find_image_by_name_or_id"),
    "ironic.node": Finder("ironic", "get_node"),
    "ironic.portgroup": Finder("ironic", "get_portgroup"),
    **{
        f"keystone.{noun}": Finder("keystone", f"get_{noun}_id")
        for noun in ("domain", "group", "project", "region", "role", "service", "user")
    },
    "magnum.cluster_template": Finder("magnum", "get_cluster_template"),
    **{
        f"manila.{noun}": Finder("manila", f"get_{noun}")
        for noun in ("share_network", "share_snapshot", "share_type")
    },
    "mistral.workflow": Finder("mistral", "get_workflow_by_identifier"),
    **{
        f"neutron.{entity}": Finder("neutron", _NEUTRON_FIND, entity)
        for entity in (*_NEUTRON_ENTITIES, "subnetpool")
    },
    **{
        f"neutron.lbaas.{entity}": Finder("neutron", _NEUTRON_FIND, entity)
        for entity in ("listener", "loadbalancer", "pool")
    },
    "neutron.qos_policy": Finder("neutron", _NEUTRON_FIND, "policy"),
    **{
        f"neutron.{entity}": Finder("neutron", _NEUTRON_FIND_EXTENSION, entity)
        for entity in ("flow_classifier", "port_pair", "port_pair_group")
    },
    **{
        f"neutron.taas.{entity}": Finder("neutron", _NEUTRON_FIND_EXTENSION, entity)
        for entity in ("tap_flow", "tap_service")
    },
    "neutron.lbaas.provider": Finder("neutron", "find_provider"),
    "neutron.segment": Finder("openstack", "find_network_segment"),
    "nova.flavor": Finder("nova", "find_flavor_by_name_or_id"),
    "nova.host": Finder("nova", "get_host"),
    "nova.keypair": Finder("nova", "get_keypair"),
    "nova.server": Finder("nova", "get_server"),
    **{
        f"octavia.{noun}": Finder("octavia", f"get_{noun}")
        for noun in (
            "availabilityzone",
            "availabilityzoneprofile",
            "flavor",
            "flavorprofile",
            "l7policy",
            "listener",
            "loadbalancer",
            "pool",
        )
    },
    "trove.flavor": Finder("trove", "find_flavor_by_name_or_id"),
    "zaqar.queue": Finder("zaqar", "get_queue"),
}
"""constraint -> the finder that must succeed"""

_EXTENSIONS: Mapping[str, str] = {
    "neutron.address_scope": "address-scope",
    "neutron.flow_classifier": "sfc",
    "neutron.lbaas.listener": "lbaasv2",
    "neutron.lbaas.loadbalancer": "lbaasv2",
    "neutron.lbaas.pool": "lbaasv2",
    "neutron.port_pair": "sfc",
    "neutron.port_pair_group": "sfc",
    "neutron.qos_policy": "qos",
    "neutron.taas.tap_flow": "taas",
    "neutron.taas.tap_service": "taas",
}
"""constraint -> extension that the service must have"""


def finder(name: Finder) -> FinderProcedure:
    """The procedure of a finder. ClientNotAvailable when nothing here can look for that."""
    package = _FINDER_MODULES.get(name.client)
    if package is None:
        raise ClientNotAvailable(client_name=name.client)
    module = import_module(f"heat_core.resources.{package}.finders")
    procedure: FinderProcedure | None = module.FINDERS.get(name.finder)
    if procedure is not None:
        return procedure
    of_entities: Mapping[str, Any] = getattr(module, "ENTITY_FINDERS", {})
    if name.finder not in of_entities:
        raise ClientNotAvailable(client_name=name.client)
    return partial(of_entities[name.finder], entity=name.entity)


def finder_behind(constraint: str) -> Finder | None:
    """The finder whose success means that a custom constraint holds; None when there is none."""
    return _CONSTRAINTS.get(constraint)


async def find_id(io: ProcedureIO, name: Finder, value: str) -> str:
    """The id of what `value` names."""
    return await finder(name)(io, value)


async def judge(io: ProcedureIO, constraint: str, value: Any) -> str | None:
    """What is wrong with a value under a custom constraint that takes I/O; None when it is valid.

    Raises what the service answers beyond "not found" (facts/constraints.json,
    expected_exceptions), and Error, or ServiceError, for a service that isn't there.
    """
    if constraint == "test_constr":
        if value < 0:
            raise ValueError("sleep length must be non-negative")
        if value:
            await io.sleep(value)
        return None
    name = _CONSTRAINTS[constraint]
    try:
        if value == "":
            if constraint == "nova.keypair":  # of a key pair that is not made yet
                return None
            if name.client == "keystone":
                noun = constraint.rpartition(".")[2].title()
                raise EntityNotFound(entity=f"Keystone{noun}", name=value)
        if constraint in _EXTENSIONS:
            from heat_core.resources.neutron.finders import require_extension

            await require_extension(io, _EXTENSIONS[constraint])
        await find_id(io, name, value)
    except (EntityNotFound, KeystoneServiceNameConflict, NoMatch) as error:
        return str(error)
    except ServiceError as error:
        if error.error_class == "EndpointNotFound":
            raise _missing_service(name.client, error) from error
        raise
    return None


def _missing_service(client: str, error: ServiceError) -> Exception:
    """The error as the service's client library says it."""
    match client:
        case "cinder":
            return Error("No volume service available.")
        case "magnum":
            return RuntimeError(str(error).replace("container-infra", "container"))
        case "openstack":
            return PluginFailure(
                "ServiceDisabledException",
                "Service 'network' is disabled because its configuration could not be loaded. "
                f"The service is not present in the service catalog: {error}",
            )
        case _:
            return error

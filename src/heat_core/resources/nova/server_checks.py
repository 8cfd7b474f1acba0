"""What servers ask of their networks and disks, as far as the service need not be asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from heat_core.errors import ResourcePropertyConflict
from heat_core.resources.demands import not_both, refuse

_SOURCES = ("volume_id", "snapshot_id", "image")
_DISKS = (*_SOURCES, "swap_size", "ephemeral_size", "ephemeral_format")
_ROOT_DEVICE = "vda"


def check_network(network: Mapping[str, Any], server: str) -> None:
    """An interface is on something, and what it is on allows the rest."""
    anonymous = network["allocate_network"]
    net, port, subnet = network["network"], network["port"], network["subnet"]
    if net is None and port is None and subnet is None and not anonymous:
        refuse(
            'One of the properties "network", "port", "allocate_network" or "subnet" should be '
            f'set for the specified network of server "{server}".'
        )
    if anonymous and sum(value is not None for value in network.values()) != 1:
        refuse('Can not specify "allocate_network" with other keys of networks at the same time.')
    if network["fixed_ip"] and port is not None:
        raise ResourcePropertyConflict("networks/fixed_ip", "networks/port")
    port_is_ours = port is not None or subnet is not None or network["port_extra_properties"]
    if network["floating_ip"] is not None and net is not None and not port_is_ours:
        refuse(
            'Property "floating_ip" is not supported if only "network" is specified, because the '
            "corresponding port can not be retrieved."
        )


def check_block_devices(props: Mapping[str, Any], server: str) -> None:
    """Every device comes from one place, and the server boots from one of them."""
    old, new = props["block_device_mapping"] or (), props["block_device_mapping_v2"] or ()
    if old and new:
        raise ResourcePropertyConflict("block_device_mapping", "block_device_mapping_v2")
    bootable = props["image"] is not None
    for mapping in old:
        bootable = bootable or mapping["device_name"] == _ROOT_DEVICE
        not_both(mapping, "volume_id", "snapshot_id")
        if mapping["volume_id"] is None and mapping["snapshot_id"] is None:
            refuse(
                "Either volume_id or snapshot_id must be specified for device mapping "
                f"{mapping['device_name']}"
            )
    sources = [props["image"], *_boot_sources(new)]
    if not bootable and len(sources) == 1:
        refuse(f"Neither image nor bootable volume is specified for instance {server}")
    if new and sum(source is not None for source in sources) != 1:
        refuse(f"Multiple bootable sources for instance {server}.")


def _boot_sources(mappings: Iterable[Mapping[str, Any]]) -> list[Any]:
    """What the server may boot from, of its disks in the new form."""
    found: list[Any] = []
    for mapping in mappings:
        ephemeral = mapping["ephemeral_size"] or mapping["ephemeral_format"]
        kinds = (*(mapping[name] for name in _SOURCES), mapping["swap_size"], ephemeral)
        given = sum(kind is not None for kind in kinds)
        if given > 1:
            raise ResourcePropertyConflict(*_DISKS)
        if not given:
            refuse(
                "Either volume_id, snapshot_id, image_id, swap_size, ephemeral_size or "
                "ephemeral_format must be specified."
            )
        if mapping["boot_index"] in (None, 0):
            found += [mapping[name] for name in _SOURCES if mapping[name] is not None]
    return found

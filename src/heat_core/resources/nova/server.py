"""OS::Nova::Server."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    CacheMode,
    Custom,
    Kind,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
    deprecated,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.contract import Change
from heat_core.resources.neighbours import Neighbour, where
from heat_core.resources.neutron.port_properties import ALLOWED_ADDRESS_PAIRS, VNIC_TYPE
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.nova.server_properties import (
    DEPLOYMENT_SWIFT_DATA,
    SOFTWARE_CONFIG_TRANSPORT,
)
from heat_core.resources.unbuilt import Unbuilt


class Server(Unbuilt, NovaType):
    name = "OS::Nova::Server"
    entity = "servers"
    physical_name_limit = 53
    announced = frozenset(
        {"check", "delete_snapshot", "restore", "resume", "snapshot", "snapshot_delete", "suspend"}
    )

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "image": Prop.string(update_allowed=True, constraints=[Custom("glance.image")]),
        "block_device_mapping": Prop.list(
            schema=Prop.map(
                schema={
                    "device_name": Prop.string(required=True),
                    "volume_id": Prop.string(constraints=[Custom("cinder.volume")]),
                    "snapshot_id": Prop.string(constraints=[Custom("cinder.snapshot")]),
                    "volume_size": Prop.integer(),
                    "delete_on_termination": Prop.boolean(),
                }
            )
        ),
        "block_device_mapping_v2": Prop.list(
            schema=Prop.map(
                schema={
                    "device_name": Prop.string(),
                    "volume_id": Prop.string(constraints=[Custom("cinder.volume")]),
                    "image_id": Prop.string(
                        constraints=[Custom("glance.image")],
                        support=hidden(
                            "9.0.0",
                            "Replaced by image.",
                            previous=deprecated("7.0.0", previous=Support(version="5.0.0")),
                        ),
                    ),
                    "image": Prop.string(
                        constraints=[Custom("glance.image")], support=Support(version="7.0.0")
                    ),
                    "snapshot_id": Prop.string(constraints=[Custom("cinder.snapshot")]),
                    "swap_size": Prop.integer(),
                    "ephemeral_size": Prop.integer(
                        constraints=[Range(1)], support=Support(version="8.0.0")
                    ),
                    "ephemeral_format": Prop.string(
                        constraints=[AllowedValues(["ext2", "ext3", "ext4", "xfs", "ntfs"])],
                        support=Support(version="8.0.0"),
                    ),
                    "device_type": Prop.string(constraints=[AllowedValues(["cdrom", "disk"])]),
                    "disk_bus": Prop.string(
                        constraints=[
                            AllowedValues(["ide", "lame_bus", "sata", "scsi", "usb", "virtio"])
                        ]
                    ),
                    "boot_index": Prop.integer(),
                    "volume_size": Prop.integer(),
                    "delete_on_termination": Prop.boolean(),
                    "volume_type": Prop.string(
                        constraints=[Custom("cinder.vtype")], support=Support(version="26.0.0")
                    ),
                }
            ),
            support=Support(version="2015.1"),
        ),
        "flavor": Prop.string(
            required=True, update_allowed=True, constraints=[Custom("nova.flavor")]
        ),
        "flavor_update_policy": Prop.string(
            default="RESIZE",
            update_allowed=True,
            constraints=[AllowedValues(["RESIZE", "REPLACE"])],
        ),
        "image_update_policy": Prop.string(
            default="REBUILD",
            update_allowed=True,
            constraints=[AllowedValues(["REBUILD", "REPLACE", "REBUILD_PRESERVE_EPHEMERAL"])],
        ),
        "key_name": Prop.string(constraints=[Custom("nova.keypair")]),
        "admin_user": Prop.string(
            support=hidden(
                "5.0.0",
                "The image's own user is set up.",
                previous=deprecated("2014.1", previous=Support(version="2013.2")),
            )
        ),
        "availability_zone": Prop.string(),
        "security_groups": Prop.list(default=[]),
        "networks": Prop.list(
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "uuid": Prop.string(
                        constraints=[Custom("neutron.network")],
                        support=hidden(
                            "5.0.0", previous=deprecated("2014.1", "Replaced by network.")
                        ),
                    ),
                    "network": Prop.string(constraints=[Custom("neutron.network")]),
                    "allocate_network": Prop.string(
                        update_allowed=True,
                        constraints=[AllowedValues(["none", "auto"])],
                        support=Support(version="9.0.0"),
                    ),
                    "fixed_ip": Prop.string(constraints=[Custom("ip_addr")]),
                    "port": Prop.string(constraints=[Custom("neutron.port")]),
                    "port_extra_properties": Prop.map(
                        update_allowed=True,
                        schema={
                            "value_specs": Prop.map(default={}, update_allowed=True),
                            "admin_state_up": Prop.boolean(default=True, update_allowed=True),
                            "mac_address": Prop.string(constraints=[Custom("mac_addr")]),
                            "allowed_address_pairs": ALLOWED_ADDRESS_PAIRS,
                            "binding:vnic_type": VNIC_TYPE,
                            "port_security_enabled": Prop.boolean(
                                update_allowed=True, support=Support(version="5.0.0")
                            ),
                            "qos_policy": Prop.string(
                                update_allowed=True,
                                constraints=[Custom("neutron.qos_policy")],
                                support=Support(version="6.0.0"),
                            ),
                            "propagate_uplink_status": Prop.boolean(
                                update_allowed=True, support=Support(version="15.0.0")
                            ),
                            "no_fixed_ips": Prop.boolean(
                                default=False,
                                update_allowed=True,
                                support=Support(version="16.0.0"),
                            ),
                        },
                        support=Support(version="6.0.0"),
                    ),
                    "subnet": Prop.string(support=Support(version="5.0.0")),
                    "floating_ip": Prop.string(support=Support(version="6.0.0")),
                    "tag": Prop.string(support=Support(version="9.0.0")),
                }
            ),
        ),
        "scheduler_hints": Prop.map(),
        "metadata": Prop.map(default={}, update_allowed=True),
        "user_data_format": Prop.string(
            default="HEAT_CFNTOOLS",
            constraints=[AllowedValues(["HEAT_CFNTOOLS", "RAW", "SOFTWARE_CONFIG"])],
        ),
        "software_config_transport": SOFTWARE_CONFIG_TRANSPORT,
        "user_data_update_policy": Prop.string(
            default="REPLACE",
            update_allowed=True,
            constraints=[AllowedValues(["REPLACE", "IGNORE", "REBUILD"])],
            support=Support(version="6.0.0"),
        ),
        "user_data": Prop.string(default="", update_allowed=True),
        "reservation_id": Prop.string(),
        "config_drive": Prop.boolean(),
        "diskConfig": Prop.string(constraints=[AllowedValues(["AUTO", "MANUAL"])]),
        "personality": Prop.map(
            default={},
            support=deprecated(
                "12.0.0", "Ends with microversion 2.57 of the service; use user_data or metadata."
            ),
        ),
        "admin_pass": Prop.string(update_allowed=True),
        "tags": Prop.list(
            update_allowed=True, schema=Prop.string(), support=Support(version="8.0.0")
        ),
        "deployment_swift_data": DEPLOYMENT_SWIFT_DATA,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(kind=Kind.STRING),
        "addresses": Attr(
            kind=Kind.MAP,
            support=Support(
                version="11.0.0",
                message="Tells of subnets and the network since 11.0.0.",
                previous=Support(),
            ),
        ),
        "networks": Attr(kind=Kind.MAP),
        "first_address": Attr(
            support=hidden(
                "5.0.0",
                "Replaced by networks.",
                previous=deprecated("2014.2", previous=Support(version="2013.2")),
            )
        ),
        "instance_name": Attr(kind=Kind.STRING),
        "accessIPv4": Attr(
            kind=Kind.STRING, support=deprecated("14.0.0", previous=Support(version="2015.1"))
        ),
        "accessIPv6": Attr(
            kind=Kind.STRING, support=deprecated("14.0.0", previous=Support(version="2015.1"))
        ),
        "console_urls": Attr(kind=Kind.MAP, support=Support(version="2015.1")),
        "tags": Attr(kind=Kind.LIST, support=Support(version="8.0.0")),
        "os_collect_config": Attr(
            kind=Kind.MAP, cache=CacheMode.NONE, support=Support(version="9.0.0")
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["networks", "network"], value_name="uuid"),
            rule.resolve(["flavor"], "nova", "find_flavor_by_name_or_id"),
            rule.resolve(["image"], "glance", "find_image_by_name_or_id"),
            rule.replace(["block_device_mapping_v2", "image"], value_name="image_id"),
            rule.resolve(
                ["block_device_mapping_v2", "image"], "glance", "find_image_by_name_or_id"
            ),
            rule.resolve(
                ["networks", "network"], "neutron", "find_resourceid_by_name_or_id", "network"
            ),
            rule.resolve(
                ["networks", "subnet"], "neutron", "find_resourceid_by_name_or_id", "subnet"
            ),
            rule.resolve(["networks", "port"], "neutron", "find_resourceid_by_name_or_id", "port"),
        )

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        """Subnets that a network of the server has, or may have: it is not known of ports."""

        def may_serve(subnet: Neighbour) -> bool:
            networks = own.read("networks")
            if not networks:
                return False
            of_subnet = subnet.read("network")
            return not of_subnet or any(
                not network.get("network") or network["network"] == of_subnet
                for network in networks
            )

        return where(others, "OS::Neutron::Subnet", may_serve)

    def needs_replace_with_prop_diff(self, change: Change) -> bool:
        return any(
            name in change.changed and _policy(change, f"{name}_update_policy") == "REPLACE"
            for name in ("flavor", "image", "user_data")
        )


def _policy(change: Change, name: str) -> Any:
    """How the update treats a property: as the new properties say, else as the old ones did."""
    return change.after.get(name) or change.before.get(name)

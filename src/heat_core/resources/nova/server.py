"""OS::Nova::Server."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyConflict,
)
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
from heat_core.resources.demands import refuse
from heat_core.resources.neighbours import Neighbour, where
from heat_core.resources.neutron.port_properties import ALLOWED_ADDRESS_PAIRS, VNIC_TYPE
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.nova.server_checks import check_block_devices, check_network
from heat_core.resources.nova.server_properties import (
    DEPLOYMENT_SWIFT_DATA,
    SOFTWARE_CONFIG_TRANSPORT,
)
from heat_core.resources.unbuilt import Unbuilt


class Server(Unbuilt, NovaType):
    """A virtual machine."""

    name = "OS::Nova::Server"
    entity = "servers"
    physical_name_limit = 53
    announced = frozenset(
        {"check", "delete_snapshot", "restore", "resume", "snapshot", "snapshot_delete", "suspend"}
    )

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the server.", update_allowed=True),
        "image": Prop.string(
            "Name or id of the image to boot from.",
            update_allowed=True,
            constraints=[Custom("glance.image")],
        ),
        "block_device_mapping": Prop.list(
            "Volumes of the server, in the old form.",
            schema=Prop.map(
                schema={
                    "device_name": Prop.string(
                        "Name of the device within the server.", required=True
                    ),
                    "volume_id": Prop.string("The volume.", constraints=[Custom("cinder.volume")]),
                    "snapshot_id": Prop.string(
                        "Snapshot that a new volume starts from.",
                        constraints=[Custom("cinder.snapshot")],
                    ),
                    "volume_size": Prop.integer("Size of a new volume in gigabytes."),
                    "delete_on_termination": Prop.boolean(
                        "Whether the volume goes with the server."
                    ),
                }
            ),
        ),
        "block_device_mapping_v2": Prop.list(
            "Disks of the server.",
            schema=Prop.map(
                schema={
                    "device_name": Prop.string("Name of the device within the server."),
                    "volume_id": Prop.string(
                        "An existing volume.", constraints=[Custom("cinder.volume")]
                    ),
                    "image_id": Prop.string(
                        "Id of an image that a new volume starts from.",
                        constraints=[Custom("glance.image")],
                        support=hidden(
                            "9.0.0",
                            "Replaced by image.",
                            previous=deprecated("7.0.0", previous=Support(version="5.0.0")),
                        ),
                    ),
                    "image": Prop.string(
                        "Name or id of an image that a new volume starts from.",
                        constraints=[Custom("glance.image")],
                        support=Support(version="7.0.0"),
                    ),
                    "snapshot_id": Prop.string(
                        "Snapshot that a new volume starts from.",
                        constraints=[Custom("cinder.snapshot")],
                    ),
                    "swap_size": Prop.integer("Megabytes of a swap disk."),
                    "ephemeral_size": Prop.integer(
                        "Gigabytes of a disk that lives with the server.",
                        constraints=[Range(1)],
                        support=Support(version="8.0.0"),
                    ),
                    "ephemeral_format": Prop.string(
                        "File system of that disk.",
                        constraints=[AllowedValues(["ext2", "ext3", "ext4", "xfs", "ntfs"])],
                        support=Support(version="8.0.0"),
                    ),
                    "device_type": Prop.string(
                        "Kind of the device.", constraints=[AllowedValues(["cdrom", "disk"])]
                    ),
                    "disk_bus": Prop.string(
                        "Bus that the device is attached to.",
                        constraints=[
                            AllowedValues(["ide", "lame_bus", "sata", "scsi", "usb", "virtio"])
                        ],
                    ),
                    "boot_index": Prop.integer("Place in the boot order; -1 is not bootable."),
                    "volume_size": Prop.integer("Size of a new volume in gigabytes."),
                    "delete_on_termination": Prop.boolean(
                        "Whether the volume goes with the server."
                    ),
                    "volume_type": Prop.string(
                        "Name or id of a new volume's type.",
                        constraints=[Custom("cinder.vtype")],
                        support=Support(version="26.0.0"),
                    ),
                }
            ),
            support=Support(version="2015.1"),
        ),
        "flavor": Prop.string(
            "Name or id of the flavor.",
            required=True,
            update_allowed=True,
            constraints=[Custom("nova.flavor")],
        ),
        "flavor_update_policy": Prop.string(
            "Whether another flavor resizes the server or replaces it.",
            default="RESIZE",
            update_allowed=True,
            constraints=[AllowedValues(["RESIZE", "REPLACE"])],
        ),
        "image_update_policy": Prop.string(
            "How another image gets onto the server: rebuilt or replaced.",
            default="REBUILD",
            update_allowed=True,
            constraints=[AllowedValues(["REBUILD", "REPLACE", "REBUILD_PRESERVE_EPHEMERAL"])],
        ),
        "key_name": Prop.string(
            "Name of the key pair to log in with.", constraints=[Custom("nova.keypair")]
        ),
        "admin_user": Prop.string(
            "User to set up on the server.",
            support=hidden(
                "5.0.0",
                "The image's own user is set up.",
                previous=deprecated("2014.1", previous=Support(version="2013.2")),
            ),
        ),
        "availability_zone": Prop.string("Availability zone to run in."),
        "security_groups": Prop.list(
            "Names or ids of security groups, where no port is given.", default=[]
        ),
        "networks": Prop.list(
            "Networks of the server, one interface each.",
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "uuid": Prop.string(
                        "Id of a network.",
                        constraints=[Custom("neutron.network")],
                        support=hidden(
                            "5.0.0", previous=deprecated("2014.1", "Replaced by network.")
                        ),
                    ),
                    "network": Prop.string(
                        "Name or id of a network.", constraints=[Custom("neutron.network")]
                    ),
                    "allocate_network": Prop.string(
                        "Let the service find a network, or go without one.",
                        update_allowed=True,
                        constraints=[AllowedValues(["none", "auto"])],
                        support=Support(version="9.0.0"),
                    ),
                    "fixed_ip": Prop.string(
                        "Address of the interface.", constraints=[Custom("ip_addr")]
                    ),
                    "port": Prop.string(
                        "Name or id of an existing port.", constraints=[Custom("neutron.port")]
                    ),
                    "port_extra_properties": Prop.map(
                        "Further properties of the port that is made.",
                        update_allowed=True,
                        schema={
                            "value_specs": Prop.map(
                                "Further fields of the request.", default={}, update_allowed=True
                            ),
                            "admin_state_up": Prop.boolean(
                                "Whether the port is switched on.",
                                default=True,
                                update_allowed=True,
                            ),
                            "mac_address": Prop.string(
                                "MAC address of the port.", constraints=[Custom("mac_addr")]
                            ),
                            "allowed_address_pairs": ALLOWED_ADDRESS_PAIRS,
                            "binding:vnic_type": VNIC_TYPE,
                            "port_security_enabled": Prop.boolean(
                                "Whether the port filters what passes it.",
                                update_allowed=True,
                                support=Support(version="5.0.0"),
                            ),
                            "qos_policy": Prop.string(
                                "Name or id of the QoS policy.",
                                update_allowed=True,
                                constraints=[Custom("neutron.qos_policy")],
                                support=Support(version="6.0.0"),
                            ),
                            "propagate_uplink_status": Prop.boolean(
                                "Whether the port shows the state of its uplink.",
                                update_allowed=True,
                                support=Support(version="15.0.0"),
                            ),
                            "no_fixed_ips": Prop.boolean(
                                "Whether the port goes without an address.",
                                default=False,
                                update_allowed=True,
                                support=Support(version="16.0.0"),
                            ),
                        },
                        support=Support(version="6.0.0"),
                    ),
                    "subnet": Prop.string(
                        "Name or id of the subnet of the interface.",
                        support=Support(version="5.0.0"),
                    ),
                    "floating_ip": Prop.string(
                        "Id of a floating IP to bind to the interface.",
                        support=Support(version="6.0.0"),
                    ),
                    "tag": Prop.string(
                        "Tag of the device, seen by the server.", support=Support(version="9.0.0")
                    ),
                }
            ),
        ),
        "scheduler_hints": Prop.map("Wishes for the choice of a host, by key."),
        "metadata": Prop.map(
            "Key and value pairs, seen by the server.", default={}, update_allowed=True
        ),
        "user_data_format": Prop.string(
            "How user data is put together for the server.",
            default="HEAT_CFNTOOLS",
            constraints=[AllowedValues(["HEAT_CFNTOOLS", "RAW", "SOFTWARE_CONFIG"])],
        ),
        "software_config_transport": SOFTWARE_CONFIG_TRANSPORT,
        "user_data_update_policy": Prop.string(
            "Whether other user data replaces the server or is only noted.",
            default="REPLACE",
            update_allowed=True,
            constraints=[AllowedValues(["REPLACE", "IGNORE", "REBUILD"])],
            support=Support(version="6.0.0"),
        ),
        "user_data": Prop.string(
            "Script or configuration for cloud-init.", default="", update_allowed=True
        ),
        "reservation_id": Prop.string("A reservation id made up by the caller."),
        "config_drive": Prop.boolean("Whether metadata comes on a disk as well."),
        "diskConfig": Prop.string(
            "Whether the service partitions the disk.",
            constraints=[AllowedValues(["AUTO", "MANUAL"])],
        ),
        "personality": Prop.map(
            "Contents of files to put into the server, by path.",
            default={},
            support=deprecated(
                "12.0.0", "Ends with microversion 2.57 of the service; use user_data or metadata."
            ),
        ),
        "admin_pass": Prop.string("Password of the administrator.", update_allowed=True),
        "tags": Prop.list(
            "Tags of the server.",
            update_allowed=True,
            schema=Prop.string(),
            support=Support(version="8.0.0"),
        ),
        "deployment_swift_data": DEPLOYMENT_SWIFT_DATA,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(description="Name of the server.", kind=Kind.STRING),
        "addresses": Attr(
            description="Addresses by network, with the port, subnets and network of each.",
            kind=Kind.MAP,
            support=Support(
                version="11.0.0",
                message="Tells of subnets and the network since 11.0.0.",
                previous=Support(),
            ),
        ),
        "networks": Attr(description="Addresses by network name.", kind=Kind.MAP),
        "first_address": Attr(
            description="One address of the server.",
            support=hidden(
                "5.0.0",
                "Replaced by networks.",
                previous=deprecated("2014.2", previous=Support(version="2013.2")),
            ),
        ),
        "instance_name": Attr(
            description="Name that the hypervisor gives the server.", kind=Kind.STRING
        ),
        "accessIPv4": Attr(
            description="IPv4 address that the server is meant to be reached at.",
            kind=Kind.STRING,
            support=deprecated("14.0.0", previous=Support(version="2015.1")),
        ),
        "accessIPv6": Attr(
            description="IPv6 address that the server is meant to be reached at.",
            kind=Kind.STRING,
            support=deprecated("14.0.0", previous=Support(version="2015.1")),
        ),
        "console_urls": Attr(
            description="URLs of the server's consoles, by kind.",
            kind=Kind.MAP,
            support=Support(version="2015.1"),
        ),
        "tags": Attr(
            description="Tags of the server.", kind=Kind.LIST, support=Support(version="8.0.0")
        ),
        "os_collect_config": Attr(
            description="What os-collect-config on the server needs to ask for its deployments.",
            kind=Kind.MAP,
            cache=CacheMode.NONE,
            support=Support(version="9.0.0"),
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

    def validate(self, props: Mapping[str, Any]) -> None:
        check_block_devices(props, self.view.name)
        networks = props["networks"] or []
        for network in networks:
            check_network(network, self.view.name)
        if any(network["allocate_network"] for network in networks) and len(networks) != 1:
            refuse(
                'Property "allocate_network" can not be specified if multiple network interfaces '
                "set for server."
            )
        has_port = any(network["port"] is not None for network in networks)
        if has_port and props["security_groups"]:
            raise ResourcePropertyConflict("security_groups", "networks/port")


def _policy(change: Change, name: str) -> Any:
    """How the update treats a property: as the new properties say, else as the old ones did."""
    return change.after.get(name) or change.before.get(name)

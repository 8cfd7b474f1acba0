"""AWS::EC2::Instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyConflict,
)
from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
)
from heat_core.resources.aws.block_devices import check_block_devices
from heat_core.resources.aws.instance_properties import BLOCK_DEVICE_MAPPINGS, NOVA_SCHEDULER_HINTS
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.unbuilt import Unbuilt


class Instance(Unbuilt, NovaType):
    """A virtual machine."""

    name = "AWS::EC2::Instance"
    physical_name_limit = 53
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "ImageId": Prop.string(required=True, constraints=[Custom("glance.image")]),
        "InstanceType": Prop.string(
            required=True, update_allowed=True, constraints=[Custom("nova.flavor")]
        ),
        "KeyName": Prop.string(constraints=[Custom("nova.keypair")]),
        "AvailabilityZone": Prop.string(),
        "DisableApiTermination": Prop.string(implemented=False),
        "KernelId": Prop.string(implemented=False),
        "Monitoring": Prop.boolean(implemented=False),
        "PlacementGroupName": Prop.string(implemented=False),
        "PrivateIpAddress": Prop.string(implemented=False),
        "RamDiskId": Prop.string(implemented=False),
        "SecurityGroups": Prop.list(),
        "SecurityGroupIds": Prop.list(),
        "NetworkInterfaces": Prop.list(update_allowed=True),
        "SourceDestCheck": Prop.boolean(implemented=False),
        "SubnetId": Prop.string(update_allowed=True),
        "Tags": Prop.list(
            update_allowed=True,
            schema=Prop.map(
                schema={"Key": Prop.string(required=True), "Value": Prop.string(required=True)}
            ),
        ),
        "NovaSchedulerHints": NOVA_SCHEDULER_HINTS,
        "Tenancy": Prop.string(
            implemented=False, constraints=[AllowedValues(["dedicated", "default"])]
        ),
        "UserData": Prop.string(),
        "Volumes": Prop.list(
            default=[],
            schema=Prop.map(
                schema={
                    "Device": Prop.string(required=True),
                    "VolumeId": Prop.string(required=True, constraints=[Custom("cinder.volume")]),
                }
            ),
        ),
        "BlockDeviceMappings": BLOCK_DEVICE_MAPPINGS,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "AvailabilityZone": Attr(kind=Kind.STRING),
        "PrivateDnsName": Attr(kind=Kind.STRING),
        "PublicDnsName": Attr(kind=Kind.STRING),
        "PrivateIp": Attr(kind=Kind.STRING),
        "PublicIp": Attr(kind=Kind.STRING),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        groups = [*(props["SecurityGroups"] or ()), *(props["SecurityGroupIds"] or ())]
        if groups and props["NetworkInterfaces"]:
            raise ResourcePropertyConflict("SecurityGroups/SecurityGroupIds", "NetworkInterfaces")
        check_block_devices(props)

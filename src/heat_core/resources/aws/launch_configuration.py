"""AWS::AutoScaling::LaunchConfiguration: what the instances of a scaling group are made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.properties import (
    Custom,
    Prop,
)
from heat_core.resources.aws.block_devices import check_block_devices
from heat_core.resources.aws.instance_properties import BLOCK_DEVICE_MAPPINGS, NOVA_SCHEDULER_HINTS
from heat_core.resources.contract import Change
from heat_core.resources.demands import refuse
from heat_core.resources.unbuilt import Unbuilt


class LaunchConfiguration(Unbuilt):
    """What the instances of a scaling group are made from."""

    name = "AWS::AutoScaling::LaunchConfiguration"

    properties: ClassVar[Mapping[str, Prop]] = {
        "ImageId": Prop.string(constraints=[Custom("glance.image")]),
        "InstanceType": Prop.string(constraints=[Custom("nova.flavor")]),
        "InstanceId": Prop.string(constraints=[Custom("nova.server")]),
        "KeyName": Prop.string(constraints=[Custom("nova.keypair")]),
        "UserData": Prop.string(),
        "SecurityGroups": Prop.list(),
        "KernelId": Prop.string(implemented=False),
        "RamDiskId": Prop.string(implemented=False),
        "BlockDeviceMappings": BLOCK_DEVICE_MAPPINGS,
        "NovaSchedulerHints": NOVA_SCHEDULER_HINTS,
    }

    def needs_replace_with_change(self, change: Change) -> bool:
        return change.metadata_changed

    def validate(self, props: Mapping[str, Any]) -> None:
        check_block_devices(props)
        if not props["InstanceId"] and not (props["ImageId"] and props["InstanceType"]):
            refuse("If without InstanceId, ImageId and InstanceType are required.")

"""Properties that instances and launch configurations have in common."""

from __future__ import annotations

from heat_core.properties import (
    Custom,
    Prop,
)

BLOCK_DEVICE_MAPPINGS = Prop.list(
    schema=Prop.map(
        schema={
            "DeviceName": Prop.string(required=True),
            "Ebs": Prop.map(
                schema={
                    "DeleteOnTermination": Prop.boolean(default=True),
                    "Iops": Prop.number(implemented=False),
                    "SnapshotId": Prop.string(constraints=[Custom("cinder.snapshot")]),
                    "VolumeSize": Prop.string(),
                    "VolumeType": Prop.string(implemented=False),
                }
            ),
            "NoDevice": Prop.map(implemented=False),
            "VirtualName": Prop.string(implemented=False),
        }
    )
)

NOVA_SCHEDULER_HINTS = Prop.list(
    schema=Prop.map(schema={"Key": Prop.string(required=True), "Value": Prop.string(required=True)})
)

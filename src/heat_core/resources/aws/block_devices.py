"""What instances and launch configurations ask of their block devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_core.resources.demands import refuse

_WHEN = "this is required when specifying BlockDeviceMappings."


def check_block_devices(props: Mapping[str, Any]) -> None:
    """Every device starts from a snapshot."""
    for mapping in props["BlockDeviceMappings"] or ():
        if not mapping["Ebs"]:
            refuse(f"Ebs is missing, {_WHEN}")
        if not mapping["Ebs"]["SnapshotId"]:
            refuse(f"SnapshotId is missing, {_WHEN}")

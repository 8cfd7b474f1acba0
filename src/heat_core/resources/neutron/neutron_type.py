"""What all types of the neutron client have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_core.resources.contract import ResourceType
from heat_core.resources.demands import refuse


class NeutronType(ResourceType):
    """Base of the types behind which the service network stands."""

    service = "network"
    client_name = "neutron"

    def validate(self, props: Mapping[str, Any]) -> None:
        """Fields of the request that have a property are not given beside it.

        A type with demands of its own has never made this one.
        """
        banned = {"shared", "tenant_id", *props}.intersection(props.get("value_specs") or ())
        if banned:
            refuse(f"{', '.join(sorted(banned))} not allowed in value_specs")

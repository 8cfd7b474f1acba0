"""OS::Aodh::CombinationAlarm: an alarm on the states of other alarms; does nothing any more."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.aodh.aodh_type import AodhType
from heat_core.resources.heat.none_resource import NoneResource


class CombinationAlarm(NoneResource, AodhType):
    """An alarm on the states of other alarms; does nothing any more."""

    name = "OS::Aodh::CombinationAlarm"
    support = hidden(
        "9.0.0",
        "Replaced by OS::Aodh::CompositeAlarm.",
        previous=deprecated("7.0.0", previous=Support(version="2014.1")),
    )
    entity = "alarm"

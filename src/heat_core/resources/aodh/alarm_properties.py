"""Properties that all alarms have in common."""

from __future__ import annotations

from collections.abc import Mapping

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Range,
    Support,
)

ALARM_PROPERTIES: Mapping[str, Prop] = {
    "description": Prop.string(update_allowed=True),
    "enabled": Prop.boolean(default="true", update_allowed=True),
    "alarm_actions": Prop.list(update_allowed=True),
    "ok_actions": Prop.list(update_allowed=True),
    "insufficient_data_actions": Prop.list(update_allowed=True),
    "alarm_queues": Prop.list(
        default=[],
        update_allowed=True,
        schema=Prop.string(constraints=[Custom("zaqar.queue")]),
        support=Support(version="8.0.0"),
    ),
    "ok_queues": Prop.list(
        default=[],
        update_allowed=True,
        schema=Prop.string(constraints=[Custom("zaqar.queue")]),
        support=Support(version="8.0.0"),
    ),
    "insufficient_data_queues": Prop.list(
        default=[],
        update_allowed=True,
        schema=Prop.string(constraints=[Custom("zaqar.queue")]),
        support=Support(version="8.0.0"),
    ),
    "repeat_actions": Prop.boolean(default="true", update_allowed=True),
    "severity": Prop.string(
        default="low",
        update_allowed=True,
        constraints=[AllowedValues(["low", "moderate", "critical"])],
        support=Support(version="5.0.0"),
    ),
    "time_constraints": Prop.list(
        default=[],
        schema=Prop.map(
            schema={
                "name": Prop.string(required=True),
                "start": Prop.string(required=True, constraints=[Custom("cron_expression")]),
                "description": Prop.string(),
                "duration": Prop.integer(required=True, constraints=[Range(0)]),
                "timezone": Prop.string(constraints=[Custom("timezone")]),
            }
        ),
        support=Support(version="5.0.0"),
    ),
}

GNOCCHI_PROPERTIES: Mapping[str, Prop] = {
    "comparison_operator": Prop.string(
        update_allowed=True, constraints=[AllowedValues(["le", "ge", "eq", "lt", "gt", "ne"])]
    ),
    "evaluation_periods": Prop.integer(update_allowed=True),
    "aggregation_method": Prop.string(update_allowed=True),
    "granularity": Prop.integer(update_allowed=True),
    "threshold": Prop.number(required=True, update_allowed=True),
}

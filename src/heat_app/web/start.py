"""What an API's process checks of its configuration before it starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from heat_app.config import ConfigurationProblem, Settings
from heat_app.messaging_settings import messaging_settings
from heat_app.openstack_settings import openstack_settings
from heat_app.policy import Policy
from heat_app.web.health_backends import HealthCheck
from heat_app.web.pipeline import Pipeline, read_pipeline
from heat_io.messaging.amqp import AmqpSettings
from heat_io.openstack import OpenStackSettings

__all__ = ["Start"]


@dataclass(frozen=True, slots=True)
class Start:
    """A configuration that makes sense, in the forms that the parts want."""

    settings: Settings
    openstack: OpenStackSettings
    broker: AmqpSettings
    policy: Policy
    pipeline: Pipeline

    @classmethod
    def checked(cls, settings: Settings, program: str) -> Self:
        """Raises ConfigurationProblem for the first thing that can't be used."""
        try:
            HealthCheck.from_settings(settings.healthcheck)
            return cls(
                settings,
                openstack_settings(settings),
                messaging_settings(settings, process=program),
                Policy.from_settings(settings),
                read_pipeline(settings, program),
            )
        except ValueError as error:
            raise ConfigurationProblem(str(error)) from error

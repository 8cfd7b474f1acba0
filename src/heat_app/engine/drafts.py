"""What a request wants a stack to become, with what is stored and what the engine allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heat_app.engine.settings import EngineSettings
from heat_core.environment import Environment
from heat_core.stack import TemplateRecord
from heat_core.stack.mistakes import requests_mistake
from heat_core.stack.sources import Sources, check_sections, merged_environment, new_template
from heat_core.template import Template

__all__ = [
    "Sources",
    "check_resource_count",
    "check_template",
    "new_template",
    "patched_template",
    "stored_template",
]


def patched_template(
    current: TemplateRecord,
    current_files: Mapping[str, str],
    sources: Sources,
    clear_parameters: Sequence[str],
) -> Template:
    """The template that a PATCH makes of the current one (rules/b-environment.md#32)."""
    with requests_mistake():
        document = current.template if sources.template is None else sources.template
        files = {**current_files, **sources.files}
        bare = Template(document, files=files)
        whole = Sources(
            template=document,
            environment=sources.environment,
            files=files,
            environment_files=sources.environment_files,
        )
        request = merged_environment(bare, whole)
        kept = dict(current.environment)
        kept["parameters"] = {
            name: value
            for name, value in (kept.get("parameters") or {}).items()
            if name not in clear_parameters
        }
        environment = Environment.from_dict(kept)
        environment.load(request)
        known = bare.parameter_schemata()
        for name in [name for name in environment.parameters if name not in known]:
            del environment.parameters[name]
        return Template(document, files=files, environment=environment)


def stored_template(record: TemplateRecord, files: Mapping[str, str]) -> Template:
    """The template of a row that is there already."""
    return Template(
        record.template, files=files, environment=Environment.from_dict(record.environment)
    )


def check_template(template: Template, settings: EngineSettings) -> None:
    """Check sections and size; any mistake is StackValidationFailed (rules/a#14)."""
    check_sections(template, settings.stack_limits)


def check_resource_count(template: Template, settings: EngineSettings) -> None:
    """RequestLimitExceeded when the template has more resources than a stack may."""
    settings.stack_limits.check_resources(len(template.resources))

"""What a request wants a stack to become: template, files, environment, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heat_app.engine.settings import EngineSettings
from heat_core.environment import Environment, merge_environment_files
from heat_core.errors import (
    NotSupported,
    RequestLimitExceeded,
    StackResourceLimitExceeded,
    StackValidationFailed,
)
from heat_core.stack import StackDefinition, TemplateRecord
from heat_core.template import Template

_SECTIONS: Mapping[str, Any] = {
    "parameters": {},
    "parameter_defaults": {},
    "resource_registry": {},
    "event_sinks": [],
    "encrypted_param_names": [],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a request brings: the parsed template, the environment, the files.

    `environment_files` names those of the files that are environments, in order.
    """

    template: Mapping[str, Any] | None
    environment: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    environment_files: Sequence[str] = ()

    @classmethod
    def of_request(
        cls,
        template: Mapping[str, Any] | None,
        params: Mapping[str, Any] | None,
        files: Mapping[str, str] | None,
        environment_files: Sequence[str] | None,
        files_container: str | None,
    ) -> Sources:
        """Read the arguments of an RPC method. NotSupported for files in a Swift container."""
        if files_container:
            raise NotSupported(feature="Reading files from a container")
        return cls(
            template=template,
            environment=params or {},
            files=files or {},
            environment_files=tuple(environment_files or ()),
        )


def new_template(sources: Sources) -> Template:
    """The template that a create or a PUT asks for, with its environment."""
    if sources.template is None:
        raise NotSupported(feature="A request without a template")
    bare = Template(sources.template, files=sources.files)
    return Template(
        sources.template,
        files=sources.files,
        environment=Environment.from_dict(_merged(bare, sources)),
    )


def patched_template(
    current: TemplateRecord,
    current_files: Mapping[str, str],
    sources: Sources,
    clear_parameters: Sequence[str],
) -> Template:
    """The template that a PATCH makes of the current one (rules/b-environment.md#32)."""
    document = current.template if sources.template is None else sources.template
    files = {**current_files, **sources.files}
    bare = Template(document, files=files)
    whole = Sources(
        template=document,
        environment=sources.environment,
        files=files,
        environment_files=sources.environment_files,
    )
    request = _merged(bare, whole)
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
    try:
        template.validate_sections()
    except AssertionError:
        raise
    except Exception as error:
        raise StackValidationFailed(message=str(error)) from error
    check_resource_count(template, settings)


def check_resource_count(template: Template, settings: EngineSettings) -> None:
    """RequestLimitExceeded when the template has more resources than a stack may."""
    limit = settings.max_resources_per_stack
    if limit != -1 and len(template.resources) > limit:
        raise RequestLimitExceeded(message=StackResourceLimitExceeded.msg_fmt)


def secret_parameters(definition: StackDefinition) -> list[str]:
    """Names of the parameters whose values are stored encrypted."""
    return [one.name for one in definition.parameters.of_template() if one.hidden]


def _merged(template: Template, sources: Sources) -> Mapping[str, Any]:
    # Looked at even without environment files: a file that is a bad template is refused.
    schemata = template.all_parameter_schemata()
    if not sources.environment_files:
        return sources.environment
    return merge_environment_files(
        sources.environment_files,
        sources.files,
        {**_SECTIONS, **sources.environment},
        schemata,
    )

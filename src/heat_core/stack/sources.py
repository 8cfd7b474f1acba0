"""What a template, an environment and files make together, as a request brings them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from heat_core.environment import Environment, merge_environment_files
from heat_core.errors import NotSupported, StackValidationFailed
from heat_core.stack.limits import DEFAULT_LIMITS, StackLimits
from heat_core.stack.mistakes import requests_mistake
from heat_core.template import Template

_SECTIONS: Final[Mapping[str, Any]] = {
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
    """The template that a create or a PUT asks for, with its environment.

    Raises ValueError and Heat's errors, whatever the request has where maps and lists should be;
    KeyError for an environment file that isn't there (vectors, validate/env-files-missing).
    """
    if sources.template is None:
        raise NotSupported(feature="A request without a template")
    _check_files_are_there(sources)
    with requests_mistake():
        bare = Template(sources.template, files=sources.files)
        return Template(
            sources.template,
            files=sources.files,
            environment=Environment.from_dict(merged_environment(bare, sources)),
        )


def check_sections(template: Template, limits: StackLimits = DEFAULT_LIMITS) -> None:
    """Check sections and size (rules/a-template-versions.md#14).

    Any mistake in a section is StackValidationFailed, too many resources RequestLimitExceeded.
    """
    try:
        template.validate_sections()
    except AssertionError:
        raise
    except Exception as error:
        raise StackValidationFailed(message=str(error)) from error
    limits.check_resources(len(template.resources))


def _check_files_are_there(sources: Sources) -> None:
    for name in sources.environment_files:
        if name not in sources.files:
            raise KeyError(name)


def merged_environment(template: Template, sources: Sources) -> Mapping[str, Any]:
    """The environment of a request, its environment files laid over each other in their order."""
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

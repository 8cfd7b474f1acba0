"""The check itself: what the validate call of the API does, without services.

Constraints that only a service can judge count as met, as every service counts as there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from heat_app.validate.local_files import LocalFiles, Unreadable, read_sources
from heat_core.stack import StackDefinition
from heat_core.stack.sources import check_sections, new_template
from heat_core.stack.validate_answer import STACK_NAME, describe_definition

ERROR_CODES: Final = frozenset({"99001"})
"""what --ignore-errors may name"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What to check. `template` and `environments` are URLs."""

    template: str
    environments: Sequence[str] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    show_nested: bool = False
    ignored_errors: Collection[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What came of it: the API's answer, or the mistake.

    `definition` is there as far as the template could be read. `files` have all texts.
    """

    files: LocalFiles
    answer: Mapping[str, Any] | None = None
    error: Exception | None = None
    definition: StackDefinition | None = None

    @property
    def is_valid(self) -> bool:
        return self.error is None


def check(asked: Asked) -> Checked:
    """Read and check. Raises Unreadable when a file that the command line names is not there.

    Source of the order: rules/a-template-versions.md#14-15.
    """
    files = LocalFiles()
    definition: StackDefinition | None = None
    try:
        sources = read_sources(files, asked.template, asked.environments, asked.parameters)
        template = new_template(sources)
        check_sections(template)
        definition = StackDefinition.build(template, stack_name=STACK_NAME)
        definition.validate(strict=False, ignorable_errors=asked.ignored_errors)
        answer = describe_definition(definition, show_nested=asked.show_nested)
    except (AssertionError, Unreadable):
        raise
    except Exception as error:
        return Checked(files=files, error=error, definition=definition)
    return Checked(files=files, answer=answer, definition=definition)

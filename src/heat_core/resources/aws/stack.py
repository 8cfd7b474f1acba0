"""AWS::CloudFormation::Stack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from heat_core.errors import NotFound
from heat_core.properties import (
    Prop,
    select_from_attribute,
)
from heat_core.resources.nested.stack_type import Document, StackType
from heat_core.resources.nested.stack_type import NestedStack as NestedStackOf
from heat_core.resources.nested.surroundings import Surroundings
from heat_core.resources.unbuilt import Unbuilt
from heat_core.template import FetchFailed, parse_text

_OUTPUTS: Final = "Outputs."


class NestedStack(Unbuilt, StackType):
    """A stack within the stack, from a template at a URL."""

    name = "AWS::CloudFormation::Stack"
    has_open_attributes = True
    reference_is_arn = True
    announced = frozenset({"adopt", "check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "TemplateURL": Prop.string(required=True, update_allowed=True),
        "TimeoutInMinutes": Prop.integer(update_allowed=True),
        "Parameters": Prop.map(update_allowed=True),
    }

    def child_template(self, at: Surroundings) -> Document:
        """The template behind the URL. ValueError when it cannot be had or read.

        What was fetched for the check is kept among the stack's files, and used by the create.
        """
        url = at.properties["TemplateURL"]
        template = at.definition.template
        try:
            text = template.files[url] if url in template.files else template.downloads.get(url)
        except FetchFailed as error:
            raise ValueError(f"Could not fetch remote template '{url}': {error}") from None
        document: Document = parse_text(text, url=url)
        return document

    def child_parameters(self, at: Surroundings) -> Mapping[str, Any] | None:
        parameters: Mapping[str, Any] | None = at.properties["Parameters"]
        return parameters

    def timeout_minutes(self, at: Surroundings) -> int | None:
        """How long the nested stack may take; None: as long as its parent."""
        minutes: int | None = at.properties["TimeoutInMinutes"]
        return minutes

    async def read_attribute(
        self, nested: NestedStackOf | None, at: Surroundings, key: str, *path: Any
    ) -> Any:
        """Outputs of the nested stack, each as "Outputs.<name>"."""
        if not key.startswith(_OUTPUTS):
            raise self.no_attribute(key)
        if nested is None:
            return None
        try:
            value = await nested.output(key.removeprefix(_OUTPUTS))
        except NotFound:
            raise self.no_attribute(key) from None
        return select_from_attribute(value, path)

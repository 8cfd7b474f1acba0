"""Types that a template implements: its parameters are the properties, its outputs the attributes.

The environment leads from a type's name to the file, or the name is the file's own. A class is
made for the content of the file, and kept for the next one who needs the same
(rules/b-environment.md#13, #24-27).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from heat_core.errors import EntityNotFound, NotFound, StackValidationFailed
from heat_core.parameters import read_schemata
from heat_core.properties import Attr, Kind, Prop, Properties, from_parameter
from heat_core.resources.nested.acting import ActingStack
from heat_core.resources.nested.facade import check_facade
from heat_core.resources.nested.kept import Kept
from heat_core.resources.nested.stack_type import RESOURCE_PREFIX, Document, NestedStack
from heat_core.resources.nested.surroundings import Surroundings
from heat_core.stack.states import Action
from heat_core.template import (
    LOCAL_SCHEMES,
    REMOTE_SCHEMES,
    FetchFailed,
    Template,
    parse_text,
)

if TYPE_CHECKING:
    from heat_core.environment import Entry
    from heat_core.resources.contract import ResourceType

STACK_ID_OUTPUT: Final = "OS::stack_id"
"""an output of this name is what get_resource gives for the resource"""


class TemplateResource(ActingStack):
    """A resource that a nested template implements."""

    name = ""
    has_open_attributes = True
    reference_is_arn = True
    announced = frozenset({"adopt", "check", "resume", "suspend"})
    document: ClassVar[Document] = {"HeatTemplateFormatVersion": "2012-12-12"}

    @classmethod
    def implementation(cls) -> type[ResourceType]:
        """All templates are one implementation: another template is no reason to replace."""
        return TemplateResource

    # --- what the nested stack is made of ----------------------------------------------------

    def child_template(self, at: Surroundings) -> Document:
        if self.problem is not None:
            raise self.problem
        return self.document

    def child_parameters(self, at: Surroundings) -> Mapping[str, Any]:
        return child_parameters(at.properties, lenient=self.view.action is Action.INIT)

    def child_files(
        self, at: Surroundings, earlier: Mapping[str, str] | None = None
    ) -> Mapping[str, str]:
        """The parent's files, with the template itself when it was fetched."""
        template = at.definition.template
        if self.entry is None:
            return template.files
        return files_with(template, self.entry)

    def validate_after(self, at: Surroundings) -> None:
        """A template that stands for a type that exists has to look like it."""
        facade = _facade_of(at, self.entry)
        if facade is not None:
            check_facade(at.resource.type, type(self), facade)

    # --- reading -----------------------------------------------------------------------------

    async def read_attribute(
        self, nested: NestedStack | None, at: Surroundings, key: str, *path: Any
    ) -> Any:
        if nested is not None and key.startswith(RESOURCE_PREFIX):
            return await self.read_member_key(nested, key, *path)
        return await super().read_attribute(nested, at, key, *path)

    @classmethod
    def reference_output(cls) -> str | None:
        """The output that gives another reference id; None: there is none."""
        return STACK_ID_OUTPUT if STACK_ID_OUTPUT in cls.attributes else None


# --- the class of a file -------------------------------------------------------------------------


def template_class(template: Template, entry: Entry) -> type[TemplateResource]:
    """The class for a template entry of the environment, within a stack of this template.

    A file that cannot be had or read gives a class without properties whose `problem` says why.
    Raises InvalidSchemaError for parameters that are not right, and other errors of Heat's for
    what is wrong deeper inside. Notes the entry in the stack's registry, as the stack keeps it.
    """
    try:
        content = content_of(template, entry)
    except NotFound as error:
        return _make_class(entry, problem=error)
    template.environment.registry.note_template(entry)
    defaults = template.environment.parameter_defaults
    key = (entry, content, repr(defaults))
    kept = _CLASSES.get(key)
    if kept is None:
        kept = _class_of_content(entry, content, defaults)
        _CLASSES.put(key, kept, cost=len(content))
    return kept


_CLASSES: Kept[Any, type[TemplateResource]] = Kept(limit=4 * 1024 * 1024)
"""classes by what they are made from; the cost is the length of the content"""


def content_of(template: Template, entry: Entry) -> str:
    """The text of a template entry: among the files, else fetched. NotFound says why not."""
    address = str(entry.value)
    content = template.files.get(address)
    if content:
        return content
    schemes = REMOTE_SCHEMES if entry.is_user else (*REMOTE_SCHEMES, *LOCAL_SCHEMES)
    try:
        return template.downloads.get(address, schemes)
    except FetchFailed as error:
        if content is not None:
            return content
        raise NotFound(f'Could not fetch remote template "{address}": {error}') from None


def files_with(template: Template, entry: Entry) -> Mapping[str, str]:
    """The stack's files, with the entry's content when that was fetched."""
    try:
        content = content_of(template, entry)
    except NotFound:
        return template.files
    if template.files.get(str(entry.value)) == content:
        return template.files
    return {**template.files, str(entry.value): content}


def _class_of_content(
    entry: Entry, content: str, defaults: Mapping[str, Any]
) -> type[TemplateResource]:
    try:
        document = parse_text(content, url=str(entry.value))
        template = Template(document)
    except ValueError as error:
        return _make_class(entry, problem=error)
    template = Template(_with_defaults(template, defaults))
    schemata = read_schemata(template.version, template.parameters)
    return _make_class(
        entry,
        document=template.document,
        doc=template.description,
        properties={
            name: from_parameter(
                schema.kind,
                description=schema.description,
                required=schema.default is None,
                constraints=schema.constraints.items,
            )
            for name, schema in schemata.items()
        },
        attributes=_attributes(template),
    )


def _with_defaults(template: Template, defaults: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document with the environment's defaults in its parameters' place."""
    names = template.version.names
    written = template.document.get(names.parameters) or {}
    if not defaults or not isinstance(written, Mapping) or not set(written) & set(defaults):
        return template.document
    key = "default" if template.version.dialect == "hot" else "Default"
    parameters = {
        name: {**schema, key: defaults[name]}
        if name in defaults and isinstance(schema, Mapping)
        else schema
        for name, schema in written.items()
    }
    return {**template.document, names.parameters: parameters}


def _attributes(template: Template) -> dict[str, Attr]:
    """An attribute an output; only CloudFormation's descriptions are known by their name."""
    outputs = template.outputs
    if template.version.dialect == "hot":
        _check_outputs(template)
    for written in outputs.values():
        if not isinstance(written, Mapping):
            raise _not_a_map(written)
    return {name: Attr(description=written.get("Description")) for name, written in outputs.items()}


def _not_a_map(written: Any) -> StackValidationFailed:
    return StackValidationFailed(
        message=f'"outputs" must contain a map of output maps. Found a [{type(written)}] instead'
    )


def _check_outputs(template: Template) -> None:
    """The first check of the outputs of a HOT template. StackValidationFailed."""
    missing = "Each output must contain a value key."
    allowed = {"description", "value"}
    if template.version.has_conditions:
        allowed.add("condition")
    for _, written in sorted(template.outputs.items()):
        if not written:
            raise StackValidationFailed(message=missing)
        if not isinstance(written, Mapping):
            raise _not_a_map(written)
        for key in written:
            if key not in allowed:
                raise StackValidationFailed(
                    message=f'"{key}" is not a valid keyword inside a output definition'
                )
        if "value" not in written:
            raise StackValidationFailed(message=missing)


def _make_class(
    entry: Entry,
    *,
    problem: Exception | None = None,
    document: Document | None = None,
    doc: Any = None,
    properties: Mapping[str, Prop] | None = None,
    attributes: Mapping[str, Attr] | None = None,
) -> type[TemplateResource]:
    members: dict[str, Any] = {
        "__module__": __name__,
        "__doc__": doc if isinstance(doc, str) else None,
        "name": entry.name,
        "entry": entry,
        "template_url": str(entry.value),
        "problem": problem,
        "properties": properties or {},
        "attributes": attributes or {},
    }
    if document is not None:
        members["document"] = document
    return type(TemplateResource.__name__, (TemplateResource,), members)


def _facade_of(at: Surroundings, entry: Entry | None) -> type[ResourceType] | None:
    """The type that the resource would have without the template; None when there is no other."""
    from heat_core.resources.nested.classes import class_of_entry

    template = at.definition.template
    try:
        found = template.environment.registry.find(at.resource.type, at.name, ignore=entry)
    except EntityNotFound:
        return None
    return class_of_entry(template, found)


# --- parameters ----------------------------------------------------------------------------------


def child_parameters(properties: Properties, *, lenient: bool = False) -> dict[str, Any]:
    """The parameters of the nested stack by the values that the user gave (rules/b#27).

    Raises ValueError for a value that cannot be read; when `lenient` it counts as null, because
    what the definition says wrong shows elsewhere. TypeError for a list of anything but text or
    maps.
    """
    parameters: dict[str, Any] = {}
    for name, prop in properties.schema.items():
        if not prop.implemented:
            continue
        try:
            value = properties.user_value(name)
        except ValueError:
            if not lenient:
                raise
            value = _null_of(name, prop)
        if value is not None:
            parameters[name] = _joined(value) if prop.kind is Kind.LIST else value
    return parameters


def _null_of(name: str, prop: Prop) -> Any:
    return Properties({name: prop}, {name: None}).user_value(name)


def _joined(members: Any) -> str:
    """A list as a comma-delimited list; maps become numbered members."""
    if not members:
        return ""
    if isinstance(members[0], Mapping):
        return ",".join(
            f".member.{index}.{key}={value}"
            for index, member in enumerate(members)
            for key, value in member.items()
        )
    return ",".join("" if member is None else member for member in members)

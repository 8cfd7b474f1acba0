"""A template: a document of a known version, with its files and its environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from heat_core.environment.environment import Environment
from heat_core.errors import InvalidTemplateSection, StackValidationFailed
from heat_core.parameters import Parameters, ParameterSchema, read_schemata
from heat_core.template.downloads import Downloads
from heat_core.template.loader import VERSION_KEYS, parse_text
from heat_core.template.versions import TemplateVersion, version_of

if TYPE_CHECKING:
    from heat_core.stack.identity import HeatIdentifier


class Template:
    """The document as loaded, never changed, and what surrounds it.

    Raises InvalidTemplateVersion when the document's version is not known.
    """

    __slots__ = ("document", "downloads", "environment", "files", "version")

    def __init__(
        self,
        document: Mapping[str, Any],
        *,
        files: Mapping[str, str] | None = None,
        environment: Environment | None = None,
        downloads: Downloads | None = None,
    ) -> None:
        self.version: TemplateVersion = version_of(document)
        self.document = document
        self.files: Mapping[str, str] = files or {}
        self.downloads = Downloads() if downloads is None else downloads
        self.environment = Environment() if environment is None else environment

    # --- sections --------------------------------------------------------------------------

    @property
    def description(self) -> Any:
        """The description, "No description" without one."""
        return self.document.get(self.version.names.description) or "No description"

    @property
    def parameters(self) -> Mapping[Any, Any]:
        """The parameters section as written. StackValidationFailed when it isn't a map."""
        return self._map(self.version.names.parameters)

    @property
    def parameter_groups(self) -> Any:
        """The parameter groups as written; only HOT has them."""
        if self.version.dialect == "cfn":
            return None
        return self.document.get("parameter_groups") or {}

    @property
    def mappings(self) -> Any:
        """The Mappings section; HOT has none."""
        if self.version.dialect == "hot":
            return {}
        return self.document.get(self.version.names.mappings) or {}

    @property
    def conditions(self) -> Any:
        """The conditions as written; {} in versions without them."""
        if not self.version.has_conditions:
            return {}
        return self.document.get(self.version.names.conditions, {})

    @property
    def resources(self) -> Mapping[Any, Any]:
        """The resources as written, those with a false condition too. StackValidationFailed."""
        return self._map(self.version.names.resources)

    @property
    def outputs(self) -> Mapping[Any, Any]:
        """The outputs as written. StackValidationFailed when the section isn't a map."""
        return self._map(self.version.names.outputs)

    def _map(self, section: str) -> Mapping[Any, Any]:
        content = self.document.get(section) or {}
        if not isinstance(content, Mapping):
            raise StackValidationFailed(
                path=[section], message=f"Expected a map, found a {type(content).__name__}"
            )
        return content

    def parameter_schemata(
        self, defaults: Mapping[str, Any] | None = None
    ) -> dict[str, ParameterSchema]:
        """Schemas of the parameters, `defaults` laid over the template's. InvalidSchemaError."""
        return read_schemata(self.version, self.parameters, defaults)

    def hidden_parameters(self) -> list[str]:
        """Names of the parameters whose values are secrets. InvalidSchemaError."""
        return [name for name, schema in self.parameter_schemata().items() if schema.hidden]

    def all_parameter_schemata(self) -> dict[str, ParameterSchema]:
        """Schemas of the parameters, with those of the templates among the files.

        Where names meet this template's own count. What is no template is passed over; one that
        is wrong raises InvalidTemplateVersion or InvalidSchemaError.
        """
        schemata: dict[str, ParameterSchema] = {}
        for content in self.files.values():
            if not any(key in content for key in VERSION_KEYS):
                continue  # most files are scripts and data, which are not worth loading
            try:
                document = parse_text(content)
            except ValueError:
                continue
            schemata.update(Template(document).parameter_schemata())
        schemata.update(self.parameter_schemata())
        return schemata

    def make_parameters(self, identity: HeatIdentifier | None) -> Parameters:
        """The parameters with the environment's values. InvalidSchemaError."""
        return Parameters.of(
            self.version,
            self.parameters,
            identity,
            self.environment.parameters,
            self.environment.parameter_defaults,
        )

    @property
    def all_files(self) -> Mapping[str, str]:
        """The files with what was fetched for the template: it is kept with them."""
        contents = self.downloads.contents
        return {**contents, **self.files} if contents else self.files

    # --- checks ----------------------------------------------------------------------------

    def validate_sections(self) -> None:
        """Check the top-level keys, then the outer form of resources (rules/a#11, #16-18).

        Raises InvalidTemplateSection or StackValidationFailed.
        """
        for section in self.document:
            if section not in self.version.sections:
                raise InvalidTemplateSection(section=section)
        if self.version.dialect == "hot":
            self.check_resource_keys()
        self._check_types()

    def _check_types(self) -> None:
        type_key = self.version.names.type
        for written in self.resources.values():
            if written and not isinstance(written, Mapping):
                raise StackValidationFailed(
                    message=f"Resources must contain Resource. Found a [{type(written)}] instead"
                )
            if not written or not written.get(type_key):
                raise StackValidationFailed(message="Each Resource must contain a Type key.")

    def check_resource_keys(self) -> None:
        """The first check of HOT resources, the same for all its versions (rules/a#16-18)."""
        for _, written in sorted(self.resources.items(), key=lambda item: str(item[0])):
            if not written:
                raise StackValidationFailed(message="Each resource must contain a type key.")
            if not isinstance(written, Mapping):
                raise StackValidationFailed(
                    message='"resources" must contain a map of resource maps. '
                    f"Found a [{type(written)}] instead"
                )
            for key in written:
                if key not in _HOT_RESOURCE_KEYS:
                    raise StackValidationFailed(
                        message=f'"{key}" is not a valid keyword inside a resource definition'
                    )
            if "type" not in written:
                raise StackValidationFailed(message="Each resource must contain a type key.")

    # --- other templates made of this one --------------------------------------------------

    def without_resources(self) -> Template:
        """The same template with no resources: what a delete goes towards (rules/a#35)."""
        return Template(
            without_resources(self.document),
            files=self.files,
            environment=self.environment,
            downloads=self.downloads,
        )


_HOT_RESOURCE_KEYS = frozenset(
    {
        "type",
        "properties",
        "metadata",
        "depends_on",
        "deletion_policy",
        "update_policy",
        "description",
        "external_id",
        "condition",
    }
)


def empty_template(document: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A document with nothing in it: of the given one's version, else of HOT 2015-04-30.

    What a rollback without a previous template goes towards (rules/a-template-versions.md#35,
    rules/i-convergence.md#34).
    """
    if document is None:
        return {"heat_template_version": "2015-04-30"}
    key = version_of(document).key
    return {key: document[key]}


def without_resources(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with no resources: what a delete goes towards (rules/a#35)."""
    emptied = dict(document)
    section = version_of(document).names.resources
    if section in emptied:
        emptied[section] = {}
    return emptied

"""What types and template versions there are (rules/o-listing.md, rules/a#32-33)."""

from __future__ import annotations

from functools import partial
from typing import Any

from heat_app.engine.ports import Endpoint
from heat_app.engine.validator import catalog_types
from heat_core.environment import EntryKind, Registry, global_registry
from heat_core.errors import Forbidden, InvalidGlobalResource, NotFound
from heat_core.resources import catalog
from heat_core.rpc import RequestContext
from heat_core.template import VERSIONS, TemplateVersion
from heat_core.template.functions.refused import Removed
from heat_io.sandbox.evaluation import evaluate_in_thread

type Json = dict[str, Any]


class TypeReads(Endpoint):
    """Resource types, template versions and the functions that these have."""

    async def list_resource_types(
        self,
        context: RequestContext,
        support_status: str | None = None,
        type_name: str | None = None,
        heat_version: str | None = None,
        with_description: bool = False,
    ) -> list[Any]:
        """Names of the types that the caller may use, or maps of name and description."""
        # The first list loads the modules of all types.
        return await evaluate_in_thread(
            partial(
                catalog.list_types,
                support_status=support_status,
                type_name=type_name,
                version=heat_version,
                with_description=with_description,
                catalog_types=catalog_types(context),
                is_allowed=partial(self._is_listed, context, global_registry()),
            )
        )

    async def resource_schema(
        self, context: RequestContext, type_name: str, with_description: bool = False
    ) -> Json:
        """Properties, attributes and support status of a type."""
        name = self._known(context, type_name)
        schema = catalog.resource_schema(
            name, with_description=with_description, catalog_types=catalog_types(context)
        )
        return schema | {"resource_type": type_name}

    async def generate_template(
        self, context: RequestContext, type_name: str, template_type: str = "cfn"
    ) -> Json:
        """A template of one resource of the type."""
        return catalog.generate_template(self._known(context, type_name), template_type)

    def _is_listed(self, context: RequestContext, registry: Registry, type_name: str) -> bool:
        return not registry.removes(type_name) and self._parts.allows_type(type_name, context)

    def _known(self, context: RequestContext, type_name: str) -> str:
        """The built-in type behind a name.

        Forbidden by policy, EntityNotFound for an unknown name, InvalidGlobalResource for one
        that an operator mapped to a template: those are not loaded yet.
        """
        if not self._parts.allows_type(type_name, context):
            raise Forbidden(action=type_name)
        entry = global_registry().find(type_name)
        if entry.kind is EntryKind.TEMPLATE:
            raise InvalidGlobalResource(type_name=type_name)
        return str(entry.value)

    async def list_template_versions(self, context: RequestContext) -> list[Json]:
        """The template versions with their other names, sorted."""
        return [
            {
                "version": version.name,
                "type": version.dialect,
                "aliases": [f"{version.key}.{alias}" for alias in version.aliases],
            }
            for version in sorted(VERSIONS, key=lambda version: version.name)
        ]

    async def list_template_functions(
        self, context: RequestContext, template_version: str, with_condition: bool = False
    ) -> list[Json]:
        """The functions of a version with what they do; NotFound for an unknown version.

        Asking for the condition functions too changes nothing for later calls, unlike in Heat
        (rules/a-template-versions.md#32).
        """
        version = _version(template_version)
        functions: dict[str, Any] = dict(version.functions)
        if with_condition:
            functions |= version.condition_functions
        return [
            {"functions": name, "description": _first_line(function)}
            for name, function in functions.items()
            if function is not Removed
        ]


def _version(name: str) -> TemplateVersion:
    for version in VERSIONS:
        if name in (version.name, *(f"{version.key}.{alias}" for alias in version.aliases)):
            return version
    raise NotFound(f"Template with version {name} not found")


def _first_line(function: Any) -> str:
    return (function.__doc__ or "").strip().partition("\n")[0]

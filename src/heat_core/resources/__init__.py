"""Resource types: the plugin contract, the registry, and the decisions about resources.

A type's module is loaded when `registry.find` first asks for it, and the modules of this package
when one of their names is: whoever only wants to know which types there are loads none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from heat_core.resources import registry

if TYPE_CHECKING:
    from heat_core.resources.catalog import (
        description_of,
        generate_template,
        list_types,
        resource_schema,
    )
    from heat_core.resources.contract import UNKNOWN, Change, ResourceType, ResourceView
    from heat_core.resources.failures import (
        PluginFailure,
        aborted_reason,
        create_failure,
        error_class,
        invalid_state,
        resource_failure,
    )
    from heat_core.resources.inputs import (
        bind,
        prepare_create,
        resolve_translations,
        stored_values,
        with_answers,
    )
    from heat_core.resources.reading import (
        attribute_schemas,
        has_attribute,
        may_cache,
        read_attribute,
        read_attribute_key,
        read_shown_attributes,
    )
    from heat_core.resources.update import (
        PROMOTED_REASON,
        NoChange,
        Refused,
        Replace,
        UpdateDecision,
        UpdateInPlace,
        UpdateQuestion,
        check_allowed,
        decide_update,
        nested_state,
        prepare_update,
    )

_MODULES = ("contract", "failures", "inputs", "reading", "update", "catalog")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in _MODULES:
            found = vars(import_module(f"{__name__}.{module}")).get(name)
            if found is not None:
                globals()[name] = found
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "PROMOTED_REASON",
    "UNKNOWN",
    "Change",
    "NoChange",
    "PluginFailure",
    "Refused",
    "Replace",
    "ResourceType",
    "ResourceView",
    "UpdateDecision",
    "UpdateInPlace",
    "UpdateQuestion",
    "aborted_reason",
    "attribute_schemas",
    "bind",
    "check_allowed",
    "create_failure",
    "decide_update",
    "description_of",
    "error_class",
    "generate_template",
    "has_attribute",
    "invalid_state",
    "list_types",
    "may_cache",
    "nested_state",
    "prepare_create",
    "prepare_update",
    "read_attribute",
    "read_attribute_key",
    "read_shown_attributes",
    "registry",
    "resolve_translations",
    "resource_failure",
    "resource_schema",
    "stored_values",
    "with_answers",
]

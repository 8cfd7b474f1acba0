"""The template language: text -> Template -> parsed trees -> values."""

from heat_core.template.conditions import Conditions
from heat_core.template.downloads import (
    LOCAL_SCHEMES,
    REMOTE_SCHEMES,
    Downloads,
    FetchFailed,
)
from heat_core.template.function import (
    ALL_ATTRIBUTES,
    OMITTED,
    Function,
    Macro,
    attribute_references,
    dependencies,
    functions_in,
    resolve,
    unparsed,
    validate,
)
from heat_core.template.loader import (
    DEFAULT_MAX_TEMPLATE_SIZE,
    VERSION_KEYS,
    check_size,
    parse_any,
    parse_text,
    template_size_limit,
)
from heat_core.template.parser import parse
from heat_core.template.scope import (
    Nodes,
    NodeView,
    ParentResource,
    ParentView,
    Resolution,
    Scope,
    YaqlLimits,
    using_yaql_limits,
)
from heat_core.template.template import Template, empty_template, without_resources
from heat_core.template.versions import VERSIONS, TemplateVersion, version_of

__all__ = [
    "ALL_ATTRIBUTES",
    "DEFAULT_MAX_TEMPLATE_SIZE",
    "LOCAL_SCHEMES",
    "OMITTED",
    "REMOTE_SCHEMES",
    "VERSIONS",
    "VERSION_KEYS",
    "Conditions",
    "Downloads",
    "FetchFailed",
    "Function",
    "Macro",
    "NodeView",
    "Nodes",
    "ParentResource",
    "ParentView",
    "Resolution",
    "Scope",
    "Template",
    "TemplateVersion",
    "YaqlLimits",
    "attribute_references",
    "check_size",
    "dependencies",
    "empty_template",
    "functions_in",
    "parse",
    "parse_any",
    "parse_text",
    "resolve",
    "template_size_limit",
    "unparsed",
    "using_yaql_limits",
    "validate",
    "version_of",
    "without_resources",
]

"""Types that a template implements: its parameters are the properties, its outputs the attributes.

A class is made for the content of a file and kept; the type's name in a template leads to it
through the environment, or is the file's name itself (rules/b-environment.md#13, #24-27).
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from heat_core.errors import NotFound, StackValidationFailed
from heat_core.properties import BASE_ATTRIBUTES, Attr, Kind, Prop, Properties, from_parameter
from heat_core.resources.nested.facade import check_facade
from heat_core.resources.nested.stack_type import RESOURCE_PREFIX, Document, NestedStack, StackType
from heat_core.resources.nested.surroundings import Surroundings
from heat_core.template import Template, parse_text

if TYPE_CHECKING:
    from heat_core.environment import Entry
    from heat_core.template import Downloads

STACK_ID_OUTPUT: Final = "OS::stack_id"
"""an output of this name is what get_resource gives for the resource"""

REMOTE_SCHEMES: Final = ("http", "https")
LOCAL_SCHEMES: Final = ("file",)

"""Resources that are stacks of their own: template resources, groups, chains.

Pure: what a nested stack is made of, how it grows and is replaced in batches, what is read of it.
"""

from heat_core.resources.nested.acting import ActingStack, child_failure
from heat_core.resources.nested.batches import (
    Batch,
    is_done,
    next_batch,
    resource_group_batches,
    scaling_group_batches,
    seconds_for_batches,
)
from heat_core.resources.nested.capacity import new_capacity
from heat_core.resources.nested.children import (
    ChildCheck,
    child_definition,
    child_template_of,
    nested_parameters,
    resource_of,
    surroundings_of,
)
from heat_core.resources.nested.classes import class_of, class_of_entry
from heat_core.resources.nested.facade import check_facade
from heat_core.resources.nested.stack_type import CheckChild, Document, NestedStack, StackType
from heat_core.resources.nested.surroundings import (
    Member,
    Members,
    Surroundings,
    numbered_names,
)
from heat_core.resources.nested.template_resource import (
    STACK_ID_OUTPUT,
    TemplateResource,
    child_parameters,
    template_class,
)

__all__ = [
    "STACK_ID_OUTPUT",
    "ActingStack",
    "Batch",
    "CheckChild",
    "ChildCheck",
    "Document",
    "Member",
    "Members",
    "NestedStack",
    "StackType",
    "Surroundings",
    "TemplateResource",
    "check_facade",
    "child_definition",
    "child_failure",
    "child_parameters",
    "child_template_of",
    "class_of",
    "class_of_entry",
    "is_done",
    "nested_parameters",
    "new_capacity",
    "next_batch",
    "numbered_names",
    "resource_group_batches",
    "resource_of",
    "scaling_group_batches",
    "seconds_for_batches",
    "surroundings_of",
    "template_class",
]

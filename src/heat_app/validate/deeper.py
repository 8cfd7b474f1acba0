"""What the validate call of the API lets pass and a create would refuse.

The call checks names and structure, not values. Once it is content, more can be said without any
service: parameters that no template has, keys written twice, calls that look like a function's,
values of parameters, and, when every parameter has one, all the checks of a create.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from heat_app.validate import names
from heat_app.validate.checking import Checked
from heat_app.validate.pointing import Finding, Pointer
from heat_core.errors import StackValidationFailed
from heat_core.stack import StackDefinition
from heat_core.stack.validate_answer import STACK_NAME
from heat_core.template import Template

_LIKE_A_FUNCTION = 0.8


def mistakes(checked: Checked, pointer: Pointer) -> list[Finding]:
    """What would make a create fail: unknown parameters, else the first mistake in a value."""
    definition = checked.definition
    if definition is None or not checked.is_valid:
        return []
    unknown = list(_unknown_parameters(definition, pointer))
    if unknown:
        return unknown
    parameters = definition.parameters.of_template()
    with_values = [one for one in parameters if one.has_value]
    try:
        if len(with_values) < len(parameters):
            for one in with_values:
                one.validate()
            return []
        # Its own definition: a check of values must not see what another has worked out.
        StackDefinition.build(definition.template, stack_name=STACK_NAME).validate()
    except AssertionError:
        raise
    except Exception as error:
        return [pointer.point(error)]
    return []


def doubts(checked: Checked, pointer: Pointer) -> list[Finding]:
    """Keys that are written twice, and maps that look like a call of a function."""
    return [*_written_twice(pointer), *_almost_calls(checked, pointer)]


def _written_twice(pointer: Pointer) -> Iterator[Finding]:
    for url in (pointer.root, *pointer.environments):
        for key, place in pointer.marked(url).written_twice():
            text = f"{key} is there twice: only this one counts"
            yield Finding(url=url, text=text, place=place)


def _almost_calls(checked: Checked, pointer: Pointer) -> list[Finding]:
    """Maps that look like a call of a function whose name is not quite there."""
    definition = checked.definition
    if definition is None:
        return []
    functions = [name for name in definition.template.version.functions if len(str(name)) > 5]
    marked = pointer.marked()
    found = []
    for path, name, _ in _calls(definition):
        if name in definition.template.version.functions or name in functions:
            continue
        meant = names.nearest(name, functions, close=_LIKE_A_FUNCTION)
        if meant is None or name in names.property_names(definition, path):
            continue
        text = f"{path}: {name} is no function: the map stays as it is"
        place = marked.find(f"{path}.{name}")
        found.append(Finding(url=pointer.root, text=text, place=place, meant=meant))
    return found


def _unknown_parameters(definition: StackDefinition, pointer: Pointer) -> Iterator[Finding]:
    for path, name, given in _calls(definition):
        if name != "get_param":
            continue
        parameter = given[0] if isinstance(given, list) and given else given
        if not isinstance(parameter, str) or parameter in definition.parameters:
            continue
        error = StackValidationFailed(
            path=[path, name], message=f"The Parameter ({parameter}) was not provided."
        )
        yield replace(pointer.point(error), text=str(error))


def _calls(definition: StackDefinition) -> Iterator[tuple[str, str, Any]]:
    """(path, key, value) of every map of one entry that could be a call."""
    template = definition.template
    version = template.version
    for name, resource in _entries(_written(template, "resources")):
        for field in (version.names.properties, version.names.metadata):
            base = f"{version.names.resources}.{name}.{field}"
            for key, value in _entries(_field(resource, field)):
                yield from _calls_in(value, f"{base}.{key}")
    for name, output in _entries(_written(template, "outputs")):
        base = f"{version.names.outputs}.{name}.{version.names.output_value}"
        yield from _calls_in(_field(output, version.names.output_value), base)
    for name, condition in _entries(template.conditions):
        yield from _calls_in(condition, f"{version.names.conditions}.{name}")


def _written(template: Template, section: str) -> Any:
    """A section as it is written, whatever that is."""
    return template.document.get(getattr(template.version.names, section))


def _field(tree: Any, name: str) -> Any:
    return tree.get(name) if isinstance(tree, dict) else None


def _entries(tree: Any) -> list[tuple[Any, Any]]:
    return list(tree.items()) if isinstance(tree, dict) else []


def _calls_in(tree: Any, path: str) -> Iterator[tuple[str, str, Any]]:
    if isinstance(tree, dict):
        if len(tree) == 1:
            ((key, value),) = tree.items()
            if isinstance(key, str):
                yield path, key, value
        for key, value in tree.items():
            yield from _calls_in(value, f"{path}.{key}")
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _calls_in(value, f"{path}[{index}]")

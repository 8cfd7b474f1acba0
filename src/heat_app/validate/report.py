"""Findings as text for a terminal, and answers as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from heat_app.validate.checking import Checked
from heat_app.validate.local_files import NotParsed, path_shown
from heat_app.validate.pointing import Finding, Pointer, source_line


def as_lines(finding: Finding, kind: str, pointer: Pointer) -> Iterator[str]:
    """One finding: where, what, the line with a mark below, the key path, what was meant."""
    place = finding.place
    where = path_shown(finding.url)
    if place is not None:
        where = f"{where}:{place.line}:{place.column}"
    yield f"{where}: {kind}: {finding.text}"
    if place is not None:
        source = source_line(pointer, finding)
        number = str(place.line)
        indent = "".join(char if char == "\t" else " " for char in source[: place.column - 1])
        length = min(place.length, max(len(source) - place.column + 1, 1))
        yield f"  {number} | {source}"
        yield f"  {' ' * len(number)} | {indent}{'^' * length}"
        if place.path:
            yield f"  at {place.path}"
    if finding.meant is not None:
        yield f'  did you mean "{finding.meant}"?'


def summary(checked: Checked, path: str) -> str:
    """One line for a template without mistakes."""
    definition = checked.definition
    assert definition is not None, "what is valid has been read"
    template = definition.template
    counts = (
        (len(template.resources), "resource"),
        (len(template.parameters), "parameter"),
        (len(template.outputs), "output"),
    )
    shown = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
    return f"{path}: valid ({template.version.value}: {shown})"


def as_json(checked: Checked) -> str:
    """The body of the API's answer, of a refusal too."""
    answer: Any = checked.answer
    if checked.error is not None:
        from heat_app.native.faults import HTTPBadRequest, fault

        error = checked.error
        if isinstance(error, NotParsed):
            error = HTTPBadRequest(f"Template not in valid format: {error}")
        elif type(error).__name__ == "StackValidationFailed":
            error = HTTPBadRequest(str(error))
        answer = fault(error)
    return json.dumps(answer, indent=1, sort_keys=True)

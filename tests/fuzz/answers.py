"""What must hold of every template: whatever asks something of it succeeds, or blames the user.

Each function takes a whole through one of the ways that a request or a command goes, without I/O
but for the files of the command. `asked` holds the way to it that only a user's error comes out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from heat_app.engine.planned import NO_ID, planned_resource, planned_stack_resources
from heat_app.native.faults import fault
from heat_app.validate import Asked, check
from heat_app.validate.deeper import doubts, mistakes
from heat_app.validate.local_files import MissingFile, NotParsed, Unreadable
from heat_app.validate.pointing import Pointer
from heat_app.validate.report import as_json, as_lines, summary
from heat_core.convergence.preview import Present, preview_update
from heat_core.errors import HeatException, StackValidationFailed
from heat_core.isolation import TooCostly
from heat_core.procedure import Evaluate, Finished, ProcedureIO, ProcedureRun
from heat_core.resources import bind
from heat_core.rpc import dumps
from heat_core.stack import (
    DEFAULT_LIMITS,
    Action,
    NodeData,
    ResourceId,
    ResourceRecord,
    StackDefinition,
    StackId,
    StackRecord,
    Status,
    TemplateId,
)
from heat_core.stack.sources import Sources, check_sections, new_template
from heat_core.stack.validate_answer import STACK_NAME, validate_and_describe
from heat_core.template import Template
from tests.fuzz.templates import Whole, as_text

ATTRIBUTES: Mapping[Any, Any] = {
    "value": {"k": [1, {"z": "end"}]},
    "show": {"id": "an-id"},
    "refs": ["a", "b"],
    ("value", "k", 0): 1,
}


class Internal(AssertionError):
    """Something else than a user's error came out."""


@contextlib.contextmanager
def asked(what: str) -> Iterator[None]:
    """Let a user's error end the block, and make Internal of any other."""
    try:
        yield
    except Exception as error:
        if not is_users(error):
            raise Internal(f"{what}: {type(error).__name__}: {error!r}") from error


def is_users(error: BaseException) -> bool:
    """Whether an error is one that tells a user what is wrong.

    ValueErrors are: the API answers them with 400. Not those of codecs, which are about texts that
    nobody has looked at.
    """
    if isinstance(error, HeatException | NotParsed | MissingFile | TooCostly):
        return True
    return isinstance(error, ValueError) and not isinstance(error, UnicodeError)


def sources_of(whole: Whole) -> Sources:
    """As a request brings it."""
    return Sources.of_request(
        whole.document, whole.parameters, whole.files, list(whole.environment_files), None
    )


def read(whole: Whole) -> tuple[Template, StackDefinition]:
    """As every call of the API begins."""
    for name in whole.environment_files:
        if name not in whole.files:
            raise ValueError(f"KeyError is Heat's word for a file that is not there: {name}")
    template = new_template(sources_of(whole))
    check_sections(template)
    definition = StackDefinition.build(
        template, stack_name=STACK_NAME, stack_id=NO_ID, project_id="p"
    )
    return template, definition


# --- the ways --------------------------------------------------------------------------------


def validate_call(whole: Whole) -> None:
    """The validate call of the API, its answer on the wire included."""
    with asked("the validate call"):
        _, definition = read(whole)
        dumps(validate_and_describe(definition, show_nested=True))


def preview_call(whole: Whole) -> bool:
    """The preview of a create; whether the template is one that could be created."""
    with asked("the preview of a create"):
        _, definition = read(whole)
        definition.validate()
        planned_stack_resources(definition, _stack(definition), DEFAULT_LIMITS)
        return True
    return False


def resolution(whole: Whole) -> None:
    """The values of all resources and outputs, once the template has been found valid.

    A value that cannot be had makes its resource fail, or is its output's error: any error will do
    there but those that say that the code is wrong.
    """
    with asked("the validation"):
        _, definition = read(whole)
        definition.validate()
        nodes = _nodes(definition)
        for name in definition.resources:
            with _resources_failure(name):
                frozen = definition.resources[name].freeze(definition, nodes)
                bind(definition.resource_class(name), frozen.properties).values_by_name()
        for name, output in definition.outputs.items():
            with _resources_failure(name):
                definition.resolve(output.value, nodes)
        for name in definition.resources:
            definition.referenced_attributes(name)
            definition.outputs_attributes(name)


def preview_of_update(before: Whole, after: Whole) -> None:
    """The preview of an update from one template to another, once both have been found valid."""
    with asked("the validation"):
        _, now = read(before)
        now.validate()
        _, then = read(after)
        then.validate()
        rows = [_row(now, number, name) for number, name in enumerate(now.resources, 1)]
        present = Present(stack=_stack(now), rows=rows, definition=now, nodes=_nodes(now))
        with asked("the preview of an update"):
            outlook = _without_services(preview_update(ProcedureIO(), present, then))
            for one in outlook.resources:
                if one.name in then.resources:
                    planned_resource(then, _stack(then), one.name, outlook.nodes)


def command(whole: Whole, folder: Path) -> None:
    """`heat-trio validate`, its JSON and its text, on files in `folder`."""
    (folder / "template.yaml").write_bytes(_bytes(as_text(whole.document)))
    for name, text in whole.files.items():
        (folder / name).write_bytes(_bytes(text))
    base = folder.as_uri()
    environments = [f"{base}/{name}" for name in whole.environment_files]
    parameters = whole.parameters.get("parameters") if isinstance(whole.parameters, dict) else {}
    wanted = Asked(
        template=f"{base}/template.yaml",
        environments=environments,
        parameters={"p_needed": "x"} if parameters else {},
        show_nested=True,
    )
    try:
        checked = check(wanted)
    except Unreadable:
        return
    if checked.error is not None and not is_users(checked.error):
        raise Internal(f"the command: {checked.error!r}") from checked.error
    as_json(checked)
    pointer = Pointer(wanted.template, environments, checked.files, checked.definition)
    errors = mistakes(checked, pointer) if checked.error is None else [pointer.point(checked.error)]
    for finding in (*errors, *doubts(checked, pointer)):
        "\n".join(as_lines(finding, "error", pointer)).encode("utf-8", "surrogatepass")
    if checked.is_valid:
        summary(checked, "template.yaml")


# --- a stack to stand in ---------------------------------------------------------------------


@contextlib.contextmanager
def _resources_failure(name: str) -> Iterator[None]:
    try:
        yield
    except (AssertionError, RecursionError, NameError, NotImplementedError, MemoryError) as error:
        raise Internal(f"resolving {name}: {error!r}") from error
    except Exception as error:
        fault(StackValidationFailed(message=str(error)))


def _nodes(definition: StackDefinition) -> dict[str, NodeData]:
    return {
        name: NodeData(
            ResourceId(number), name, f"u-{number}", f"id-{name}", ATTRIBUTES, "CREATE", "COMPLETE"
        )
        for number, name in enumerate(definition.resources, 1)
    }


def _row(definition: StackDefinition, number: int, name: str) -> ResourceRecord:
    frozen = definition.resources[name].freeze(definition, _nodes(definition))
    return ResourceRecord(
        id=ResourceId(number),
        uuid=f"u-{number}",
        name=name,
        stack_id=StackId(NO_ID),
        action=Action.CREATE,
        status=Status.COMPLETE,
        physical_id=f"id-{name}",
        properties=frozen.properties,
        current_template_id=TemplateId(1),
        atomic_key=2,
        created_at=datetime(2026, 3, 1),
    )


def _stack(definition: StackDefinition) -> StackRecord:
    return StackRecord(
        id=StackId(definition.id or NO_ID),
        name=definition.name or STACK_NAME,
        tenant="p",
        raw_template_id=TemplateId(1),
        action=Action.CREATE,
        status=Status.COMPLETE,
        created_at=datetime(2026, 3, 1),
    )


def _without_services(procedure: Any) -> Any:
    """What a procedure returns that asks no service."""
    run = ProcedureRun(procedure)
    state = run.start()
    while not isinstance(state, Finished):
        state = run.answer(state.work() if isinstance(state, Evaluate) else None)
    return state.value


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


WAYS: tuple[Callable[[Whole], Any], ...] = (validate_call, preview_call, resolution)

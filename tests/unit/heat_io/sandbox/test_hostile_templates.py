"""Whole templates that would take for ever or all memory: what ends them is a limit, and which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from heat_core.errors import InvalidSchemaError, RequestLimitExceeded, StackValidationFailed
from heat_core.isolation import Job
from heat_core.stack import StackDefinition
from heat_core.template import Template, parse_text
from heat_io.sandbox import LIMITS, Limit, Sandbox
from heat_io.sandbox.budget import budget

VERSION = "heat_template_version: 2018-08-31\n"
_LIMITS = LIMITS | {
    Job.MATCH: Limit(cpu_seconds=0.2, wall_seconds=60.0),
    # More than the import of yaql takes.
    Job.YAQL: Limit(cpu_seconds=1.2, wall_seconds=120.0),
}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1, limits=_LIMITS).installed() as sandbox:
        yield sandbox


def define(document: Any, **files: str) -> StackDefinition:
    template = Template(
        parse_text(document) if isinstance(document, str) else document,
        files={f"{name}.yaml": text for name, text in files.items()},
    )
    return StackDefinition.build(template, stack_name="s", stack_id="i", project_id="p")


def value_of(value: Any) -> dict[str, Any]:
    return {
        "heat_template_version": "2018-08-31",
        "resources": {"r": {"type": "OS::Heat::Value", "properties": {"value": value}}},
    }


def hostile_parameter(name: str, *, letters: int = 40) -> str:
    return (
        f"  {name}:\n    type: string\n    default: {'a' * letters}!\n"
        "    constraints: [{allowed_pattern: '^(a+)+$'}]\n"
    )


def test_a_pattern_that_backtracks_for_ever(sandbox: Sandbox) -> None:
    definition = define(VERSION + "parameters:\n" + hostile_parameter("p"))
    with pytest.raises(InvalidSchemaError, match=r'Matching the pattern "\^\(a\+\)\+\$" takes too'):
        definition.validate()
    assert sandbox.killed == 1


def test_many_patterns_that_are_too_much_together(sandbox: Sandbox) -> None:
    # Each of them is quick; what one costs at least, the way to the worker, adds up.
    parameters = "".join(
        f"  p{n}:\n    type: string\n    default: {'a' * 300}\n"
        f"    constraints: [{{allowed_pattern: '^(a+)+({n})?$'}}]\n"
        for n in range(1000)
    )
    definition = define(VERSION + "parameters:\n" + parameters)
    # The default is checked, then the value: either may be the one that comes too late.
    late = pytest.raises(
        (InvalidSchemaError, StackValidationFailed), match="comes after too much other work"
    )
    with budget(0.05), late:
        definition.validate()
    assert (sandbox.started, sandbox.killed) == (1, 0)


def test_loops_in_loops_of_yaql(sandbox: Sandbox) -> None:
    loops = "range(190)"
    for _ in range(5):
        loops = f"range(190).select({loops}.len())"
    call = {"yaql": {"expression": f"{loops}.len()", "data": None}}
    with pytest.raises(StackValidationFailed, match=r"Evaluating the yaql expression .* takes too"):
        define(value_of(call)).validate()
    assert sandbox.killed == 1


def test_endless_collections_of_yaql(sandbox: Sandbox) -> None:
    call = {"yaql": {"expression": "sequence().toList()", "data": None}}
    with pytest.raises(StackValidationFailed, match=r"(?i)collection|limit|quota"):
        define(value_of(call)).validate()
    assert (sandbox.started, sandbox.killed) == (1, 0), "yaql's own limit ends it"


def test_alias_bombs_small_and_large(sandbox: Sandbox) -> None:
    levels = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 10)]
    for filling in ("", "# " + "x" * 40_000 + "\n"):
        with pytest.raises(ValueError, match="aliases stand for more data than is allowed"):
            parse_text(VERSION + filling + "\n".join(levels))
    # The large one was a job; it ended by the bound on what aliases expand to.
    assert (sandbox.started, sandbox.killed) == (1, 0)


@pytest.mark.parametrize("opening", ["[", '{"a":', "[{"])
def test_nesting_of_json_and_yaml(sandbox: Sandbox, opening: str) -> None:
    for text in (opening * 100_000, f"a: {opening * 100_000}"):
        with pytest.raises(ValueError, match=r"deep|recursion|depth"):
            parse_text(text)
    assert sandbox.killed == 0


@pytest.mark.parametrize("depth", [60, 120, 240])
def test_calls_in_calls(depth: int) -> None:
    value: Any = "a"
    for _ in range(depth):
        value = {"list_join": ["", [value]]}
    definition = define(value_of(value))
    if depth < 200:
        definition.validate()
        assert definition.resolve(definition.resources["r"].properties) == {"value": "a"}
    else:
        with pytest.raises(StackValidationFailed, match=r"nests too deeply|recursion"):
            definition.validate()


def test_a_template_in_itself() -> None:
    inner = VERSION + "resources: {again: {type: t.yaml}, more: {type: t.yaml}}\n"
    with pytest.raises(
        (RequestLimitExceeded, StackValidationFailed), match=r"depth|Maximum|nested"
    ):
        define(VERSION + "resources: {r: {type: t.yaml}}\n", t=inner).validate()


def test_templates_that_multiply() -> None:
    files = {
        f"t{level}": VERSION
        + "resources:\n"
        + "".join(
            f"  r{number}: {{type: t{level + 1}.yaml, metadata: {{n: {number}}}}}\n"
            for number in range(100)
        )
        for level in range(4)
    }
    files["t4"] = VERSION + "resources: {r: {type: OS::Heat::None}}\n"
    with pytest.raises(StackValidationFailed, match="Maximum resources per stack exceeded"):
        define(VERSION + "resources: {r: {type: t0.yaml}}\n", **files).validate()

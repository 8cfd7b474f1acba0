"""Holds the language to the vectors of the facts pack: `python -m tests.conformance.facts`.

A line a group of facts/function-vectors.json, validation-vectors.json and identity-vectors.json
with its counts, then what failed. Exit codes as in tests.conformance.vectors.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from heat_app.engine.arguments import StackOptions, column_filters
from heat_app.engine.drafts import Sources, check_template, new_template
from heat_app.engine.settings import EngineSettings
from heat_core.environment import (
    Environment,
    merge_environment_files,
    parse_environment,
    with_all_sections,
)
from heat_core.properties import Properties
from heat_core.stack import (
    HeatIdentifier,
    NodeData,
    StackDefinition,
    check_stack_name,
    reduce_physical_name,
    short_id,
)
from heat_core.template import (
    OMITTED,
    VERSIONS,
    Template,
    TemplateVersion,
    parse,
    parse_text,
    resolve,
    validate,
)
from tests.conformance.vectors_codec import encode
from tests.conformance.vectors_properties import read_schemas
from tests.conformance.vectors_surroundings import AttributeValues

type Outcome = tuple[str, list[str]]
type Case = tuple[str, Callable[[], Any], Mapping[str, Any]]
"""a label, what to do, and what is expected: {"result"} or {"error", "message"}"""


def run(cases: Iterator[Case]) -> tuple[int, list[str]]:
    """How many passed, and what the others did instead."""
    passed, failed = 0, []
    for label, work, expected in cases:
        try:
            got: Any = {"result": encode(work())}
        except Exception as error:  # compared with what is expected
            got = {"error": type(error).__name__, "message": str(error)}
        if _agrees(expected, got):
            passed += 1
        else:
            wanted = {
                key: expected[key] for key in ("result", "error", "message") if key in expected
            }
            failed.append(f"{label}: expected {wanted!r}, got {got!r}")
    return passed, failed


def _agrees(expected: Mapping[str, Any], got: Mapping[str, Any]) -> bool:
    if "error" not in expected:
        return "result" in got and (
            expected["result"] == "valid" or _same(expected["result"], got["result"])
        )
    if "error" not in got:
        return False
    message = expected["message"]
    if "{" in message and "Algorithm must be one of" in message:  # a set, printed
        return str(got["message"]).startswith(message.split("{")[0])
    if expected["error"] == "AttributeError":  # Python's own text
        return bool(got["error"] == expected["error"])
    return bool(expected["error"] == got["error"] and message == got["message"])


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# --- function-vectors.json -------------------------------------------------------------------


_VERSION_NAMES = {"2010-09-09": "cfn", "2012-12-12": "heat"}


def function_cases(facts: Path) -> Iterator[Case]:
    table = json.loads((facts / "function-vectors.json").read_text())
    by_value = {_VERSION_NAMES.get(version.value, version.value): version for version in VERSIONS}
    definitions = {value: _stage(table["setup"], one) for value, one in by_value.items()}
    for vector in table["vectors"]:
        for result in vector["results"]:
            for value in result["versions"]:
                label = f"{vector['label']}/{value}"
                definition = definitions[value]
                condition = vector.get("condition", False)
                yield label, _evaluation(definition, _snippet(vector), condition), result


def _snippet(vector: Mapping[str, Any]) -> Any:
    """The snippet as it was: labels keep the order of keys, which the facts have sorted."""
    name, _, written = vector["label"].partition(" ")
    snippet = vector["snippet"]
    if list(snippet) == [name]:
        try:
            ordered = json.loads(written)
        except ValueError:
            ordered = None
        if ordered == snippet[name]:
            snippet = {name: ordered}
    return _keys(snippet)


def _keys(snippet: Any) -> Any:
    """The snippet with keys that were numbers in the recording as numbers: JSON has only text."""
    if isinstance(snippet, dict):
        return {int(key) if key.isdigit() else key: _keys(value) for key, value in snippet.items()}
    return [_keys(member) for member in snippet] if isinstance(snippet, list) else snippet


def _evaluation(definition: StackDefinition, snippet: Any, condition: bool) -> Callable[[], Any]:
    version = definition.template.version
    functions = version.condition_table if condition else version.functions

    def work() -> Any:
        attributes = AttributeValues(definition.scope.files["attributes"])  # type: ignore[arg-type]  # set by _stage
        nodes = {
            name: NodeData(number, name, "u", f"{name}-ref", attributes, "CREATE", "COMPLETE")  # type: ignore[arg-type]  # any number
            for number, name in enumerate(("res", "res2"))
        }
        tree = parse(functions, definition.scope, snippet)
        at = definition.resolution(nodes)
        validate(tree, at)
        value = resolve(tree, at, nullable=True)
        # The recording went through JSON.
        return "<omitted>" if value is OMITTED else json.loads(json.dumps(value))

    return work


def _stage(setup: Mapping[str, Any], version: TemplateVersion) -> StackDefinition:
    names = version.names
    cfn = version.dialect == "cfn"
    document: dict[str, Any] = {
        version.key: version.value,
        names.parameters: setup["parameters_cfn" if cfn else "parameters_hot"],
        names.resources: {
            name: {names.type: "OS::Heat::TestResource"} for name in setup["resources"]
        },
    }
    if cfn:
        document["Mappings"] = setup["mappings_cfn"]
    if version.has_conditions:
        document[names.conditions] = setup["conditions"]["cfn" if cfn else "hot >= 2016-10-14"]
    stack = setup["stack"]
    files = {**setup["files"], "attributes": setup["attributes_of_both"]}
    return StackDefinition.build(
        Template(document, files=files),
        stack_name=stack["name"],
        stack_id=stack["id"],
        project_id=stack["project"],
    )


# --- validation-vectors.json -----------------------------------------------------------------


def stack_cases(facts: Path) -> Iterator[Case]:
    for given in _validation(facts, "stack"):
        yield given["label"], lambda given=given: _check_stack(given), given


def _check_stack(given: Mapping[str, Any]) -> str:
    document = given["template"]
    if isinstance(document, str):
        document = parse_text(document)
    template = new_template(
        Sources.of_request(
            document, given.get("environment", {}), given.get("files", {}), None, None
        )
    )
    check_template(template, EngineSettings())
    name = given.get("stack_name", "test_stack")
    check_stack_name(name)
    StackDefinition.build(template, stack_name=name, project_id="PID").validate()
    return "valid"


def text_cases(facts: Path) -> Iterator[Case]:
    for given in _validation(facts, "template_text"):
        yield given["text"][:30], lambda given=given: parse_text(given["text"]), given


def environment_cases(facts: Path) -> Iterator[Case]:
    for given in _validation(facts, "environment_parse"):
        yield given["label"], lambda given=given: parse_environment(given["text"]), given


def parameter_cases(facts: Path) -> Iterator[Case]:
    for given in _validation(facts, "parameter_coercion"):
        expected = given if "error" in given else {"result": [given["value"], given["text"]]}
        yield f"{given['type']} {given['input']!r}", lambda given=given: _coerce(given), expected


def _coerce(given: Mapping[str, Any]) -> list[Any]:
    document = {
        "heat_template_version": "2018-08-31",
        "parameters": {"p": {"type": given["type"]}},
    }
    environment = Environment({"parameters": {"p": given["input"]}})
    parameters = Template(document, environment=environment).make_parameters(None)
    parameters.validate()
    return [parameters["p"], parameters.get_parameter("p").shown()]


def property_cases(facts: Path) -> Iterator[Case]:
    for given in _validation(facts, "property_coercion"):
        expected = given if "error" in given else {"result": given["value"]}
        # The vectors were taken inside of the property, where the error still has its own class.
        if "error" in expected:
            expected = {**expected, "error": "ValueError"}
        yield f"{given['type']} {given['input']!r}", lambda given=given: _property(given), expected


def _property(given: Mapping[str, Any]) -> Any:
    schema = read_schemas({"p": {"type": given["type"], **given.get("schema", {})}})
    return Properties(schema, {"p": given["input"]})["p"]


_MERGE_TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "parameters": {
        "s": {"type": "string"},
        "n": {"type": "number"},
        "b": {"type": "boolean"},
        "l": {"type": "comma_delimited_list"},
        "m": {"type": "json"},
    },
}
"""the parameters that the recorded merges know, by the first letter of their types"""


def merge_cases(facts: Path) -> Iterator[Case]:
    """Files of one request merged into its environment; empty sections are not recorded."""
    for given in _validation(facts, "environment_merge"):

        def work(given: Mapping[str, Any] = given) -> Any:
            merged = merge_environment_files(
                given["environment_files"],
                given["files"],
                with_all_sections(given["request_environment"]),
                Template(_MERGE_TEMPLATE, files=given["files"]).all_parameter_schemata(),
            )
            return {section: content for section, content in merged.items() if content}

        yield given["label"], work, given


def argument_cases(facts: Path) -> Iterator[Case]:
    """The options of a create or an update; what is not given is not there."""
    for given in _validation(facts, "extract_args"):

        def work(given: Mapping[str, Any] = given) -> Any:
            options = asdict(StackOptions.from_args(given["args"]))
            return {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in options.items()
                if value is not None
            }

        yield str(given["args"])[:60], work, given


def filter_cases(facts: Path) -> Iterator[Case]:
    """Filters of a list by either spelling; the order of united values is open."""
    for given in _validation(facts, "translate_filters"):

        def work(given: Mapping[str, Any] = given) -> Any:
            columns = column_filters(given["input"])
            return {
                name: sorted(value) if isinstance(value, list) else value
                for name, value in columns.items()
            }

        yield str(given["input"]), work, given


def identity_cases(facts: Path) -> Iterator[Case]:
    """ARNs, URL paths, short ids and reduced names."""
    groups = json.loads((facts / "identity-vectors.json").read_text())
    for given in groups["from_arn"]:
        yield (
            given["arn"],
            partial(_parsed, HeatIdentifier.from_arn, given["arn"]),
            _parse_of(given),
        )
    for given in groups["from_arn_url"]:
        work = partial(_parsed, HeatIdentifier.from_arn_url, given["url"])
        yield given["url"], work, _parse_of(given)
    for given in groups["to_text"]:
        wanted = {name: given[name] for name in _FORMS if name in given}
        yield given["arn"], partial(_forms, given, tuple(wanted)), {"result": wanted}
    for given in groups["short_id"]:
        yield given["uuid"], partial(short_id, given["uuid"]), _value_of(given, "short_id")
    for given in groups["reduce_physical_resource_name"]:
        work = partial(reduce_physical_name, given["name"], given["limit"])
        yield str(given), work, _value_of(given, "result")


_FORMS = ("identity", "arn", "url_path", "arn_url_path", "stack_path")


def _parsed(parse: Callable[[str], HeatIdentifier], text: str) -> Any:
    return parse(text).to_dict()


def _parse_of(given: Mapping[str, Any]) -> dict[str, Any]:
    if "error" in given:
        return {"error": "ValueError", "message": given["error"]}
    return {"result": given["identity"]}


def _value_of(given: Mapping[str, Any], key: str) -> dict[str, Any]:
    if "error" in given:
        return {"error": "ValueError", "message": given["error"]}
    return {"result": given[key]}


def _forms(given: Mapping[str, Any], wanted: tuple[str, ...]) -> dict[str, Any]:
    identity = HeatIdentifier.from_dict(dict(given["identity"], path=given.get("given_path", "")))
    if "event_id" in given:
        identity = identity.event("r é", given["event_id"])
    elif "resource_name" in given:
        identity = identity.resource(given["resource_name"])
    forms = {
        "identity": identity.to_dict(),
        "arn": identity.arn(),
        "url_path": identity.url_path(),
        "arn_url_path": identity.arn_url_path(),
        "stack_path": identity.stack_path() if "stack_path" in given else None,
    }
    return {name: forms[name] for name in wanted}


def _validation(facts: Path, group: str) -> list[dict[str, Any]]:
    vectors: list[dict[str, Any]] = json.loads((facts / "validation-vectors.json").read_text())[
        group
    ]
    return vectors


GROUPS: Mapping[str, Callable[[Path], Iterator[Case]]] = {
    "function-vectors": function_cases,
    "validation-vectors stack": stack_cases,
    "validation-vectors template_text": text_cases,
    "validation-vectors environment_parse": environment_cases,
    "validation-vectors parameter_coercion": parameter_cases,
    "validation-vectors property_coercion": property_cases,
    "validation-vectors environment_merge": merge_cases,
    "validation-vectors extract_args": argument_cases,
    "validation-vectors translate_filters": filter_cases,
    "identity-vectors": identity_cases,
}


def main() -> int:
    """Run and print; the exit code."""
    facts = Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")) / "facts"
    if not facts.is_dir():
        print(f"no facts at {facts}", file=sys.stderr)
        return 2
    code = 0
    for name, cases in GROUPS.items():
        passed, failed = run(cases(facts))
        print(f"{name}: {passed} passed, {len(failed)} failed")
        for text in failed[:20]:
            print(f"  {text}")
        code = 1 if failed else code
    return code


if __name__ == "__main__":
    sys.exit(main())

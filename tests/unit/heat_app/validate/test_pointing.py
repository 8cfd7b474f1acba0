"""Where an error is, and what was meant."""

from pathlib import Path
from typing import NamedTuple

import pytest

from heat_app.validate.checking import Asked, check
from heat_app.validate.pointing import Finding, Pointer, source_line
from heat_core.errors import StackValidationFailed

HOT = "heat_template_version: 2018-08-31\n"


class Pointed(NamedTuple):
    line: int
    marked: str
    path: str
    meant: str | None


def _point(folder: Path, text: str, **more: str) -> tuple[Finding, Pointer]:
    (folder / "t.yaml").write_text(text)
    for name, content in more.items():
        (folder / f"{name}.yaml").write_text(content)
    environments = [(folder / "env.yaml").as_uri()] if "env" in more else []
    root = (folder / "t.yaml").as_uri()
    checked = check(Asked(template=root, environments=environments, show_nested=True))
    assert checked.error is not None
    pointer = Pointer(root, environments, checked.files, checked.definition)
    return pointer.point(checked.error), pointer


def _pointed(finding: Finding, pointer: Pointer) -> Pointed:
    place = finding.place
    assert place is not None, finding.text
    source = source_line(pointer, finding)
    marked = source[place.column - 1 : place.column - 1 + place.length]
    return Pointed(place.line, marked, place.path, finding.meant)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "resources:\n  a:\n    type: OS::Heat::RandomStrin\n",
            Pointed(4, "OS::Heat::RandomStrin", "resources.a.type", "OS::Heat::RandomString"),
        ),
        (
            "resources:\n  a: {type: OS::Heat::RandomString, properties: {lenght: 5}}\n",
            Pointed(3, "lenght", "resources.a.properties.lenght", "length"),
        ),
        (
            "resources:\n  a: {type: OS::Heat::None, depends_on: [bb]}\n"
            "  b: {type: OS::Heat::None}\n",
            Pointed(3, "bb", "resources.a.depends_on[0]", "b"),
        ),
        (
            "resources:\n  net: {type: OS::Heat::None}\n"
            "  a: {type: OS::Heat::Value, properties: {value: [{get_resource: nett}]}}\n",
            Pointed(4, "nett", "resources.a.properties.value[0].get_resource", "net"),
        ),
        (
            "resources:\n  r: {type: OS::Heat::RandomString}\n"
            "outputs:\n  o: {value: {get_attr: [r, valu]}}\n",
            Pointed(5, "valu", "outputs.o.value.get_attr[1]", "value"),
        ),
        (
            "resources:\n  rnd: {type: OS::Heat::RandomString}\n"
            "outputs:\n  o: {value: {get_attr: [rn, value]}}\n",
            Pointed(5, "rn", "outputs.o.value.get_attr[0]", "rnd"),
        ),
        ("resource: {}\n", Pointed(2, "resource", "resource", "resources")),
        (
            "resources:\n  a: {type: OS::Heat::None, propertys: {}}\n",
            Pointed(3, "propertys", "resources.a.propertys", "properties"),
        ),
        (
            "conditions:\n  is_big: true\nresources:\n"
            "  a: {type: OS::Heat::None, condition: isbig}\n",
            Pointed(5, "isbig", "resources.a.condition", "is_big"),
        ),
        (
            "conditions:\n  c: {equal: [a, b]}\n",
            Pointed(3, "equal", "conditions.c.equal", "equals"),
        ),
        (
            "parameters:\n  p: {type: strin}\n",
            Pointed(3, "strin", "parameters.p.type", "string"),
        ),
        (
            "parameters:\n  p: {type: string, defaul: a}\n",
            Pointed(3, "defaul", "parameters.p.defaul", "default"),
        ),
        (
            "parameters:\n  p: {type: string, constraints: [{allowed_patern: x}]}\n",
            Pointed(
                3,
                "allowed_patern",
                "parameters.p.constraints[0].allowed_patern",
                "allowed_pattern",
            ),
        ),
        (
            "parameters:\n  p: {type: string, constraints: [{allowed_pattern: '('}]}\n",
            Pointed(3, "'('", "parameters.p.constraints[0].allowed_pattern", None),
        ),
        (
            "parameters:\n  port: {type: string}\n"
            "parameter_groups: [{label: x, parameters: [prt]}]\n",
            Pointed(4, "prt", "parameter_groups[0].parameters[0]", "port"),
        ),
        (
            "resources:\n  a: {type: OS::Heat::None, deletion_policy: Delet}\n",
            Pointed(3, "Delet", "resources.a.deletion_policy", "Delete"),
        ),
        (
            "resources:\n  a: {type: OS::Heat::None, depends_on: b}\n"
            "  b: {type: OS::Heat::None, depends_on: a}\n",
            Pointed(3, "a", "resources.a", None),
        ),
        (
            "parameters:\n  a: {type: string}\nresources:\n  a: {type: OS::Heat::None}\n",
            Pointed(5, "a", "resources.a", None),
        ),
        ("resources:\n  a: {properties: {}}\n", Pointed(3, "a", "resources.a", None)),
        ("resources:\n  a: 5\n", Pointed(3, "a", "resources.a", None)),
        ("resources: [1]\n", Pointed(2, "resources", "resources", None)),
        ("resources:\n  a: {type: [1]}\n", Pointed(3, "type", "resources.a.type", None)),
        ("outputs:\n  o: {valu: 1}\n", Pointed(3, "valu", "outputs.o.valu", "value")),
        (
            "resources:\n  a: {type: OS::Heat::Value, properties: {value: {list_join: [1]}}}\n",
            Pointed(3, "list_join", "resources.a.properties.value.list_join", None),
        ),
        (
            "outputs:\n  o: {value: {yaql: {expression: '$.('}}}\n",
            Pointed(3, "yaql", "outputs.o.value.yaql", None),
        ),
        (
            "outputs:\n  o: {value: {get_file: nothing.txt}}\n",
            Pointed(3, "nothing.txt", "outputs.o.value.get_file", None),
        ),
        (
            "resources:\n  a:\n    type: OS::Heat::ResourceGroup\n    properties:\n"
            "      resource_def: {type: OS::Heat::RandomStrin}\n",
            Pointed(
                6,
                "OS::Heat::RandomStrin",
                "resources.a.properties.resource_def.type",
                "OS::Heat::RandomString",
            ),
        ),
        ("resources:\n  a: [\n", Pointed(4, "", "", None)),
    ],
)
def test_a_mistake_has_a_place(tmp_path: Path, text: str, expected: Pointed) -> None:
    assert _pointed(*_point(tmp_path, HOT + text)) == expected


def test_cfn_too(tmp_path: Path) -> None:
    text = (
        "AWSTemplateFormatVersion: '2010-09-09'\n"
        "Parameters:\n  P: {Type: String}\nResources:\n"
        "  A: {Type: OS::Heat::RandomString, Properties: {lenght: 5}}\n"
    )
    assert _pointed(*_point(tmp_path, text)) == Pointed(
        5, "lenght", "Resources.A.Properties.lenght", "length"
    )
    wrong = text.replace("Type: String", "Type: Strin")
    assert _pointed(*_point(tmp_path, wrong)) == Pointed(3, "Strin", "Parameters.P.Type", "String")


def test_versions(tmp_path: Path) -> None:
    assert _pointed(*_point(tmp_path, "heat_template_version: 2018-08-32\n")) == Pointed(
        1, "2018-08-32", "heat_template_version", "2018-08-31"
    )
    assert _pointed(*_point(tmp_path, "resources: {}\nheat_template_versin: 2018-08-31\n")) == (
        Pointed(2, "heat_template_versin", "heat_template_versin", "heat_template_version")
    )


def test_an_environment_is_pointed_at_too(tmp_path: Path) -> None:
    text = HOT + "parameters: {name: {type: string}}\n"
    finding, pointer = _point(tmp_path, text, env="parameters:\n  nam: x\n")
    assert finding.url.endswith("/env.yaml")
    assert _pointed(finding, pointer) == Pointed(2, "nam", "parameters.nam", "name")
    finding, pointer = _point(tmp_path, text, env="parameter:\n  name: x\n")
    assert finding.url.endswith("/env.yaml")
    assert _pointed(finding, pointer) == Pointed(1, "parameter", "parameter", "parameters")
    finding, _ = _point(tmp_path, text, env="resource_registry: {X::Y: none.yaml}\n")
    assert finding.url.endswith("/env.yaml")


def test_the_words_of_a_parser_without_its_excerpt(tmp_path: Path) -> None:
    finding, _ = _point(tmp_path, HOT + "resources: {a: b: c}\n")
    assert "\n" not in finding.text
    assert 'in "<unicode string>"' not in finding.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "parameters:\n  p: {type: string, default: ab, constraints: [{length: {max: 1}}]}\n",
            Pointed(3, "ab", "parameters.p.default", None),
        ),
        (
            "conditions: {prod: true}\nresources:\n  a:\n    type: OS::Heat::Value\n"
            "    properties: {value: {if: [prd, 1, 2]}}\n",
            Pointed(6, "prd", "resources.a.properties.value.if[0]", "prod"),
        ),
    ],
)
def test_values_and_names_are_marked_not_what_holds_them(
    tmp_path: Path, text: str, expected: Pointed
) -> None:
    assert _pointed(*_point(tmp_path, HOT + text)) == expected


def test_a_value_of_an_environment_is_marked_there(tmp_path: Path) -> None:
    text = HOT + "parameters:\n  p: {type: number, default: 3}\n"
    path = tmp_path / "t.yaml"
    path.write_text(text)
    (tmp_path / "env.yaml").write_text("parameters:\n  p: many\n")
    asked = Asked(template=path.as_uri(), environments=[(tmp_path / "env.yaml").as_uri()])
    checked = check(asked)
    pointer = Pointer(asked.template, asked.environments, checked.files, checked.definition)
    error = StackValidationFailed(message="Parameter 'p' is invalid: could not convert")
    found = pointer.point(error)
    assert found.url.endswith("env.yaml")
    assert found.place is not None
    assert (found.place.line, found.place.column) == (2, 6)


def test_texts_that_python_has_quoted_are_shown_plain(tmp_path: Path) -> None:
    text = (
        HOT + "resources:\n  a:\n    type: OS::Heat::Value\n"
        "    properties: {value: {str_replace: {template: x}}}\n"
    )
    finding, _ = _point(tmp_path, text)
    assert "\\n" not in finding.text
    assert finding.text.endswith("params: var1: a var2: string")

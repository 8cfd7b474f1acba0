"""What a create would refuse, and what looks like a call."""

from pathlib import Path

import pytest

from heat_app.validate.checking import Asked, Checked, check
from heat_app.validate.deeper import doubts, mistakes
from heat_app.validate.pointing import Finding, Pointer

HOT = "heat_template_version: 2018-08-31\n"


def _look(folder: Path, text: str) -> tuple[Checked, Pointer]:
    path = folder / "t.yaml"
    path.write_text(HOT + text)
    checked = check(Asked(template=path.as_uri()))
    return checked, Pointer(path.as_uri(), (), checked.files, checked.definition)


def _shown(finding: Finding) -> tuple[int, str, str | None]:
    assert finding.place is not None
    return finding.place.line, finding.place.path, finding.meant


VALUE = "resources:\n  a:\n    type: OS::Heat::Value\n    properties:\n      value: "


@pytest.mark.parametrize("call", ["{get_param: nam}", "{get_param: [nam, 0]}"])
def test_a_parameter_that_no_template_has(tmp_path: Path, call: str) -> None:
    (found,) = mistakes(*_look(tmp_path, "parameters: {name: {type: json}}\n" + VALUE + call))
    line, path, meant = _shown(found)
    assert (line, meant) == (7, "name")
    assert path.startswith("resources.a.properties.value.get_param")
    assert "The Parameter (nam) was not provided." in found.text


def test_values_are_checked_when_there_are_all(tmp_path: Path) -> None:
    text = "resources:\n  a: {type: OS::Heat::RandomString, properties: {length: 9999}}\n"
    (found,) = mistakes(*_look(tmp_path, text))
    assert _shown(found)[:2] == (3, "resources.a.properties.length")
    assert mistakes(*_look(tmp_path, "parameters: {p: {type: string}}\n" + text)) == []


def test_properties_inside_of_properties(tmp_path: Path) -> None:
    text = "resources:\n  a:\n    type: OS::Neutron::Port\n    properties:\n"
    text += "      network: n\n      fixed_ips: [{ip_adress: 10.0.0.1}]\n"
    (found,) = mistakes(*_look(tmp_path, text))
    assert _shown(found) == (7, "resources.a.properties.fixed_ips[0].ip_adress", "ip_address")


def test_members_of_groups(tmp_path: Path) -> None:
    text = "resources:\n  a:\n    type: OS::Heat::ResourceGroup\n    properties:\n"
    text += "      resource_def:\n        type: OS::Heat::RandomString\n"
    text += "        properties: {lenght: 3}\n"
    (found,) = mistakes(*_look(tmp_path, text))
    path = "resources.a.properties.resource_def.properties.lenght"
    assert _shown(found) == (8, path, "length")


def test_nested_templates(tmp_path: Path) -> None:
    (tmp_path / "child.yaml").write_text(
        HOT + "resources:\n  x: {type: OS::Heat::RandomString, properties: {lenght: 3}}\n"
    )
    (found,) = mistakes(*_look(tmp_path, "resources: {a: {type: child.yaml}}\n"))
    assert found.url.endswith("/child.yaml")
    assert _shown(found) == (3, "resources.x.properties.lenght", "length")


def test_nothing_to_say(tmp_path: Path) -> None:
    checked, pointer = _look(tmp_path, VALUE + "{get_param: OS::stack_id}")
    assert mistakes(checked, pointer) == []
    assert doubts(checked, pointer) == []
    broken, pointer = _look(tmp_path, "resource: {}\n")
    assert mistakes(broken, pointer) == []


@pytest.mark.parametrize(
    ("call", "meant"),
    [("{get_parm: x}", "get_param"), ("[{list_jion: [a, [b]]}]", "list_join")],
)
def test_what_looks_like_a_call(tmp_path: Path, call: str, meant: str) -> None:
    (found,) = doubts(*_look(tmp_path, VALUE + call))
    assert _shown(found)[2] == meant
    assert "is no function" in found.text


def test_what_does_not(tmp_path: Path) -> None:
    assert doubts(*_look(tmp_path, VALUE + "{length: 5, other: {port: 3}}")) == []
    text = "outputs: {o: {value: {get_file: t.yaml}}}\n"
    assert doubts(*_look(tmp_path, text)) == []


@pytest.mark.parametrize(
    "text",
    ["resources: [a]\n", "resources: {a: text}\n", "outputs: text\n", "outputs: {o: [a]}\n"],
)
def test_sections_of_the_wrong_kind_raise_no_doubts(tmp_path: Path, text: str) -> None:
    checked, pointer = _look(tmp_path, text)
    assert not checked.is_valid
    assert doubts(checked, pointer) == []


def test_values_of_parameters_are_checked_though_others_have_none(tmp_path: Path) -> None:
    text = "parameters:\n  a: {type: string}\n  n: {type: number, default: 5}\n"
    path = tmp_path / "t.yaml"
    path.write_text(HOT + text)
    checked = check(Asked(template=path.as_uri(), parameters={"n": "many"}))
    pointer = Pointer(path.as_uri(), (), checked.files, checked.definition)
    (found,) = mistakes(checked, pointer)
    assert "Parameter 'n' is invalid" in found.text
    assert _shown(found) == (4, "parameters.n", None)


def test_a_key_that_is_written_twice(tmp_path: Path) -> None:
    text = "resources:\n  a: {type: OS::Heat::None}\n  a: {type: OS::Heat::Value}\n"
    (found,) = doubts(*_look(tmp_path, text))
    assert (found.text, _shown(found)) == (
        "a is there twice: only this one counts",
        (4, "resources.a", None),
    )

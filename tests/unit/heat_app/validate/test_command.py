"""`heat-trio validate`: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest

from heat_app.cli import main

HOT = "heat_template_version: 2018-08-31\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["validate", *arguments])
    return code, capsys.readouterr().out


def test_a_valid_template(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "t.yaml").write_text(HOT + "resources: {a: {type: OS::Heat::None}}\n")
    assert _run(capsys, "t.yaml") == (
        0,
        "t.yaml: valid (2018-08-31: 1 resource, 0 parameters, 0 outputs)\n",
    )


def test_a_mistake_is_shown_in_its_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "t.yaml").write_text(HOT + "resources:\n  a:\n    type: OS::Heat::Nne\n")
    assert _run(capsys, "t.yaml") == (
        1,
        "t.yaml:4:11: error: The Resource Type (OS::Heat::Nne) could not be found.\n"
        "  4 |     type: OS::Heat::Nne\n"
        "    |           ^^^^^^^^^^^^^\n"
        "  at resources.a.type\n"
        '  did you mean "OS::Heat::None"?\n',
    )


def test_json_is_the_answer_of_the_call(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "t.yaml").write_text(HOT + "parameters: {p: {type: string}}\n")
    (folder / "e.yaml").write_text("parameter_defaults: {p: b}\n")
    code, out = _run(capsys, "t.yaml", "-e", "e.yaml", "-P", "p=a=b", "--format", "json")
    assert code == 0
    answer = json.loads(out)
    assert answer["Parameters"]["p"]["Value"] == "a=b"
    assert answer["Environment"]["parameter_defaults"] == {"p": "b"}


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (HOT + "resource: {}\n", "HTTPBadRequest", "The template section is invalid: resource"),
        (
            "a: 1\n",
            "HTTPBadRequest",
            "Template not in valid format: Template format version not found.",
        ),
        (
            HOT + "resources:\n  a: {type: OS::Heat::None, depends_on: b}\n",
            "InvalidTemplateReference",
            'The specified reference "b" (in a) is incorrect.',
        ),
    ],
)
def test_json_of_a_mistake_is_the_body_of_the_refusal(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, kind: str, message: str
) -> None:
    (folder / "t.yaml").write_text(text)
    code, out = _run(capsys, "t.yaml", "--format", "json")
    answer = json.loads(out)
    assert (code, answer["code"]) == (1, 400)
    assert (answer["error"]["type"], answer["error"]["message"]) == (kind, message)


def test_nested_parameters(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "t.yaml").write_text(HOT + "resources: {a: {type: child.yaml}}\n")
    (folder / "child.yaml").write_text(HOT + "parameters: {p: {type: string, default: x}}\n")
    _, out = _run(capsys, "t.yaml", "--format", "json")
    assert json.loads(out)["NestedParameters"]["a"]["Parameters"]["p"]["Default"] == "x"
    _, out = _run(capsys, "t.yaml", "--format", "json", "--no-show-nested")
    assert "NestedParameters" not in json.loads(out)


def test_what_cannot_be_read_is_the_environments(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "nothing.yaml"]) == 2
    assert capsys.readouterr().err == "heat-trio: there is no file nothing.yaml\n"
    (folder / "t.yaml").write_text(HOT)
    assert main(["validate", "t.yaml", "-e", "nothing.yaml"]) == 2


@pytest.mark.parametrize(
    "wrong",
    [[], ["t", "-P", "x"], ["t", "-P", "=x"], ["t", "--format", "xml"], ["t", "--ignore-errors=1"]],
)
def test_wrong_arguments_exit_2(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["validate", *wrong])
    assert end.value.code == 2
    assert "usage: heat-trio validate" in capsys.readouterr().err


def test_codes_of_errors_that_do_not_count(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "t.yaml").write_text(HOT)
    assert _run(capsys, "t.yaml", "--ignore-errors", "99001")[0] == 0


def test_a_hostile_pattern_is_a_mistake_like_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "t.yaml").write_text(
        HOT
        + "parameters:\n  p:\n    type: string\n    default: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n"
        + "    constraints: [{allowed_pattern: (a+)+}]\n"
    )
    code, out = _run(capsys, "t.yaml")
    assert code == 1
    assert out.startswith("t.yaml:5:14: error: Parameter 'p' is invalid:")

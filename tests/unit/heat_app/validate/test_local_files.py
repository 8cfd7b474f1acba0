"""Files read and named as the clients do it."""

import json
from pathlib import Path

import pytest

from heat_app.validate.local_files import (
    LocalFiles,
    MissingFile,
    NotParsed,
    Unreadable,
    path_shown,
    read_sources,
    url_of,
)

HOT = "heat_template_version: 2018-08-31\n"


def _write(folder: Path, **texts: str) -> str:
    """Write files by the stem of their name; the URL of the folder."""
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder.resolve().as_uri()


def test_a_template_is_sent_with_the_files_that_it_names(tmp_path: Path) -> None:
    base = _write(
        tmp_path,
        main=HOT
        + "resources:\n  a: {type: sub/child.yaml}\n  b:\n    type: OS::Heat::Value\n"
        + "    properties: {value: [{get_file: note.txt}]}\n",
    )
    (tmp_path / "note.txt").write_text("hello")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "child.yaml").write_text(HOT + "outputs: {o: {value: {get_file: x}}}\n")
    (tmp_path / "sub" / "x").write_text("inner")
    files = LocalFiles()
    document = files.template(f"{base}/main.yaml")
    assert document["resources"]["a"]["type"] == f"{base}/sub/child.yaml"
    assert document["resources"]["b"]["properties"]["value"] == [{"get_file": f"{base}/note.txt"}]
    assert files.sent[f"{base}/note.txt"] == "hello"
    assert files.sent[f"{base}/sub/x"] == "inner"
    # A template goes as JSON, with the URLs of its own files in it.
    child = json.loads(files.sent[f"{base}/sub/child.yaml"])
    assert child["outputs"]["o"]["value"] == {"get_file": f"{base}/sub/x"}
    assert f"{base}/main.yaml" not in files.sent


def test_a_template_that_contains_itself_ends(tmp_path: Path) -> None:
    base = _write(tmp_path, main=HOT + "resources: {a: {type: main.yaml}, b: {type: two.yaml}}\n")
    _write(tmp_path, two=HOT + "resources: {c: {type: two.yaml}, d: {type: main.yaml}}\n")
    files = LocalFiles()
    files.template(f"{base}/main.yaml")
    assert set(files.sent) == {f"{base}/two.yaml"}


def test_types_and_functions_that_name_no_file_stay(tmp_path: Path) -> None:
    text = HOT + "resources:\n  a:\n    type: OS::Heat::Value\n    properties:\n"
    base = _write(tmp_path, main=text + "      value: {get_file: [1], type: 5}\n      type: any\n")
    document = LocalFiles().template(f"{base}/main.yaml")
    assert document["resources"]["a"]["properties"] == {
        "value": {"get_file": [1], "type": 5},
        "type": "any",
    }


def test_content_that_is_no_text_is_sent_in_base64(tmp_path: Path) -> None:
    base = _write(tmp_path, main=HOT + "outputs: {o: {value: {get_file: image}}}\n")
    (tmp_path / "image").write_bytes(b"\xff\x00")
    files = LocalFiles()
    files.template(f"{base}/main.yaml")
    assert files.sent[f"{base}/image"] == "/wA=\n"


@pytest.mark.parametrize("named", ["nothing.yaml", "http://h/t.yaml", "/", "//host/x", "http://["])
def test_a_file_that_is_not_there_is_the_templates_mistake(tmp_path: Path, named: str) -> None:
    base = _write(tmp_path, main=HOT + f"outputs: {{o: {{value: {{get_file: '{named}'}}}}}}\n")
    with pytest.raises(MissingFile) as caught:
        LocalFiles().template(f"{base}/main.yaml")
    assert caught.value.named == named
    assert caught.value.named_in == f"{base}/main.yaml"


def test_registries_name_files_too(tmp_path: Path) -> None:
    base = _write(
        tmp_path,
        env="resource_registry:\n  My::Box: box.yaml\n  OS::A::B: OS::Heat::None\n"
        "  resources:\n    one:\n      My::Other: box.yaml\n      hooks: pre-create\n"
        "      restricted_actions: replace\n    two: {base_url: sub/, My::C: c.yaml}\n",
        box=HOT,
    )
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.yaml").write_text(HOT)
    files = LocalFiles()
    registry = files.environment(f"{base}/env.yaml")["resource_registry"]
    assert registry["My::Box"] == f"{base}/box.yaml"
    assert registry["OS::A::B"] == "OS::Heat::None"
    assert registry["resources"]["one"] == {
        "My::Other": f"{base}/box.yaml",
        "hooks": "pre-create",
        "restricted_actions": "replace",
    }
    assert registry["resources"]["two"]["My::C"] == f"{base}/sub/c.yaml"
    assert json.loads(files.sent[f"{base}/env.yaml"])["resource_registry"] == registry


def test_all_that_a_request_brings(tmp_path: Path) -> None:
    base = _write(tmp_path, main=HOT, one="parameters: {p: 1}\n", two="parameter_defaults: {}\n")
    environments = [f"{base}/one.yaml", f"{base}/two.yaml"]
    sources = read_sources(LocalFiles(), f"{base}/main.yaml", environments, {"q": "2"})
    assert sources.environment_files == tuple(environments)
    assert sources.environment["parameters"] == {"q": "2"}
    assert set(sources.files) == set(environments)


def test_what_is_named_on_the_command_line_has_to_be_there(tmp_path: Path) -> None:
    base = _write(tmp_path, main=HOT, broken="a: [", wrong="sections: {}\n")
    with pytest.raises(Unreadable, match=r"there is no file .*nothing\.yaml"):
        read_sources(LocalFiles(), f"{base}/nothing.yaml", [], {})
    with pytest.raises(Unreadable):
        read_sources(LocalFiles(), f"{base}/main.yaml", [f"{base}/nothing.yaml"], {})
    with pytest.raises(NotParsed, match="line 1, column 5"):
        read_sources(LocalFiles(), f"{base}/broken.yaml", [], {})
    with pytest.raises(NotParsed, match="wrong section"):
        read_sources(LocalFiles(), f"{base}/main.yaml", [f"{base}/wrong.yaml"], {})


def test_paths_and_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert url_of("a b.yaml") == (tmp_path / "a b.yaml").resolve().as_uri()
    assert url_of("http://h/t") == "http://h/t"
    assert path_shown(url_of("a b.yaml")) == "a b.yaml"
    assert path_shown("file:///elsewhere/t") == "/elsewhere/t"
    assert path_shown("http://h/t") == "http://h/t"


@pytest.mark.parametrize("value", ["!!set {a, b}", "!!binary aGk="])
def test_what_yaml_can_say_and_json_cannot(tmp_path: Path, value: str) -> None:
    base = _write(
        tmp_path,
        root=HOT + f"description: {value}\n",
        main=HOT + "resources: {a: {type: root.yaml}}\n",
        env=f"parameters: {{p: {value}}}\n",
    )
    for template, environments in (("root", ()), ("main", ()), ("plain", (f"{base}/env.yaml",))):
        _write(tmp_path, plain=HOT)
        with pytest.raises(NotParsed, match="only what JSON has can be sent"):
            read_sources(LocalFiles(), f"{base}/{template}.yaml", environments, {})


def test_keys_that_are_no_text_arrive_as_text(tmp_path: Path) -> None:
    base = _write(tmp_path, main=HOT + "outputs: {1: {value: {2: x}}}\n")
    sources = read_sources(LocalFiles(), f"{base}/main.yaml", (), {})
    assert sources.template is not None
    assert sources.template["outputs"] == {"1": {"value": {"2": "x"}}}

"""PasteDeploy's format, read without running it."""

from pathlib import Path

import pytest

from heat_app.web.paste_file import PasteFile, PasteProblem, Stage


def _file(folder: Path, text: str) -> PasteFile:
    path = folder / "api-paste.ini"
    path.write_text(text)
    return PasteFile.read(path)


def test_paths_and_flavors(tmp_path: Path) -> None:
    file = _file(
        tmp_path,
        "[DEFAULT]\nplace = there\n"
        "[composite:one]\nuse = egg:Paste#urlmap\n/: api\n/healthcheck: health\n"
        "[composite:api]\npaste.composite_factory = heat.api:pipeline_factory\n"
        "default = a b end\nother = a end\n"
        "[app:end]\npaste.app_factory = m:end\nheat.app_factory = n:end\n"
        "[app:health]\npaste.app_factory = m:health\n"
        "[filter:a]\npaste.filter_factory = m:a\nCase = %(here)s/x\nset at = %(place)s\n"
        "[filter:b]\nuse = a\nCase = y\n",
    )
    assert file.paths("one") == {"/": "api", "/healthcheck": "health"}
    assert file.paths("api") == {"/": "api"}
    a = Stage("a", "m:a", {"Case": f"{tmp_path}/x", "at": "there"})
    b = Stage("b", "m:a", {"Case": "y", "at": "there"})
    end = Stage("end", "n:end", {})
    assert file.stages("api", None) == (a, b, end)
    assert file.stages("api", "other") == (a, end)
    assert file.has("one")
    assert not file.has("one-other")


def test_pipelines_within_pipelines(tmp_path: Path) -> None:
    file = _file(
        tmp_path,
        "[pipeline:outer]\npipeline = a inner\n[pipeline:inner]\npipeline = b end\n"
        "[application:end]\nuse = real\nfilter-with = c\n[app:real]\nuse = egg:heat#api\n"
        "[filter:a]\nuse = egg:x#a\n[filter:b]\nuse = egg:x#b\n[filter:c]\nuse = egg:x#c\n",
    )
    assert [(one.name, one.factory) for one in file.stages("outer", "whatever")] == [
        ("a", "egg:x#a"),
        ("b", "egg:x#b"),
        ("c", "egg:x#c"),
        ("real", "egg:heat#api"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[app:x\n", "is no api-paste.ini"),
        ("[pipeline:x]\npipeline = a end\n[app:end]\n", "has no filter 'a'"),
        ("[pipeline:x]\npipeline = end\n", "has no app 'end'"),
        ("[pipeline:x]\npipeline =\n", "has no app ''"),
        ("[pipeline:x]\npipeline = x\n", "leads to itself"),
        ("[pipeline:x]\npipeline = a e\n[filter:a]\nuse = a\n[app:e]\n", "has no filter 'a'"),
        (
            "[composite:x]\npaste.composite_factory = heat.api:pipeline_factory\n",
            "flavor = default",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(PasteProblem, match=said) as raised:
        _file(tmp_path, text).stages("x", None)
    assert "api-paste.ini" in str(raised.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PasteProblem, match="can't be read"):
        PasteFile.read(tmp_path)

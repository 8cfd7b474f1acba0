"""The pages say what the code does: snippets run, diagrams and lists are up to date."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
DOCS = sorted((ROOT / "docs").glob("*.md"))


def test_the_snippets_of_embedding_run() -> None:
    text = (ROOT / "docs" / "embedding.md").read_text()
    snippets = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(snippets) >= 5
    namespace: dict[str, object] = {}
    for number, snippet in enumerate(snippets, 1):
        exec(compile(snippet, f"embedding.md, snippet {number}", "exec"), namespace)


def test_the_diagrams_are_those_of_the_tables() -> None:
    script = [sys.executable, str(ROOT / "scripts" / "diagrams"), "--check"]
    assert subprocess.run(script, check=False).returncode == 0, "run scripts/diagrams"


def test_the_tables_of_options_are_those_of_the_code() -> None:
    script = [sys.executable, str(ROOT / "scripts" / "configuration"), "--check"]
    assert subprocess.run(script, check=False).returncode == 0, "run scripts/configuration"


def test_every_dependency_has_bounds_and_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    reasons = (ROOT / "docs" / "dependencies.md").read_text()
    for extra, requirements in {
        "": project["dependencies"],
        **project["optional-dependencies"],
    }.items():
        for requirement in requirements:
            name = re.split(r"[\[<>=~!; ]", requirement)[0]
            assert re.search(r"==|<", requirement), f"{requirement} has no upper bound"
            assert re.search(rf"\b{re.escape(name)}\b", reasons), f"{name} ({extra}) has no reason"


def test_constraints_are_plain_and_cover_what_is_named() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.\-]+==[\w.]+", line)] == []
    names = {_normal(line.split("==")[0]) for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"]]
    for requirements in project["optional-dependencies"].values():
        wanted += requirements
    assert {_normal(re.split(r"[\[<>=]", one)[0]) for one in wanted} <= names


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target


def test_the_templates_in_the_pages_are_yaml() -> None:
    found = 0
    for page in DOCS:
        for block in re.findall(r"```yaml\n(.*?)```", page.read_text(), flags=re.DOTALL):
            assert "resources" in yaml.safe_load(block)
            found += 1
    assert found


def test_the_readme_has_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert "    make run\n" in text
    assert "    make test\n" in text

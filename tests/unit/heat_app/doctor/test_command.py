from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine

from heat_app.cli import main
from heat_app.standalone.data_folder import DataFolder
from heat_core.environment import Environment
from heat_core.stack import Action, StackId, StackRecord, Status
from heat_io.database import stacks, templates
from heat_io.database.schema import metadata


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with two stacks of one name and one in the middle of nothing."""
    engine = create_engine(f"sqlite:///{tmp_path / 'heat.sqlite'}")
    with engine.begin() as connection:
        metadata.create_all(connection)
        _add(connection, "a", "twice", Status.COMPLETE)
        _add(connection, "b", "twice", Status.COMPLETE)
        _add(connection, "c", "cut", Status.IN_PROGRESS)
        _add(connection, "d", "fine", Status.COMPLETE)
    engine.dispose()
    return tmp_path


def _add(connection: Connection, stack_id: str, name: str, status: Status) -> None:
    document = {"heat_template_version": "2018-08-31"}
    template = templates.insert(connection, document, Environment().stored())
    record = StackRecord(
        id=StackId(stack_id),
        name=name,
        tenant=f"project-{stack_id}",
        raw_template_id=template.id,
        action=Action.CREATE,
        status=status,
    )
    stacks.insert(connection, record)


def run(data: Path, *arguments: str) -> int:
    return main(["doctor", *arguments, "--data", str(data)])


def test_what_is_fine_and_what_is_not(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "fine") == 0
    assert "owed: nothing" in capsys.readouterr().out
    assert run(data, "cut") == 1
    assert "CREATE was accepted, but never begun" in capsys.readouterr().out
    assert run(data, "d") == 0


def test_stacks_that_cannot_be_told_apart(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "twice") == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        "heat-trio: 2 stacks are called twice, give an id:",
        "  a  project project-a",
        "  b  project project-b",
    ]
    assert run(data, "none") == 1
    assert capsys.readouterr().err == "heat-trio: there is no stack none.\n"


def test_a_folder_without_a_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "fine") == 2
    assert "there is no database in" in capsys.readouterr().err


def test_a_folder_in_use_is_read_and_not_repaired(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = DataFolder.open(data)
    try:
        assert run(data, "fine") == 0
        capsys.readouterr()
        assert run(data, "fine", "--repair") == 2
    finally:
        folder.close()
    told = capsys.readouterr().err
    assert "is in use by heat-trio up, process" in told
    assert "does by itself what is owed" in told


def test_without_a_stack_it_says_how_to_call_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctor"])
    assert ended.value.code == 2
    assert "usage: heat-trio doctor" in capsys.readouterr().err

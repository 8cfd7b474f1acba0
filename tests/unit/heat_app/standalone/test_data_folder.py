"""The data folder: private, one user at a time, secrets made once."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from heat_app.standalone.data_folder import USERS, DataFolder, default_folder
from heat_app.standalone.problem import StartProblem


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_made_for_its_user_alone(tmp_path: Path) -> None:
    data = DataFolder.open(tmp_path / "a" / "b")
    assert _mode(data.path) == 0o700
    data.close()


def test_an_open_folder_is_closed_to_others(tmp_path: Path) -> None:
    (tmp_path / "wide").mkdir(mode=0o755)
    data = DataFolder.open(tmp_path / "wide")
    assert _mode(data.path) == 0o700
    data.close()


def test_a_second_process_is_told_who_holds_it(tmp_path: Path) -> None:
    first = DataFolder.open(tmp_path)
    with pytest.raises(StartProblem, match=rf"in use by heat-trio up, process {os.getpid()}:"):
        DataFolder.open(tmp_path)
    first.close()
    DataFolder.open(tmp_path).close()


def test_who_uses_a_folder_can_be_asked(tmp_path: Path) -> None:
    assert DataFolder.holder(tmp_path) is None
    first = DataFolder.open(tmp_path, user="heat-trio doctor")
    assert DataFolder.holder(tmp_path) == f"heat-trio doctor, process {os.getpid()}"
    first.close()
    assert DataFolder.holder(tmp_path) is None
    DataFolder.open(tmp_path).close()


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from heat_app.standalone.data_folder import DataFolder\n"
        "data = DataFolder.open(Path(sys.argv[1]))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert ended.returncode == -9
    DataFolder.open(tmp_path).close()


@pytest.mark.parametrize("below", ["", "below"])
def test_a_file_is_no_folder(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartProblem, match="is not a folder"):
        DataFolder.open(tmp_path / "file" / below)


def test_a_folder_that_can_not_be_made() -> None:
    with pytest.raises(StartProblem, match="is not writable"):
        DataFolder.open(Path("/proc/heat-trio"))


def test_secrets_are_made_once(tmp_path: Path) -> None:
    data = DataFolder.open(tmp_path)
    first = data.secrets()
    assert set(first.passwords) == set(USERS)
    assert len(set(first.passwords.values())) == len(USERS)
    assert len(first.encryption_key) == 32
    assert _mode(tmp_path / "secrets.json") == 0o600
    again = data.secrets()
    assert again.passwords == first.passwords
    assert again.encryption_key == first.encryption_key
    assert first.encryption_key not in repr(first)
    data.close()


def test_a_user_added_later_gets_a_password_and_the_others_keep_theirs(tmp_path: Path) -> None:
    data = DataFolder.open(tmp_path)
    old = data.secrets()
    stored = json.loads((tmp_path / "secrets.json").read_text())
    del stored["passwords"]["demo_reader"]
    data.write("secrets.json", json.dumps(stored))
    new = data.secrets()
    assert new.passwords["demo"] == old.passwords["demo"]
    assert new.passwords["demo_reader"] != old.passwords["demo_reader"]
    data.close()


def test_written_files_are_private_and_whole(tmp_path: Path) -> None:
    data = DataFolder.open(tmp_path)
    path = data.write("deep/file", "text")
    assert path.read_text() == "text"
    assert _mode(path) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["file"]
    data.close()


def test_the_default_follows_xdg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_folder() == Path("/data/heat-trio")
    monkeypatch.setenv("XDG_DATA_HOME", "")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert default_folder() == Path("/home/somebody/.local/share/heat-trio")

"""What `heat-trio up` accepts."""

from pathlib import Path

import pytest

from heat_app.cli import main
from heat_app.standalone.command import _arguments


def test_defaults() -> None:
    arguments = _arguments([])
    assert (arguments.port, arguments.cfn_port, arguments.keystone_port) == (8004, 8000, 5000)
    assert arguments.bind == "127.0.0.1"
    assert arguments.data is None
    assert not arguments.demo


def test_everything() -> None:
    arguments = _arguments(
        [
            *("--data", "d", "--port", "1", "--cfn-port", "2", "--keystone-port", "3"),
            *("--bind", "::1", "--demo", "--once"),
        ]
    )
    assert arguments.data == Path("d")
    assert (arguments.port, arguments.cfn_port, arguments.keystone_port) == (1, 2, 3)
    assert arguments.bind == "::1"
    assert arguments.demo
    assert arguments.once


@pytest.mark.parametrize("wrong", [["--once"], ["--port", "x"], ["--port", "70000"], ["extra"]])
def test_wrong_arguments_exit_2(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        _arguments(wrong)
    assert end.value.code == 2
    assert "usage: heat-trio up" in capsys.readouterr().err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("heat-trio 0.")
    assert main(["--help"]) == 0
    assert "up " in capsys.readouterr().out
    assert main(["sideways"]) == 2
    assert "usage: heat-trio" in capsys.readouterr().err

"""Signals ask for an end once, whatever the process is doing."""

import signal
import subprocess
import sys

import pytest

from heat_app.standalone.stopping import Stopping


def test_before_there_is_anything_to_end() -> None:
    stopping = Stopping()
    with pytest.raises(SystemExit) as end:
        stopping._arrived(signal.SIGINT, None)
    assert end.value.code == 0


def test_a_signal_wakes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = Stopping()
    monkeypatch.setattr(stopping, "begin", lambda: None)
    woken: list[int] = []
    stopping.attach(lambda: woken.append(1))
    stopping._arrived(signal.SIGTERM, None)
    stopping._arrived(signal.SIGTERM, None)
    assert woken == [1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_installed_handlers_end_a_process_with_0(number: signal.Signals) -> None:
    code = (
        "import os, signal, sys\n"
        "from heat_app.standalone.stopping import Stopping\n"
        "Stopping().install()\n"
        f"os.kill(os.getpid(), {int(number)})\n"
        "sys.exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_end_that_takes_too_long_is_cut_short() -> None:
    code = (
        "import os, signal, threading\n"
        "from heat_app.standalone.stopping import Stopping\n"
        "stopping = Stopping(seconds=0.05)\n"
        "stopping.install()\n"
        "stopping.attach(lambda: None)\n"
        f"os.kill(os.getpid(), {int(signal.SIGTERM)})\n"
        "threading.Event().wait(30)\n"
        "os._exit(9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == 0
    assert b"the next start carries on" in ended.stderr

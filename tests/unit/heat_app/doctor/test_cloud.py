from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from heat_app.cli import main
from heat_app.config import Settings
from heat_app.doctor import cloud
from heat_app.engine.assembly import Ground
from heat_app.engine.serving import listener_handlers
from heat_core.rpc import LISTENER_METHODS
from heat_core.stack import EngineId
from heat_io.messaging import InProcessBus


def _ground(folder: Any, bus: Any) -> Ground:
    nothing: Any = None
    return Ground(
        settings=Settings(),
        policy=nothing,
        engine_id=EngineId("doctor"),
        database=folder.database,
        bus=bus,
        openstack=nothing,
        liveness=nothing,
        alone=False,
    )


class _Listening:
    """Engines that answer on a bus."""

    def __init__(self, bus: InProcessBus, nursery: trio.Nursery) -> None:
        self._bus = bus
        self._nursery = nursery

    async def begin(self, name: str) -> None:
        await self._nursery.start(
            self._bus.serve,
            LISTENER_METHODS.name,
            name,
            LISTENER_METHODS.version,
            listener_handlers(),
        )


@pytest.fixture
async def bus() -> InProcessBus:
    return InProcessBus()


@pytest.fixture
async def listening(bus: InProcessBus, autojump_clock: MockClock) -> AsyncIterator[_Listening]:
    async with trio.open_nursery() as nursery:
        yield _Listening(bus, nursery)
        nursery.cancel_scope.cancel()


async def test_who_holds_something_is_asked_whether_it_lives(
    folder: Any,
    bus: InProcessBus,
    listening: _Listening,
    slow: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    # The report looks at the real clock; not even then may the operation be too late.
    stack_id = await folder.add("st1", slow, created_at=datetime(2199, 1, 1))
    await folder.cut(stack_id, after_seconds=5, name="e1")
    assert await cloud._report(_ground(folder, bus), "st1", everything=False) == 1
    told = capsys.readouterr()
    assert "locks: 1, 1 of them held by dead engines" in told.out
    assert told.err == ""

    await listening.begin("e1")
    assert await cloud._report(_ground(folder, bus), "st1", everything=False) == 0
    assert "locks: 1, 0 of them held by dead engines" in capsys.readouterr().out


class _Silent:
    """A broker that is away."""

    async def serve(self, *arguments: Any, **more: Any) -> None:
        await trio.sleep_forever()


async def test_without_a_broker_signs_of_life_have_to_do(
    folder: Any,
    autojump_clock: MockClock,
    slow: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    stack_id = await folder.add("st1", slow)
    await folder.cut(stack_id, after_seconds=5, name="e1")
    assert await cloud._report(_ground(folder, _Silent()), "st1", everything=False) == 1
    told = capsys.readouterr()
    assert "1 of them held by dead engines" in told.out
    assert told.err == (
        "heat-trio: the broker does not answer; engines are judged by their signs of life.\n"
    )


async def test_no_such_stack(
    folder: Any, bus: InProcessBus, listening: _Listening, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await cloud._report(_ground(folder, bus), "none", everything=False) == 1
    assert capsys.readouterr().err == "heat-trio: there is no stack none.\n"


def test_a_configuration_that_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    conf = tmp_path / "heat.conf"
    conf.write_text("[DEFAULT]\nnum_engine_workers = many\n")
    assert main(["doctor", "st1", "--config-file", str(conf)]) == 2
    told = capsys.readouterr().err
    assert told.startswith("heat-trio: ")
    assert "num_engine_workers" in told
    assert main(["doctor", "st1", "--config-file", str(tmp_path / "none.conf")]) == 2
    assert "none.conf" in capsys.readouterr().err


def test_a_folder_or_a_cloud(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "st1", "--config-file", "x", "--data", "y"])
    assert ended.value.code == 2
    assert "not allowed with" in capsys.readouterr().err

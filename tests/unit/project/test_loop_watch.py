"""The watch fails a test that blocks its event loop, and only that."""

import gc
import importlib.util
import time
from pathlib import Path

import pytest
import trio

_spec = importlib.util.spec_from_file_location(
    "watching_conftest", Path(__file__).parents[2] / "conftest.py"
)
assert _spec is not None
assert _spec.loader is not None
watching = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(watching)


def test_a_blocking_step_is_an_error() -> None:
    async def blocks() -> None:
        time.sleep(0.15)  # noqa: ASYNC251 - blocking is what is tested

    with pytest.raises(AssertionError, match=r"blocked the event loop for 1[0-9][0-9] ms"):
        watching.run_watched(blocks)


def test_waiting_is_none() -> None:
    async def waits() -> None:
        await trio.sleep(0.15)

    watching.run_watched(waits)


def test_a_garbage_collection_is_no_step_of_the_test() -> None:
    class Slow:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            time.sleep(0.15)

    async def collects() -> None:
        Slow()
        gc.collect()

    watching.run_watched(collects)


async def test_the_watch_is_on_here(request: pytest.FixtureRequest) -> None:
    marker = request.node.get_closest_marker("trio")
    assert marker is not None
    assert marker.kwargs["run"].__name__ == "run_watched"

"""Event sinks."""

from typing import Any

import pytest

from heat_core.environment import Environment


def _with(sink: Any) -> Environment:
    return Environment.from_dict({"parameters": {}, "event_sinks": [sink]})


def test_a_queue_needs_a_target() -> None:
    sink = {"type": "zaqar-queue", "target": "q", "ttl": 60}
    assert _with(sink).event_sinks == [sink]
    with pytest.raises(TypeError, match="needs the option 'target'"):
        _with({"type": "zaqar-queue"})
    with pytest.raises(TypeError, match="has no option 'foo'"):
        _with({"type": "zaqar-queue", "target": "q", "foo": 1})


@pytest.mark.parametrize("sink", [{"type": "smoke"}, {"target": "q"}])
def test_unknown_types_are_refused(sink: Any) -> None:
    with pytest.raises(KeyError):
        _with(sink)


def test_a_sink_is_a_map() -> None:
    with pytest.raises(TypeError, match="must be a map"):
        _with("q")

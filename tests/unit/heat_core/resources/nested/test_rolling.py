"""Steps of groups that are updated in batches; whole updates are in the tests of the groups."""

from __future__ import annotations

from typing import Any

import pytest

from heat_core.resources.nested import Batch
from tests.nested_stage import IO, Stage, definition_of, members_of

GROUP = {
    "g": {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 1, "resource_def": {"type": "OS::Heat::None"}},
    }
}


def template(at: Any, batch: Batch) -> dict[str, Any]:
    names = [str(index) for index in range(batch.capacity)]
    return {"resources": {name: {"type": "OS::Heat::None"} for name in names}}


def acting(*, exists: bool = True, **more: Any) -> Stage:
    members = members_of("0", template={}) if exists else None
    return Stage(definition_of(GROUP), members=members, **more)


def test_each_batch_is_followed_to_its_end() -> None:
    stage = acting()
    batches = [Batch(1, 1), Batch(2, 1)]
    stage.run(stage.resource.roll(IO, batches, 0, template))
    assert stage.steps == [["0"], ["0", "1"]]


def test_no_batches_are_nothing_to_do() -> None:
    stage = acting(timeout_seconds=0)
    stage.run(stage.resource.roll(IO, [], 0, template))
    assert stage.requests == []


def test_the_time_that_pauses_leave_is_that_of_each_batch() -> None:
    resource = acting(timeout_seconds=600).resource
    assert resource.minutes_for([Batch(1, 1)], 500) == 10
    assert resource.minutes_for([Batch(1, 1)] * 3, 100) == 7
    with pytest.raises(ValueError, match="will result in stack update timeout"):
        resource.minutes_for([Batch(1, 1)] * 3, 300)


def test_what_has_no_stack_cannot_be_updated() -> None:
    stage = acting(exists=False)
    with pytest.raises(AssertionError, match="no nested stack"):
        stage.run(stage.resource.update_to(IO, lambda at: {}))

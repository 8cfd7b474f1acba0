from __future__ import annotations

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.procedure import Entropy, Sleep
from heat_core.resources import bind, registry

TYPE = registry.find("OS::Heat::Delay")


@pytest.mark.parametrize(
    ("action", "actions", "waits"),
    [
        ("create", ["CREATE"], True),
        ("delete", ["CREATE"], False),
        ("delete", ["CREATE", "DELETE"], True),
        ("suspend", ["SUSPEND"], True),
        ("resume", ["RESUME"], True),
        ("resume", [], False),
    ],
)
def test_only_the_chosen_actions_wait(
    script: Any, view: Any, action: str, actions: list[str], waits: bool
) -> None:
    resource = TYPE(view(properties={"min_wait": 3, "actions": actions}))
    script.run(getattr(resource, f"finish_{action}")(script.io))

    assert script.asked == ([Sleep(3.0)] if waits else [])


def test_creating_waits_by_default(script: Any, view: Any) -> None:
    script.run(TYPE(view(properties={"min_wait": 3})).finish_create(script.io))

    assert script.asked == [Sleep(3.0)]


def test_jitter_is_a_random_share_of_its_maximum(script: Any, view: Any) -> None:
    data = {"min_wait": 1, "max_jitter": 2, "jitter_multiplier": 10}
    script.run(TYPE(view(properties=data)).finish_create(script.io))

    [asked, slept] = script.asked
    assert isinstance(asked, Entropy)
    assert isinstance(slept, Sleep)
    share = int.from_bytes(bytes(range(4))) / 2**32
    assert slept.seconds == 1 + 20 * share


def test_no_wait_no_sleep(script: Any, view: Any) -> None:
    script.run(TYPE(view()).finish_create(script.io))

    assert script.asked == []


def test_the_longest_wait_must_fit_into_the_stack_s_timeout(view: Any) -> None:
    resource = TYPE(view(stack_timeout_seconds=60))
    resource.validate(bind(TYPE, {"min_wait": 40, "max_jitter": 2, "jitter_multiplier": 10}))

    with pytest.raises(StackValidationFailed) as caught:
        resource.validate(bind(TYPE, {"min_wait": 41, "max_jitter": 2, "jitter_multiplier": 10}))
    assert str(caught.value) == "OS::Heat::Delay maximum delay 61s exceeds stack timeout."

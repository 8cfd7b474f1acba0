"""Generated templates: whatever is wrong with one, the user is told, and nothing else happens."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from heat_core.template import VERSIONS
from tests.fuzz import answers
from tests.fuzz.calls import CALLS
from tests.fuzz.templates import Whole, wholes

FEW = settings(
    max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def test_every_function_of_every_version_has_arguments() -> None:
    names = {name for one in VERSIONS for name in (*one.functions, *one.condition_functions)}
    assert names == set(CALLS)


@FEW
@given(wholes())
def test_the_calls_of_the_api(whole: Whole) -> None:
    for way in answers.WAYS:
        way(whole)


@FEW
@given(wholes())
def test_the_command(tmp_path_factory: pytest.TempPathFactory, whole: Whole) -> None:
    answers.command(whole, tmp_path_factory.getbasetemp())


@settings(FEW, max_examples=40)
@given(wholes(sound=True), wholes(sound=True))
def test_previews_of_updates(before: Whole, after: Whole) -> None:
    answers.preview_of_update(before, after)


def test_sound_templates_are_valid_often_enough() -> None:
    valid: list[bool] = []

    @FEW
    @given(wholes(sound=True))
    def look(whole: Whole) -> None:
        valid.append(answers.preview_call(whole))

    look()
    assert sum(valid) > len(valid) / 10


@pytest.mark.parametrize(
    "error", [TypeError("x"), KeyError("x"), RecursionError(), AssertionError()]
)
def test_what_is_internal_is_seen(error: Exception) -> None:
    with pytest.raises(answers.Internal), answers.asked("this"):
        raise error

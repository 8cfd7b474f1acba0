"""A template, an environment and files put together."""

from typing import Any

import pytest

from heat_core.errors import NotSupported, RequestLimitExceeded, StackValidationFailed
from heat_core.stack import StackLimits
from heat_core.stack.sources import Sources, check_sections, merged_environment, new_template
from heat_core.template import Template

HOT: dict[str, Any] = {
    "heat_template_version": "2018-08-31",
    "parameters": {"p": {"type": "string"}},
}


def test_an_environment_goes_with_the_template() -> None:
    made = new_template(Sources(template=HOT, environment={"parameters": {"p": "a"}}))
    assert made.environment.parameters == {"p": "a"}
    assert made.document == HOT


def test_environment_files_are_laid_over_each_other() -> None:
    files = {"one": "parameters: {p: a}", "two": "parameters: {p: b}"}
    sources = Sources(template=HOT, files=files, environment_files=("one", "two"))
    assert merged_environment(Template(HOT, files=files), sources)["parameters"] == {"p": "b"}


def test_what_is_missing_or_elsewhere_is_refused() -> None:
    with pytest.raises(NotSupported):
        new_template(Sources(template=None))
    with pytest.raises(NotSupported):
        Sources.of_request(HOT, None, None, None, "container")


def test_sections_and_size() -> None:
    check_sections(Template(HOT))
    with pytest.raises(StackValidationFailed, match="The template section is invalid: wrong"):
        check_sections(Template({**HOT, "wrong": {}}))
    many = {f"r{number}": {"type": "OS::Heat::None"} for number in range(3)}
    with pytest.raises(RequestLimitExceeded):
        check_sections(Template({**HOT, "resources": many}), StackLimits(max_resources_per_stack=2))


def test_an_environment_file_that_is_not_there_is_named() -> None:
    with pytest.raises(KeyError, match=r"^'one'$"):
        new_template(Sources(template=HOT, environment_files=("one",)))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"one": "parameters: [a]"}, "'list'"),
        ({"one": "resource_registry: 5"}, "'int'"),
        ({"one": "event_sinks: [a]"}, "an event sink"),
    ],
)
def test_odd_environments_are_the_users_mistake(files: dict[str, str], said: str) -> None:
    with pytest.raises((ValueError, StackValidationFailed), match=said):
        new_template(Sources(template=HOT, files=files, environment_files=("one",)))

"""Environment text."""

import pytest

from heat_core.environment import check_sections, parse_environment, with_all_sections


def test_environments_are_yaml_maps_of_known_sections() -> None:
    assert parse_environment(None) == {}
    assert parse_environment("") == {}
    assert parse_environment("parameters: {a: yes, d: 2018-01-01}") == {
        "parameters": {"a": True, "d": "2018-01-01"}
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a", "The environment is not a valid YAML mapping data type."),
        ("foo: 1", 'environment has wrong section "foo"'),
        ("parameters:", 'environment has empty section "parameters"'),
    ],
)
def test_others_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_environment(text)


def test_missing_sections_are_filled_in() -> None:
    filled = with_all_sections({"parameters": {"a": 1}})
    assert filled == {
        "parameters": {"a": 1},
        "resource_registry": {},
        "parameter_defaults": {},
        "encrypted_param_names": [],
        "event_sinks": [],
    }
    check_sections(filled)

"""Environments."""

from typing import Any

from heat_core.environment import Environment


def test_a_dict_without_parameters_is_parameters() -> None:
    environment = Environment.from_dict({"a": 1, "parameter_defaults": {"d": 2}})
    assert environment.parameters == {"a": 1}
    assert environment.parameter_defaults == {"d": 2}
    assert Environment.from_dict({"parameters": {"a": 1}, "b": 2}).parameters == {"a": 1}


def test_stored_and_shown_forms() -> None:
    content: dict[str, Any] = {
        "parameters": {"p": 1},
        "parameter_defaults": {"d": 2},
        "resource_registry": {"My::T": "t.yaml"},
        "event_sinks": [{"type": "zaqar-queue", "target": "q"}],
        "encrypted_param_names": ["p"],
    }
    environment = Environment.from_dict(content)
    shown = {**content, "resource_registry": {"My::T": "t.yaml", "resources": {}}}
    assert environment.stored() == shown
    del shown["encrypted_param_names"]
    assert environment.user_env_as_dict() == shown
    assert Environment.from_dict(environment.stored()).stored() == environment.stored()


def test_loading_over_leaves_the_source_alone() -> None:
    given = {"parameters": {"a": 1}}
    environment = Environment.from_dict(given)
    environment.load(
        {
            "parameters": {"a": 2, "b": 3},
            "parameter_defaults": {"d": 4},
            "resource_registry": {"T": "t.yaml"},
            "event_sinks": [{"type": "zaqar-queue", "target": "q", "ttl": 5}],
        }
    )
    assert environment.parameters == {"a": 2, "b": 3}
    assert environment.parameter_defaults == {"d": 4}
    assert environment.registry.as_dict()["T"] == "t.yaml"
    assert len(environment.event_sinks) == 1
    assert given == {"parameters": {"a": 1}}


def test_the_environment_of_a_child() -> None:
    parent = Environment.from_dict(
        {"parameters": {"p": 1}, "resource_registry": {"T": "t.yaml", "U": "u.yaml"}}
    )
    child = parent.for_child({"x": 1}, without=parent.registry.find("T"), resource_name="r")
    assert child.parameters == {"x": 1}
    assert child.registry.as_dict() == {"U": "u.yaml", "resources": {}}
    whole = parent.for_child({"parameters": {"y": 2}, "resource_registry": {"V": "v.yaml"}})
    assert whole.parameters == {"y": 2}
    assert set(whole.registry.as_dict()) == {"T", "U", "V", "resources"}
    assert parent.for_child(None).parameters == {}


def test_what_lookups_have_noted_is_not_stored() -> None:
    content = {"parameters": {"p": 1}, "resource_registry": {"T": "t.yaml"}}
    shared = Environment.of_stack(content)
    shared.registry.find("other.yaml")
    assert shared.registry.as_dict() == {
        "resources": {},
        "T": "t.yaml",
        "other.yaml": "other.yaml",
    }
    stored = shared.as_stored()
    assert stored.registry.as_dict() == {"resources": {}, "T": "t.yaml"}
    assert stored.parameters == {"p": 1}
    request = Environment.from_dict(content)
    assert request.as_stored() is request

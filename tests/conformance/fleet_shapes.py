"""Stacks of many shapes, each as it is created ("one") and as it is updated to ("two")."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

type Body = dict[str, Any]

MARK = "made by a fleet"
"""stands in the description of all projects"""
RANDOM_LENGTH = 40


def _template(resources: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", "resources": dict(resources), **more}


def _one(kind: str, *needs: str, **properties: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"type": kind, "properties": properties}
    return found | ({"depends_on": list(needs)} if needs else {})


def test(value: Any, *needs: str, **properties: Any) -> dict[str, Any]:
    """A resource that does nothing but be there."""
    return _one("OS::Heat::TestResource", *needs, value=value, **properties)


def random(*needs: str, **properties: Any) -> dict[str, Any]:
    """A random text that can be told from all others."""
    return _one(
        "OS::Heat::RandomString",
        *needs,
        length=RANDOM_LENGTH,
        character_classes=[{"class": "lowercase"}],
        **properties,
    )


def value(what: Any, *needs: str) -> dict[str, Any]:
    return _one("OS::Heat::Value", *needs, value=what)


def project(description: str, *needs: str, **properties: Any) -> dict[str, Any]:
    """A project of Keystone's with a name that the engine makes up."""
    return _one("OS::Keystone::Project", *needs, description=f"{MARK}: {description}", **properties)


def attribute(name: str, key: str) -> dict[str, Any]:
    return {"get_attr": [name, key]}


def body(resources: Mapping[str, Any], **more: Any) -> Body:
    """A request; `outputs` and `parameters` of the template, the rest of the request."""
    sections = {key: more.pop(key) for key in ("outputs", "parameters") if key in more}
    return {"template": _template(resources, **sections), "disable_rollback": True, **more}


def flat(version: str) -> Body:
    """Resources that don't know of each other; the update takes some and gives others."""
    resources = {
        "random": random(),
        "value": value(f"value {version}"),
        "none": _one("OS::Heat::None"),
        "delay": _one("OS::Heat::Delay", min_wait=1),
        "test": test(version),
        f"only_{version}": test("x"),
    }
    return body(resources, tags=f"fleet,{version}", timeout_mins=30)


def fan_in(version: str) -> Body:
    """One resource requires ten others."""
    resources = {f"r{n}": test(str(n)) for n in range(10)}
    return body(resources | {"centre": test(version, *resources)})


def chain(version: str) -> Body:
    """Each resource of six requires the one before."""
    resources: dict[str, Any] = {"r0": test(f"start {version}")}
    for n in range(1, 6):
        resources[f"r{n}"] = test(attribute(f"r{n - 1}", "output"))
    return body(resources, outputs={"o": {"value": attribute("r5", "output")}})


def replaced(version: str) -> Body:
    """The update replaces what others use, and one that uses a random text."""
    resources = {
        "a": test(version, update_replace=version != "one"),
        "b": test({"get_resource": "a"}),
        "text": random(salt=version),
        "c": value(attribute("text", "value"), "b"),
        "d": test("last", "c"),
    }
    return body(resources)


def group(version: str) -> Body:
    """A nested stack that grows."""
    count = 3 if version == "one" else 5
    member = {
        "type": "OS::Heat::TestResource",
        "properties": {"value": "%index%"},
    }
    grouped = _one("OS::Heat::ResourceGroup", count=count, resource_def=member)
    refs = {"list_join": [",", attribute("g", "refs")]}
    return body({"g": grouped, "after": test(refs)})


def nested(version: str) -> Body:
    """A template as a type, its parameter and its output."""
    inner = {
        "heat_template_version": "2018-08-31",
        "parameters": {"p": {"type": "string"}},
        "resources": {
            "text": random(),
            "test": test({"get_param": "p"}, "text"),
            "value": value(attribute("test", "output")),
        },
        "outputs": {"o": {"value": attribute("value", "value")}},
    }
    resources = {
        "inner": {"type": "inner.yaml", "properties": {"p": version}},
        "after": test(attribute("inner", "o")),
    }
    return body(resources, files={"inner.yaml": json.dumps(inner)})


def deep(version: str) -> Body:
    """A template in a template in a template, and a group in the midst of them."""

    def document(resources: Mapping[str, Any]) -> str:
        return json.dumps(
            _template(resources, parameters={"p": {"type": "string", "default": "x"}})
        )

    files = {
        "leaf.yaml": document({"test": test({"get_param": "p"})}),
        "middle.yaml": document(
            {
                "leaf": {"type": "leaf.yaml", "properties": {"p": {"get_param": "p"}}},
                "group": _one(
                    "OS::Heat::ResourceGroup",
                    count=2,
                    resource_def={"type": "leaf.yaml", "properties": {"p": "%index%"}},
                ),
            }
        ),
    }
    middle = {"type": "middle.yaml", "properties": {"p": version}}
    return body({"middle": middle, "test": test("x")}, files=files)


def mended(version: str) -> Body:
    """Fails to create, and is mended by the update."""
    resources = {
        "a": test("x"),
        "b": test("y", "a", fail=version == "one"),
        "c": test("z", "b"),
    }
    return body(resources)


def rolled_back(version: str) -> Body:
    """The update fails half way, after a replacement, and goes back."""
    two = version != "one"
    resources = {
        "a": test(version, update_replace=two),
        "b": test({"get_resource": "a"}),
        "c": test("z", "b", fail=two),
    }
    return body(resources) | {"disable_rollback": not two}


def projects(version: str) -> Body:
    """Projects of Keystone's, alone and in a group; the update takes some and gives others."""
    count = 2 if version == "one" else 3
    grouped = _one(
        "OS::Heat::ResourceGroup", count=count, resource_def=project(f"member {version}")
    )
    resources = {
        "kept": project(f"kept {version}"),
        f"only_{version}": project(f"only {version}", "kept"),
        "group": grouped,
        "last": test(attribute("kept", "name"), "group"),
    }
    return body(resources)


@dataclass(frozen=True, slots=True)
class Shape:
    """Bodies by version, and how the operations end. `owner`: who may make it."""

    body: Callable[[str], Body]
    created: str = "CREATE_COMPLETE"
    updated: str = "UPDATE_COMPLETE"
    owner: str = "demo"

    @property
    def name(self) -> str:
        return self.body.__name__.replace("_", "-")


SHAPES = (
    Shape(flat),
    Shape(fan_in),
    Shape(chain),
    Shape(replaced),
    Shape(group),
    Shape(nested),
    Shape(deep),
    Shape(mended, created="CREATE_FAILED"),
    Shape(rolled_back, updated="ROLLBACK_COMPLETE"),
    Shape(projects, owner="admin"),
)

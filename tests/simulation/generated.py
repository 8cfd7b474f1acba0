"""Random templates: graphs of six nodes and more, and what a user may make of them next."""

from __future__ import annotations

import random
from typing import Any

VERSION = {"heat_template_version": "2018-08-31"}

CHILDREN = {
    "pair.yaml": """
heat_template_version: 2018-08-31
parameters: {word: {type: string}}
resources:
  first: {type: OS::Keystone::Project, properties: {description: {get_param: word}}}
  second:
    type: OS::Heat::TestResource
    properties: {value: {get_resource: first}, wait_secs: 1}
""",
    "deep.yaml": """
heat_template_version: 2018-08-31
parameters: {word: {type: string}}
resources:
  below: {type: pair.yaml, properties: {word: {get_param: word}}}
  beside: {type: OS::Heat::RandomString}
""",
}
"""nested templates that any template may use, by the name of their file"""


def resource(name: str, needs: list[str], rng: random.Random, *, fails: bool = False) -> Any:
    """A resource of a random type that needs the given ones, by reference or by depends_on."""
    referred = [other for other in needs if rng.random() < 0.7]
    depends = [other for other in needs if other not in referred]
    text = {"list_join": ["-", ["v", *({"get_resource": other} for other in referred)]]}
    kind = rng.choice(["project", "project", "random", "test", "test", "nested"])
    if kind == "project":
        definition: dict[str, Any] = {
            "type": "OS::Keystone::Project",
            "properties": {"description": text},
        }
    elif kind == "nested":
        definition = nested(rng, text)
    elif kind == "random":
        definition = {
            "type": "OS::Heat::RandomString",
            "properties": {"length": rng.randint(4, 20)},
        }
        depends = needs
    else:
        definition = {
            "type": "OS::Heat::TestResource",
            "properties": {
                "value": text,
                "wait_secs": rng.choice([0, 0, 1, 5]),
                "update_replace": rng.random() < 0.3,
            },
        }
        if fails:
            definition["properties"]["fail"] = True
    if depends:
        definition["depends_on"] = depends
    return definition


def nested(rng: random.Random, text: Any) -> dict[str, Any]:
    """A resource that is a stack of its own: a template, or a group of members."""
    if rng.random() < 0.5:
        return {"type": rng.choice(list(CHILDREN)), "properties": {"word": text}}
    member = {"type": "OS::Heat::TestResource", "properties": {"wait_secs": rng.choice([0, 2])}}
    if rng.random() < 0.5:
        member = {"type": "OS::Keystone::Project", "properties": {"description": "%index%"}}
    return {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": rng.randint(0, 3), "resource_def": member},
    }


def template(rng: random.Random, *, low: int = 6, high: int = 12) -> dict[str, Any]:
    """A template whose resources each need up to three of those before them."""
    count = rng.randint(low, high)
    names = [f"r{index}" for index in range(count)]
    resources: dict[str, Any] = {}
    for index, name in enumerate(names):
        wanted = min(index, rng.choice([0, 1, 1, 2, 3]))
        resources[name] = resource(name, rng.sample(names[:index], wanted), rng)
    return {**VERSION, "resources": resources, "files": CHILDREN}


def changed(document: dict[str, Any], rng: random.Random, *, fails: bool = False) -> dict[str, Any]:
    """The template after an edit: some resources changed, replaced, removed or added."""
    resources = {name: dict(value) for name, value in document["resources"].items()}
    for name in list(resources):
        dice = rng.random()
        if name not in resources:
            continue
        if dice < 0.15:
            _remove(resources, name)
        elif dice < 0.5:
            earlier = list(resources)[: list(resources).index(name)]
            needs = rng.sample(earlier, min(len(earlier), rng.choice([0, 1, 2])))
            resources[name] = resource(name, needs, rng)
    for _ in range(rng.choice([0, 1, 2])):
        name = f"n{rng.randint(0, 9)}"
        if name not in resources:
            needs = rng.sample(list(resources), min(len(resources), 2))
            resources[name] = resource(name, needs, rng)
    if fails:
        earlier = list(resources)
        needs = rng.sample(earlier, min(len(earlier), 2))
        resources["bad"] = {
            "type": "OS::Heat::TestResource",
            "properties": {"fail": True, "wait_secs": rng.choice([0, 1, 6])},
            "depends_on": needs,
        }
    return {**document, "resources": resources}


def _remove(resources: dict[str, Any], name: str) -> None:
    resources.pop(name, None)
    text = f"'{name}'"
    for other in list(resources):
        if other in resources and text in repr(resources[other]):
            _remove(resources, other)

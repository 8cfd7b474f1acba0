"""Random templates: graphs of six nodes and more, and what a user may make of them next."""

from __future__ import annotations

import random
from typing import Any

VERSION = {"heat_template_version": "2018-08-31"}


def resource(name: str, needs: list[str], rng: random.Random, *, fails: bool = False) -> Any:
    """A resource of a random type that needs the given ones, by reference or by depends_on."""
    referred = [other for other in needs if rng.random() < 0.7]
    depends = [other for other in needs if other not in referred]
    text = {"list_join": ["-", ["v", *({"get_resource": other} for other in referred)]]}
    kind = rng.choice(["project", "project", "random", "test", "test"])
    if kind == "project":
        definition: dict[str, Any] = {
            "type": "OS::Keystone::Project",
            "properties": {"description": text},
        }
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


def template(rng: random.Random, *, low: int = 6, high: int = 12) -> dict[str, Any]:
    """A template whose resources each need up to three of those before them."""
    count = rng.randint(low, high)
    names = [f"r{index}" for index in range(count)]
    resources: dict[str, Any] = {}
    for index, name in enumerate(names):
        wanted = min(index, rng.choice([0, 1, 1, 2, 3]))
        resources[name] = resource(name, rng.sample(names[:index], wanted), rng)
    return {**VERSION, "resources": resources}


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
            "properties": {"fail": True, "wait_secs": rng.choice([0, 1])},
            "depends_on": needs,
        }
    return {**document, "resources": resources}


def _remove(resources: dict[str, Any], name: str) -> None:
    resources.pop(name, None)
    text = f"'{name}'"
    for other in list(resources):
        if other in resources and text in repr(resources[other]):
            _remove(resources, other)

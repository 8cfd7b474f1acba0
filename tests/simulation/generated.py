"""Random templates: graphs of six nodes and more, and what a user may make of them next.

A document is a template with `files` and `environment` beside it, as a request has them, and
`fails` for what its author knows of it: "no", "maybe" or "yes" (an operation that brings a stack to
it cannot end COMPLETE).
"""

from __future__ import annotations

import json
import random
from typing import Any

type Document = dict[str, Any]

VERSION = {"heat_template_version": "2018-08-31"}
TYPED = "Simulated::Pair"

CHILDREN = {
    "pair.yaml": json.dumps(
        {
            **VERSION,
            "parameters": {"word": {"type": "string"}},
            "resources": {
                "first": {
                    "type": "OS::Keystone::Project",
                    "properties": {"description": {"get_param": "word"}},
                },
                "second": {
                    "type": "OS::Heat::TestResource",
                    "properties": {"value": {"get_resource": "first"}, "wait_secs": 1},
                },
            },
        }
    ),
    "deep.yaml": json.dumps(
        {
            **VERSION,
            "parameters": {"word": {"type": "string"}},
            "resources": {
                "below": {"type": "pair.yaml", "properties": {"word": {"get_param": "word"}}},
                "beside": {"type": "OS::Heat::RandomString"},
            },
        }
    ),
}
"""nested templates that any template may use, by the name of their file"""

ENVIRONMENT = {"resource_registry": {TYPED: "pair.yaml"}}

KINDS = (
    ("project", 32),
    ("test", 46),
    ("random", 19),
    ("file", 1),
    ("typed", 1),
    ("group", 1),
)


def document_of(resources: dict[str, Any], *, fails: str = "no", **more: Any) -> Document:
    """A whole document with these resources."""
    resources = {name: _readable(one, resources) for name, one in resources.items()}
    text = repr(resources)
    found: Document = {**VERSION, "resources": resources, "fails": fails, **more}
    if ".yaml" in text or TYPED in text:
        found["files"] = CHILDREN
    if TYPED in text:
        found["environment"] = {**ENVIRONMENT, **found.get("environment", {})}
    return found


def _readable(tree: Any, resources: dict[str, Any]) -> Any:
    """The same without attributes that a resource, which was another before, does not have."""
    if isinstance(tree, list):
        return [_readable(one, resources) for one in tree]
    if not isinstance(tree, dict):
        return tree
    if list(tree) == ["get_attr"] and tree["get_attr"][1] == "output":
        name = tree["get_attr"][0]
        if resources.get(name, {}).get("type") != "OS::Heat::TestResource":
            return {"get_resource": name}
    return {key: _readable(one, resources) for key, one in tree.items()}


class Author:
    """Writes templates, all from one source of randomness."""

    def __init__(self, rng: random.Random, *, kinds: tuple[tuple[str, int], ...] = KINDS) -> None:
        self.rng = rng
        self._kinds = [kind for kind, _ in kinds]
        self._weights = [weight for _, weight in kinds]

    # --- resources -------------------------------------------------------------------------

    def resource(self, needs: list[str], among: dict[str, Any], kind: str | None = None) -> Any:
        """A resource that needs the given ones, by reference, by attribute or by depends_on."""
        rng = self.rng
        kind = kind or rng.choices(self._kinds, self._weights)[0]
        if kind == "random":
            salt = f"s{rng.randrange(3)}"
            definition: dict[str, Any] = {
                "type": "OS::Heat::RandomString",
                "properties": {"length": rng.randint(4, 6), "salt": salt},
            }
            depends = needs
        else:
            referred = [other for other in needs if rng.random() < 0.7]
            depends = [other for other in needs if other not in referred]
            text = self._text(referred, among)
            definition = getattr(self, f"_{kind}")(text)
        if depends:
            definition["depends_on"] = depends
        return definition

    def _text(self, referred: list[str], among: dict[str, Any]) -> Any:
        parts: list[Any] = [f"v{self.rng.randrange(4)}"]
        for other in referred:
            reads = among[other]["type"] == "OS::Heat::TestResource" and self.rng.random() < 0.5
            parts.append({"get_attr": [other, "output"]} if reads else {"get_resource": other})
        return {"list_join": ["-", parts]} if referred else parts[0]

    def _project(self, text: Any) -> dict[str, Any]:
        return {"type": "OS::Keystone::Project", "properties": {"description": text}}

    def _test(self, text: Any) -> dict[str, Any]:
        rng = self.rng
        properties: dict[str, Any] = {
            "value": text,
            "wait_secs": rng.choice([0, 0, 0, 1, 4]),
            "update_replace": rng.random() < 0.3,
        }
        if rng.random() < 0.2:
            properties["update_replace_value"] = f"w{rng.randrange(3)}"
        return {"type": "OS::Heat::TestResource", "properties": properties}

    def _file(self, text: Any) -> dict[str, Any]:
        return {"type": self.rng.choice(list(CHILDREN)), "properties": {"word": text}}

    def _typed(self, text: Any) -> dict[str, Any]:
        return {"type": TYPED, "properties": {"word": text}}

    def _group(self, text: Any) -> dict[str, Any]:
        rng = self.rng
        member: dict[str, Any] = {
            "type": "OS::Heat::TestResource",
            "properties": {"value": text, "wait_secs": rng.choice([0, 2])},
        }
        if rng.random() < 0.4:
            member = {"type": "OS::Keystone::Project", "properties": {"description": "%index%"}}
        return {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": rng.randint(0, 3), "resource_def": member},
        }

    # --- templates -------------------------------------------------------------------------

    def template(self, low: int = 6, high: int = 6) -> Document:
        """A template whose resources each need up to three of those before them."""
        count = self.rng.randint(low, high)
        resources: dict[str, Any] = {}
        for index in range(count):
            wanted = min(index, self.rng.choice([0, 1, 1, 1, 2, 3]))
            needs = self.rng.sample(list(resources), wanted)
            resources[f"r{index}"] = self.resource(needs, resources)
        return document_of(resources)

    def changed(self, document: Document) -> Document:
        """The template after an edit: resources changed, replaced, rewired, removed or added."""
        rng = self.rng
        resources = {name: dict(value) for name, value in document["resources"].items()}
        for name in list(resources):
            dice = rng.random()
            if name not in resources or dice > 0.5:
                continue
            if dice < 0.08:
                remove(resources, name)
            elif dice < 0.3:
                resources[name] = self.edited(resources, name)
            else:
                earlier = list(resources)[: list(resources).index(name)]
                needs = rng.sample(earlier, min(len(earlier), rng.choice([0, 1, 2])))
                resources[name] = self.resource(needs, resources)
        if rng.random() < 0.4:
            name = f"r{rng.randint(0, 9)}"
            if name not in resources:
                needs = rng.sample(list(resources), min(len(resources), 2))
                resources[name] = self.resource(needs, resources)
        return document_of(resources, **_more(document))

    def edited(self, resources: dict[str, Any], name: str) -> Any:
        """The resource with another value: changed in place or replaced, as its type has it."""
        definition = json.loads(json.dumps(resources[name]))
        properties = definition["properties"]
        for key in ("value", "description", "word"):
            if key in properties:
                text = properties[key]
                mark = f"v{self.rng.randrange(4)}"
                if isinstance(text, dict) and "list_join" in text:
                    text["list_join"][1][0] = mark
                else:
                    properties[key] = mark
        if "count" in properties:
            properties["count"] = self.rng.randint(0, 3)
        if "length" in properties:
            properties["length"] = self.rng.randint(4, 6)
        return definition

    def replacing(self, document: Document, names: list[str]) -> Document:
        """The template with these resources in need of a new object."""
        resources = {name: dict(value) for name, value in document["resources"].items()}
        for name in names:
            resources[name] = self.replaced(resources, name)
        return document_of(resources, **_more(document))

    def replaced(self, resources: dict[str, Any], name: str) -> Any:
        """The resource so that it must be made anew: by another type, or by its properties."""
        definition = json.loads(json.dumps(resources[name]))
        if definition["type"] == "OS::Heat::TestResource" and self.rng.random() < 0.7:
            before = definition["properties"].get("update_replace_value", "w0")
            definition["properties"]["update_replace_value"] = f"{before}+"
            return definition
        if definition["type"] == "OS::Heat::RandomString":
            definition["properties"]["salt"] += "+"
            return definition
        other = "project" if definition["type"] == "OS::Heat::TestResource" else "test"
        made = self.resource([], resources, other)
        needs = needed_by(definition, resources)
        if needs:
            made["depends_on"] = needs
        return made

    def spoiled(self, document: Document, kind: str | None = None) -> Document:
        """The template with something in it that fails."""
        rng = self.rng
        resources = dict(document["resources"])
        needs = rng.sample(list(resources), min(len(resources), 2))
        kind = kind or rng.choice(["fail", "fail", "fail", "invalid", "circle", "unreadable"])
        fails = "yes"
        if kind == "fail":
            resources["bad"] = {
                "type": "OS::Heat::TestResource",
                "properties": {"fail": True, "wait_secs": rng.choice([0, 1, 6])},
            }
        elif kind == "invalid":
            resources["bad"] = {
                "type": "OS::Heat::RandomString",
                "properties": {"length": 0},
            }
        elif kind == "circle":
            resources["bad"] = {"type": "OS::Heat::TestResource", "depends_on": ["worse"]}
            resources["worse"] = {"type": "OS::Heat::TestResource", "depends_on": ["bad"]}
            needs = []
        else:
            resources["bad"] = {
                "type": "OS::Heat::ResourceGroup",
                "properties": {
                    "count": 1,
                    "resource_def": {"type": "OS::Heat::TestResource"},
                },
            }
            resources["worse"] = {
                "type": "OS::Heat::TestResource",
                "properties": {"value": {"get_attr": ["bad", "resource.7.output"]}},
            }
        if needs:
            resources["bad"]["depends_on"] = needs
        return document_of(resources, fails=fails, **_more(document))

    def restricted(self, document: Document, names: list[str], action: str) -> Document:
        """The environment forbids an update or a replacement of these resources."""
        environment = {
            "resource_registry": {
                **ENVIRONMENT["resource_registry"],
                "resources": {name: {"restricted_actions": [action]} for name in names},
            }
        }
        found = document_of(dict(document["resources"]), fails="maybe", environment=environment)
        return {**found, "files": CHILDREN}


def _more(document: Document) -> dict[str, Any]:
    """What goes on with a document besides its resources."""
    return {key: document[key] for key in ("environment",) if key in document}


def without(document: Document, name: str) -> Document:
    """The template without a resource and all that needs it."""
    resources = dict(document["resources"])
    remove(resources, name)
    return document_of(resources, **_more(document))


def remove(resources: dict[str, Any], name: str) -> None:
    """Remove a resource and all that needs it."""
    resources.pop(name, None)
    text = f"'{name}'"
    for other in list(resources):
        if other in resources and text in repr(resources[other]):
            remove(resources, other)


def needed_by(definition: dict[str, Any], resources: dict[str, Any]) -> list[str]:
    text = repr(definition)
    return [other for other in resources if f"'{other}'" in text]


def wrapped(document: Document, levels: int) -> Document:
    """The same resources in a nested stack, that many levels below."""
    for _ in range(levels):
        inner = {key: document[key] for key in document if key not in ("files", "fails")}
        inner.pop("environment", None)
        files = {**CHILDREN, **document.get("files", {})}
        name = f"level{len(files)}.yaml"
        found = {
            **VERSION,
            "resources": {
                "inner": {"type": name},
                "near": {"type": "OS::Heat::TestResource", "depends_on": ["inner"]},
            },
            "files": {**files, name: json.dumps(inner)},
            "fails": document["fails"],
        }
        if "environment" in document:
            found["environment"] = document["environment"]
        document = found
    return document


def size(document: Document) -> int:
    """Resources of the template, and of those of its own that are nested in it."""
    count = len(document["resources"])
    for definition in document["resources"].values():
        name = definition["type"]
        if name.startswith("level"):
            files = document["files"]
            count += size({**json.loads(files[name]), "files": files})
    return count

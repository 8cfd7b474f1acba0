"""Holds the declared types to recorded schemas: `python -m tests.conformance.resource_types`.

Every type against facts/resource-types, field by field; what resource_type_show and
generate_template answer against facts/resource-type-show and facts/generate-template.json. A line a
group with its counts, then what differs. Exit codes as in tests.conformance.vectors.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from heat_core.properties import Attr, CacheMode, Kind, Prop, Properties, Rule, Support
from heat_core.resources import ResourceType, generate_template, registry, resource_schema
from heat_core.stack.naming import PHYSICAL_NAME_LIMIT

_ACTIONS = ("check", "suspend", "resume", "snapshot", "snapshot_delete")
"""actions whose support shows before a type has any behaviour"""

type Differences = Iterator[tuple[str, list[str]]]
"""(name, what differs), nothing for what is equal"""


@cache
def facts(folder: Path) -> dict[str, Any]:
    """All types of a facts folder by name."""
    return {
        name: form
        for path in sorted(folder.glob("*.json"))
        if path.name != "index.json"
        for name, form in json.loads(path.read_text()).items()
    }


def support_form(support: Support) -> dict[str, Any] | None:
    """facts/README: a SUPPORTED status without a version is left out, texts become a mark."""
    return None if support == Support() else full_support_form(support)


def full_support_form(support: Support) -> dict[str, Any]:
    form: dict[str, Any] = {"status": support.status.value}
    if support.version is not None:
        form["version"] = support.version
    if support.message is not None:
        form["has_message"] = True
    if support.previous is not None:
        form["previous"] = full_support_form(support.previous)
    if support.substitute is not None:
        form["substitute_class"] = registry.find(support.substitute).__name__
    return form


def without_type_names(form: Any) -> Any:
    """Whether our own texts name the same types is for a reader to judge."""
    if isinstance(form, dict):
        return {
            key: without_type_names(value)
            for key, value in form.items()
            if key != "message_names_types"
        }
    return [without_type_names(item) for item in form] if isinstance(form, list) else form


def attribute_form(attr: Attr) -> dict[str, Any]:
    form: dict[str, Any] = {"type": None if attr.kind is None else attr.kind.value}
    if attr.cache is CacheMode.NONE:
        form["cache_mode"] = "cache_none"
    if (support := support_form(attr.support)) is not None:
        form["support"] = support
    return form


def property_form(prop: Prop) -> dict[str, Any]:
    form: dict[str, Any] = {"type": prop.kind.value}
    if prop.default is not None:
        form["default"] = prop.default
    for flag in ("required", "update_allowed", "immutable"):
        if getattr(prop, flag):
            form[flag] = True
    if not prop.implemented:
        form["implemented"] = False
    if prop.constraints.items:
        form["constraints"] = [item.as_dict() for item in prop.constraints.items]
    children = prop.items()
    if children is not None:
        form["schema"] = {name: property_form(child) for name, child in children.items()}
    if (support := support_form(prop.support)) is not None:
        form["support"] = support
    return form


def without_texts(form: Any) -> Any:
    """Descriptions are our own words; a property of that name is none."""
    if isinstance(form, dict):
        return {
            key: without_texts(value)
            for key, value in form.items()
            if not (key == "description" and isinstance(value, str))
        }
    return [without_texts(item) for item in form] if isinstance(form, list) else form


def rule_form(rule: Rule) -> dict[str, Any]:
    form: dict[str, Any] = {"rule": rule.kind.shown, "path": list(rule.path)}
    if rule.value is not None:
        form["value"] = "from-property" if rule.value == ["x"] else rule.value
    if rule.value_name is not None:
        form["value_name"] = rule.value_name
    if rule.custom_value_path:
        form["custom_value_path"] = list(rule.custom_value_path)
    if rule.value_path is not None:
        form["value_path"] = list(rule.value_path)
    if rule.finder is not None:
        form |= {"client_plugin": rule.finder.client, "finder": rule.finder.finder}
        if rule.finder.entity is not None:
            form["entity"] = rule.finder.entity
    return form


def all_rules(resource_class: type[ResourceType]) -> list[dict[str, Any]]:
    """The rules that empty and filled properties ask for, each once, as the facts list them."""
    rules: list[dict[str, Any]] = []
    for data in ({}, filled(resource_class)):
        asked = resource_class.translation_rules(Properties(resource_class.properties, data))
        rules += [form for form in map(rule_form, asked) if form not in rules]
    return rules


def filled(resource_class: type[ResourceType]) -> dict[str, Any]:
    """Data with a text in every property that takes one, as the facts were collected."""
    return {
        name: "x" for name, prop in resource_class.properties.items() if prop.kind is Kind.STRING
    }


# --- facts/resource-types --------------------------------------------------------------------


def declared_form(resource_class: type[ResourceType]) -> dict[str, Any]:
    """All that a class declares, in the spelling of the facts, defaults filled in."""
    declared = resource_class
    return {
        "class": declared.__name__,
        "properties": without_texts(
            {key: property_form(prop) for key, prop in declared.properties.items()}
        ),
        "attributes": {key: attribute_form(attr) for key, attr in declared.attributes.items()},
        "update_policy": without_texts(
            {key: property_form(prop) for key, prop in declared.update_policy.items()}
        ),
        "support": full_support_form(declared.support),
        "translation_rules": all_rules(declared),
        "default_client_name": declared.client_name,
        "required_service_extension": declared.required_extension,
        "entity": declared.entity,
        "requires_deferred_auth": declared.needs_stored_credentials,
        "always_replace_on_check_failed": declared.always_replace_on_check_failed,
        "physical_resource_name_limit": declared.physical_name_limit,
        "nested_stack": declared.has_nested_stack,
        "signal": declared.takes_signals,
        "signal_needs_metadata_updates": declared.signal_updates_metadata,
        "no_signal_actions": [str(action) for action in declared.no_signal_actions],
        "handles": [action for action in _ACTIONS if declared.supports(action)],
    }


_DEFAULTS: Mapping[str, Any] = {
    "update_policy": {},
    "translation_rules": [],
    "default_client_name": None,
    "required_service_extension": None,
    "entity": None,
    "requires_deferred_auth": False,
    "always_replace_on_check_failed": True,
    "physical_resource_name_limit": PHYSICAL_NAME_LIMIT,
    "signal_needs_metadata_updates": True,
    "no_signal_actions": ["SUSPEND", "DELETE"],
}
"""what the facts leave out (facts/README, field notes)"""


_FIELDS = tuple(declared_form(ResourceType))


def recorded_form(fact: Mapping[str, Any]) -> dict[str, Any]:
    """What the facts say of a type, in the same form."""
    form = without_type_names(without_texts({**_DEFAULTS, **fact}))
    form["handles"] = [action for action in _ACTIONS if action in fact["handles"]]
    return {key: form[key] for key in _FIELDS}


def schemas(folder: Path) -> Differences:
    """Every type of the facts with what differs."""
    for name, fact in facts(folder / "resource-types").items():
        if not registry.is_known(name):
            yield name, ["not known"]
            continue
        declared, recorded = declared_form(registry.find(name)), recorded_form(fact)
        yield (
            name,
            [
                f"{key}: expected {recorded[key]!r}, got {declared[key]!r}"
                for key in recorded
                if recorded[key] != declared[key]
            ],
        )


# --- facts/resource-type-show ----------------------------------------------------------------


def shown_form(name: str) -> dict[str, Any]:
    """The answer of resource_type_show as the facts keep it: without texts."""
    shown = resource_schema(name)
    if shown["support_status"]["message"] is not None:
        shown["support_status"]["message"] = "<text>"
    form: dict[str, Any] = without_texts(shown)
    return form


def shown(folder: Path) -> Differences:
    """Every answer of resource_type_show in the facts."""
    for name, recorded in facts(folder / "resource-type-show").items():
        form = shown_form(name)
        yield name, [] if form == recorded else [f"expected {recorded!r}, got {form!r}"]


# --- facts/generate-template.json ------------------------------------------------------------


def without_descriptions(form: Any) -> Any:
    """A generated template without the texts that are our own."""
    if isinstance(form, dict):
        return {
            key: without_descriptions(value)
            for key, value in form.items()
            if not (
                key in ("description", "Description")
                and isinstance(value, str | None)
                and not str(value).startswith("Initial")
            )
        }
    return [without_descriptions(item) for item in form] if isinstance(form, list) else form


def generated_form(name: str, kind: str) -> Any:
    """The template, or the error, as the facts keep them."""
    try:
        return without_descriptions(generate_template(name, kind))
    except KeyError as error:
        return {"error": type(error).__name__, "args": list(error.args)}


def generated(folder: Path) -> Differences:
    """Every template in the facts, of both kinds."""
    samples = json.loads((folder / "generate-template.json").read_text())["samples"]
    for name, kinds in samples.items():
        for kind, recorded in kinds.items():
            form = generated_form(name, kind)
            yield (
                f"{name} {kind}",
                [] if form == recorded else [f"expected {recorded!r}, got {form!r}"],
            )


GROUPS: Mapping[str, Callable[[Path], Differences]] = {
    "schemas": schemas,
    "resource_type_show": shown,
    "generate_template": generated,
}


def main() -> int:
    """Compare and print; the exit code."""
    folder = Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")) / "facts"
    if not folder.is_dir():
        print(f"no facts at {folder}", file=sys.stderr)
        return 2
    code = 0
    for group, compare in GROUPS.items():
        found = list(compare(folder))
        failed = [(name, differences) for name, differences in found if differences]
        print(f"{group}: {len(found) - len(failed)} of {len(found)} equal")
        for name, differences in failed:
            print(f"  {name}")
            for difference in differences:
                print(f"    {difference}")
        code = 1 if failed or not found else code
    return code


if __name__ == "__main__":
    sys.exit(main())

"""Every option of Heat's is one of ours, equal in every field (facts/config.json)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from oslo_config import cfg

from heat_app.config.inventory import OUR_SECTIONS, Entry, inventory

DIFFERENT_DEFAULTS = {
    ("DEFAULT", "control_exchange"): "heat",  # Heat's processes set it before they read files
    ("oslo_messaging_rabbit", "processname"): "heat-trio",  # the recording program's name there
}
OF_A_PLUGIN = "keystone_authtoken"
"""has the options of its auth_type too, which are those of [trustee]"""


@pytest.fixture(scope="module")
def recorded(shared: Path) -> dict[tuple[str, str], dict[str, Any]]:
    sections = json.loads((shared / "facts" / "config.json").read_text())["sections"]
    return {
        (section, name): about
        for section, options in sections.items()
        for name, about in options.items()
    }


@pytest.fixture(scope="module")
def ours() -> dict[tuple[str, str], Entry]:
    return {(entry.section, entry.option.name): entry for entry in inventory()}


def test_no_option_is_declared_twice() -> None:
    counted = Counter((entry.section, entry.option.dest) for entry in inventory())
    assert [name for name, times in counted.items() if times > 1] == []


def test_every_option_of_heats_is_there(
    recorded: dict[tuple[str, str], dict[str, Any]], ours: dict[tuple[str, str], Entry]
) -> None:
    assert len(recorded) == 462
    assert recorded.keys() - ours.keys() == set()


def test_what_heat_does_not_have_is_ours_or_a_plugins(
    recorded: dict[tuple[str, str], dict[str, Any]], ours: dict[tuple[str, str], Entry]
) -> None:
    more = {name for name in ours.keys() - recorded.keys() if name[0] not in OUR_SECTIONS}
    trustee = {name for section, name in recorded if section == "trustee"}
    assert {section for section, _ in more} == {OF_A_PLUGIN}
    assert {name for _, name in more} <= trustee
    for _, name in more:
        assert _about(ours[OF_A_PLUGIN, name], "-") == _about(ours["trustee", name], "-")


def test_each_is_equal_in_every_field(
    recorded: dict[tuple[str, str], dict[str, Any]], ours: dict[tuple[str, str], Entry]
) -> None:
    compared = Counter[str]()
    for key, about in recorded.items():
        section, _ = key
        expected = {
            name: value for name, value in about.items() if name not in NOT_COMPARED and value
        }
        if key in DIFFERENT_DEFAULTS:
            expected["default"] = DIFFERENT_DEFAULTS[key]
        if about.get("default") == "<hostname>":
            expected["default"] = ours[key].option.default
        got = _about(ours[key], section)
        assert got == expected, key
        compared.update(expected.keys())
    assert compared["type"] == 462


NOT_COMPARED = {"namespace", "deprecated_since"}


def _about(entry: Entry, section: str) -> dict[str, Any]:
    """What the facts say of an option, from the option itself; false and empty values left out."""
    option = entry.option
    kind: Any = option.type
    about: dict[str, Any] = {
        "type": getattr(kind, "__name__", type(kind).__name__),
        "opt_class": type(option).__name__,
        "default": option.default,
        "secret": option.secret,
        "mutable": option.mutable,
        "advanced": option.advanced,
        "required": option.required,
        "deprecated_for_removal": option.deprecated_for_removal,
        "multi": option.multi,
        "sample_default": option.sample_default,
        "deprecated_names": [
            f"{section if one.group in (entry.section, None) else one.group}/{one.name}"
            for one in option.deprecated_opts
        ],
        **_bounds(kind),
    }
    if isinstance(option, cfg.MultiOpt):
        about["type"] = "MultiString"
        about["opt_class"] = "MultiStrOpt"
    item = getattr(kind, "item_type", None) or getattr(kind, "value_type", None)
    if item is not None:
        about["item"] = {"type": type(item).__name__, **_bounds(item)}
    return {name: value for name, value in about.items() if value}


def _bounds(kind: Any) -> dict[str, Any]:
    regex = getattr(kind, "regex", None)
    bounds = {
        "min": getattr(kind, "min", None),
        "max": getattr(kind, "max", None),
        "choices": list(getattr(kind, "choices", None) or ()),
        "ignore_case": getattr(kind, "ignore_case", False),
        "regex": None if regex is None else getattr(regex, "pattern", regex),
        "schemes": getattr(kind, "schemes", None),
    }
    return {name: value for name, value in bounds.items() if value}

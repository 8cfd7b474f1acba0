"""Previews of updates of stacks with stacks in them, over the real drivers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from trio.testing import MockClock

TOP = {
    "heat_template_version": "2018-08-31",
    "resources": {"middle": {"type": "middle.yaml", "properties": {"word": "hello"}}},
}
MIDDLE = """
heat_template_version: 2018-08-31
parameters: {word: {type: string}}
resources:
  bottom: {type: bottom.yaml, properties: {word: {get_param: word}}}
"""
BOTTOM = """
heat_template_version: 2018-08-31
parameters: {word: {type: string}}
resources:
  same: {type: 'OS::Heat::RandomString'}
  said: {type: 'OS::Heat::Value', properties: {value: {get_param: word}}}
"""
MORE = BOTTOM + "  more: {type: 'OS::Heat::RandomString'}\n"
FILES = {"middle.yaml": MIDDLE, "bottom.yaml": BOTTOM}
NOTHING = {
    "heat_template_version": "2018-08-31",
    "resources": {"middle": {"type": "OS::Heat::None"}},
}


@pytest.fixture
async def identity(client: Any) -> dict[str, str]:
    made: dict[str, str] = await client.call(
        "create_stack", stack_name="st1", template=TOP, params={}, files=FILES, args={}
    )
    await client.wait(made, "CREATE_COMPLETE")
    return made


async def preview(
    client: Any, identity: Mapping[str, str], template: Any, files: Any, **args: Any
) -> dict[str, Any]:
    found: dict[str, Any] = await client.call(
        "preview_update_stack",
        stack_identity=identity,
        template=template,
        params={},
        files=files,
        args=args,
    )
    return found


def kinds(changes: Mapping[str, Any]) -> dict[tuple[str | None, str], str]:
    return {
        (one.get("parent_resource"), one["resource_name"]): kind
        for kind, found in changes.items()
        for one in found
    }


async def test_nested_stacks_only_count_when_they_are_asked_for(
    client: Any, autojump_clock: MockClock, identity: dict[str, str]
) -> None:
    assert kinds(await preview(client, identity, TOP, FILES)) == {(None, "middle"): "updated"}


async def test_an_unchanged_tree(
    client: Any, autojump_clock: MockClock, identity: dict[str, str]
) -> None:
    found = await preview(client, identity, TOP, FILES, show_nested=True)
    assert kinds(found) == {
        (None, "middle"): "updated",
        ("middle", "bottom"): "updated",
        ("bottom", "same"): "unchanged",
        ("bottom", "said"): "unchanged",
    }


async def test_changes_deep_in_the_tree(
    client: Any, autojump_clock: MockClock, identity: dict[str, str]
) -> None:
    template = {
        **TOP,
        "resources": {"middle": {"type": "middle.yaml", "properties": {"word": "bye"}}},
    }
    files = {"middle.yaml": MIDDLE, "bottom.yaml": MORE}
    found = await preview(client, identity, template, files, show_nested=True, show_changes=True)
    assert kinds(found) == {
        (None, "middle"): "updated",
        ("middle", "bottom"): "updated",
        ("bottom", "same"): "unchanged",
        ("bottom", "said"): "updated",
        ("bottom", "more"): "added",
    }
    (said,) = [one for one in found["updated"] if one["resource_name"] == "said"]
    assert said["attributes"] == {"value": "hello"}
    assert said["changes"]["properties"] == [
        {"name": "value", "before": "hello", "after": "bye", "known": True}
    ]


async def test_a_tree_that_goes(
    client: Any, autojump_clock: MockClock, identity: dict[str, str]
) -> None:
    found = await preview(client, identity, NOTHING, {}, show_nested=True)
    assert kinds(found) == {
        (None, "middle"): "replaced",
        ("middle", "bottom"): "deleted",
        ("bottom", "same"): "deleted",
        ("bottom", "said"): "deleted",
    }
    (said,) = [one for one in found["deleted"] if one["resource_name"] == "said"]
    assert said["attributes"] == {"value": "hello"}


async def test_a_tree_that_comes(client: Any, autojump_clock: MockClock) -> None:
    identity = await client.call(
        "create_stack", stack_name="st1", template=NOTHING, params={}, files={}, args={}
    )
    await client.wait(identity, "CREATE_COMPLETE")
    found = await preview(client, identity, TOP, FILES, show_nested=True)
    assert kinds(found) == {
        (None, "middle"): "replaced",
        ("middle", "bottom"): "added",
        ("bottom", "same"): "added",
        ("bottom", "said"): "added",
    }
    (said,) = [one for one in found["added"] if one["resource_name"] == "said"]
    assert said["stack_name"] == "st1-middle-bottom"
    assert said["attributes"] == {"value": "hello"}

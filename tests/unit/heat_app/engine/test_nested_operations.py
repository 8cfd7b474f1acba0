"""Operations of stacks with nested stacks, over the real drivers in virtual time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from heat_core import errors

VERSION = {"heat_template_version": "2018-08-31"}
NOTHING: Mapping[str, Any] = {"params": {}, "environment_files": None}


def waiting(seconds: int, **properties: Any) -> dict[str, Any]:
    return {
        "type": "OS::Heat::TestResource",
        "properties": {"wait_secs": seconds, **properties},
    }


def inner(text: str) -> str:
    return f"heat_template_version: 2018-08-31\n{text}"


SLOW = inner(
    "resources:\n"
    "  a:\n"
    "    type: OS::Heat::TestResource\n"
    "    properties: {action_wait_secs: {create: 1000}}\n"
)


class Tree:
    """One stack "st" and those below it."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.identity: dict[str, str] = {}

    async def create(
        self, resources: Mapping[str, Any], files: Any = None, **args: Any
    ) -> dict[str, str]:
        self.identity = await self._client.call(
            "create_stack",
            stack_name="st",
            template={**VERSION, "resources": resources},
            params={},
            files=files or {},
            args=args,
        )
        return self.identity

    async def update(self, resources: Mapping[str, Any], files: Any = None, **args: Any) -> None:
        await self._client.call(
            "update_stack",
            stack_identity=self.identity,
            template={**VERSION, "resources": resources},
            params={},
            files=files or {},
            args=args,
        )

    async def ask(self, method: str, **arguments: Any) -> Any:
        return await self._client.call(method, stack_identity=self.identity, **arguments)

    async def ends(self, state: str) -> dict[str, Any]:
        shown: dict[str, Any] = await self._client.wait(self.identity, state)
        return shown

    async def resource(self, name: str) -> dict[str, Any]:
        shown: dict[str, Any] = await self.ask(
            "describe_stack_resource", resource_name=name, with_attr=[]
        )
        return shown

    async def child(self, name: str) -> dict[str, str]:
        """The identity of a resource's nested stack."""
        identity: dict[str, str] = (await self.resource(name))["nested_stack_id"]
        return identity

    async def members(self, name: str) -> dict[str, str]:
        """States of the resources in a nested stack, by name."""
        found = await self._client.call(
            "list_stack_resources", stack_identity=await self.child(name)
        )
        return {
            one["resource_name"]: f"{one['resource_action']}_{one['resource_status']}"
            for one in found
        }

    async def state_of(self, identity: Mapping[str, str]) -> tuple[str, str]:
        (stack,) = await self._client.call("show_stack", stack_identity=identity)
        return f"{stack['stack_action']}_{stack['stack_status']}", stack["stack_status_reason"]

    async def states(self, identity: Mapping[str, str]) -> list[str]:
        """What a stack went through, oldest first."""
        events = await self._client.call("list_events", stack_identity=identity)
        return [
            f"{one['resource_action']}_{one['resource_status']}"
            for one in reversed(events)
            if one["resource_name"] == identity["stack_name"]
        ]


@pytest.fixture
def tree(client: Any) -> Tree:
    return Tree(client)


def group(count: int, value: str = "v", policy: Any = None, **properties: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {
            "count": count,
            "resource_def": {"type": "OS::Heat::TestResource", "properties": {"value": value}},
            **properties,
        },
    }
    if policy is not None:
        made["update_policy"] = policy
    return made


# --- groups --------------------------------------------------------------------------------------


async def test_a_group_in_batches(tree: Tree, autojump_clock: MockClock) -> None:
    policy = {
        "batch_create": {"max_batch_size": 2, "pause_time": 60},
        "rolling_update": {"max_batch_size": 1, "min_in_service": 1, "pause_time": 30},
    }
    began = trio.current_time()
    await tree.create({"g": group(3, policy=policy)})
    await tree.ends("CREATE_COMPLETE")
    assert 60 <= trio.current_time() - began < 120
    child = await tree.child("g")
    assert await tree.states(child) == [
        "CREATE_IN_PROGRESS",
        "CREATE_COMPLETE",
        "UPDATE_IN_PROGRESS",
        "UPDATE_COMPLETE",
        "UPDATE_IN_PROGRESS",
        "UPDATE_COMPLETE",
    ]
    began = trio.current_time()
    await tree.update({"g": group(3, "w", policy=policy)})
    await tree.ends("UPDATE_COMPLETE")
    assert 60 <= trio.current_time() - began < 120
    assert (await tree.states(child)).count("UPDATE_COMPLETE") == 5
    assert set(await tree.members("g")) == {"0", "1", "2"}
    shown = await tree.ask(
        "describe_stack_resource", resource_name="g", with_attr=["output", "refs_map"]
    )
    assert shown["attributes"]["output"] == ["w"] * 3


async def test_members_are_removed_by_name_and_by_reference_for_good(
    tree: Tree, autojump_clock: MockClock
) -> None:
    await tree.create({"g": group(3)})
    await tree.ends("CREATE_COMPLETE")
    shown = await tree.resource("g")
    second = shown["attributes"]["refs"][1]
    policies = [{"resource_list": ["0", second]}]
    await tree.update({"g": group(3, removal_policies=policies)})
    await tree.ends("UPDATE_COMPLETE")
    assert set(await tree.members("g")) == {"2", "3", "4"}
    await tree.update({"g": group(4)})
    await tree.ends("UPDATE_COMPLETE")
    assert set(await tree.members("g")) == {"2", "3", "4", "5"}
    attributes = (await tree.resource("g"))["attributes"]
    assert attributes["removed_rsrc_list"] == ["0", "1"]
    assert set(attributes["refs_map"]) == {"2", "3", "4", "5"}
    await tree.update({"g": group(2, removal_policies_mode="update")})
    await tree.ends("UPDATE_COMPLETE")
    assert set(await tree.members("g")) == {"0", "1"}


async def test_a_batch_that_fails(tree: Tree, autojump_clock: MockClock) -> None:
    policy = {"batch_create": {"max_batch_size": 1}}
    member = {"type": "OS::Heat::TestResource", "properties": {"fail": True}}
    await tree.create({"g": group(3, resource_def=member, policy=policy)})
    with pytest.raises(AssertionError) as told:
        await tree.ends("CREATE_COMPLETE")
    assert str(told.value).startswith(
        "Resource CREATE failed: resources.g: Resource CREATE failed: "
        "ValueError: resources[0]: Test Resource failed 0"
    )
    assert set(await tree.members("g")) == {"0"}


async def test_a_scaling_group(tree: Tree, autojump_clock: MockClock) -> None:
    def scaling(value: str, **properties: Any) -> dict[str, Any]:
        return {
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {
                "min_size": 1,
                "max_size": 3,
                "resource": {"type": "OS::Heat::TestResource", "properties": {"value": value}},
                "rolling_updates": {"max_batch_size": 1, "pause_time": 10},
                **properties,
            },
        }

    await tree.create({"g": scaling("v", desired_capacity=2)})
    await tree.ends("CREATE_COMPLETE")
    first = set(await tree.members("g"))
    assert len(first) == 2
    await tree.update({"g": scaling("w", desired_capacity=3)})
    await tree.ends("UPDATE_COMPLETE")
    members = set(await tree.members("g"))
    assert first < members
    assert len(members) == 3
    shown = await tree.ask(
        "describe_stack_resource", resource_name="g", with_attr=["current_size", "refs"]
    )
    assert shown["attributes"]["current_size"] == 3
    await tree.update({"g": scaling("w", desired_capacity=1)})
    await tree.ends("UPDATE_COMPLETE")
    assert len(set(await tree.members("g")) & members) == 1
    await tree.ask("delete_stack")
    await tree.ends("DELETE_COMPLETE")


# --- down the tree -------------------------------------------------------------------------------


async def test_a_cancel_stops_what_runs_below(tree: Tree, autojump_clock: MockClock) -> None:
    await tree.create({"n": {"type": "slow.yaml"}}, {"slow.yaml": SLOW})
    await trio.sleep(5)
    child = await tree.child("n")
    await tree.ask("stack_cancel_update", cancel_with_rollback=False)
    assert await tree.state_of(tree.identity) == ("CREATE_FAILED", "Stack CREATE cancelled")
    assert await tree.state_of(child) == ("CREATE_FAILED", "Stack CREATE cancelled")
    await trio.sleep(5)
    shown = await tree.resource("n")
    assert shown["resource_status_reason"] == "resources.n: Stack CREATE cancelled"


async def test_a_delete_does_not_wait_for_what_is_being_made_below(
    tree: Tree, autojump_clock: MockClock
) -> None:
    await tree.create({"n": {"type": "slow.yaml"}}, {"slow.yaml": SLOW})
    await trio.sleep(5)
    child = await tree.child("n")
    began = trio.current_time()
    await tree.ask("delete_stack")
    await tree.ends("DELETE_COMPLETE")
    assert trio.current_time() - began < 30
    assert (await tree.state_of(child))[0] == "DELETE_COMPLETE"


async def test_a_newer_update_does_not_wait_for_the_older_one_below(
    tree: Tree, autojump_clock: MockClock
) -> None:
    long = inner(
        "resources:\n"
        "  a: {type: OS::Heat::TestResource, properties: {value: w, wait_secs: 20}}\n"
        "  b: {type: OS::Heat::TestResource, properties: {wait_secs: 1000}, depends_on: a}\n"
    )
    short = inner("resources: {a: {type: OS::Heat::TestResource}}\n")
    await tree.create({"n": {"type": "x.yaml"}}, {"x.yaml": short})
    await tree.ends("CREATE_COMPLETE")
    child = await tree.child("n")
    await tree.update({"n": {"type": "x.yaml"}}, {"x.yaml": long})
    await trio.sleep(10)
    began = trio.current_time()
    await tree.update({"n": {"type": "x.yaml"}}, {"x.yaml": short})
    await tree.ends("UPDATE_COMPLETE")
    assert trio.current_time() - began < 60
    assert await tree.child("n") == child
    assert set(await tree.members("n")) == {"a"}


async def test_a_timeout_stops_what_runs_below(tree: Tree, autojump_clock: MockClock) -> None:
    await tree.create({"n": {"type": "slow.yaml"}}, {"slow.yaml": SLOW}, timeout_mins=1)
    with pytest.raises(AssertionError, match="Timed out"):
        await tree.ends("CREATE_COMPLETE")
    child = await tree.child("n")
    await trio.sleep(5)
    state, _ = await tree.state_of(child)
    assert state == "CREATE_FAILED"


async def test_a_check_goes_down(tree: Tree, autojump_clock: MockClock) -> None:
    files = {"x.yaml": inner("resources: {a: {type: OS::Heat::TestResource}}")}
    await tree.create({"n": {"type": "x.yaml"}, "g": group(2)}, files)
    await tree.ends("CREATE_COMPLETE")
    await tree.ask("stack_check")
    await tree.ends("CHECK_COMPLETE")
    assert (await tree.state_of(await tree.child("n")))[0] == "CHECK_COMPLETE"
    assert set((await tree.members("n")).values()) == {"CHECK_COMPLETE"}
    assert set((await tree.members("g")).values()) == {"CHECK_COMPLETE"}


async def test_a_rollback_brings_what_is_below_back(tree: Tree, autojump_clock: MockClock) -> None:
    def nested(value: str) -> dict[str, Any]:
        return {"type": "x.yaml", "properties": {"word": value}}

    files = {
        "x.yaml": inner(
            "parameters: {word: {type: string}}\n"
            "resources:\n"
            "  a: {type: OS::Heat::TestResource, properties: {value: {get_param: word}}}\n"
            "outputs: {said: {value: {get_attr: [a, output]}}}\n"
        )
    }
    await tree.create({"n": nested("v")}, files)
    await tree.ends("CREATE_COMPLETE")
    bad = {**waiting(0, fail=True), "depends_on": "n"}
    await tree.update({"n": nested("w"), "bad": bad}, files, disable_rollback=False)
    await tree.ends("ROLLBACK_COMPLETE")
    shown = await tree.resource("n")
    assert shown["attributes"]["said"] == "v"
    assert (await tree.states(await tree.child("n")))[-1] == "UPDATE_COMPLETE"


async def test_failures_are_told_from_the_bottom(tree: Tree, autojump_clock: MockClock) -> None:
    files = {
        "x.yaml": inner("resources: {b: {type: y.yaml}}"),
        "y.yaml": inner("resources: {a: {type: OS::Heat::TestResource, properties: {fail: true}}}"),
    }
    await tree.create({"c": {"type": "x.yaml"}}, files)
    with pytest.raises(AssertionError) as told:
        await tree.ends("CREATE_COMPLETE")
    assert str(told.value).splitlines()[0] == (
        "Resource CREATE failed: ValueError: resources.c.resources.b.resources.a: "
        "Test Resource failed a"
    )


async def test_trees_have_limits(tree: Tree, autojump_clock: MockClock) -> None:
    files = {
        f"l{depth}.yaml": inner(f"resources: {{n: {{type: l{depth + 1}.yaml}}}}")
        for depth in range(7)
    }
    files["l7.yaml"] = inner("resources: {}")
    with pytest.raises(errors.StackValidationFailed, match=r"Recursion depth exceeds 5\."):
        await tree.create({"n": {"type": "l0.yaml"}}, files)
    await tree.create({"n": {"type": "l3.yaml"}}, files)
    await tree.ends("CREATE_COMPLETE")


async def test_a_failed_nested_stack_is_updated_again(
    tree: Tree, autojump_clock: MockClock
) -> None:
    def content(fail: bool) -> dict[str, str]:
        return {
            "x.yaml": inner(
                "resources:\n  a: {type: OS::Heat::TestResource}\n"
                f"  b: {{type: OS::Heat::TestResource, properties: {{fail: {fail}}}}}\n"
            )
        }

    await tree.create({"n": {"type": "x.yaml"}}, content(True))
    with pytest.raises(AssertionError, match=r"resources\.n\.resources\.b"):
        await tree.ends("CREATE_COMPLETE")
    child = await tree.child("n")
    await tree.update({"n": {"type": "x.yaml"}}, content(False))
    await tree.ends("UPDATE_COMPLETE")
    assert await tree.child("n") == child
    assert set((await tree.members("n")).values()) == {"CREATE_COMPLETE"}

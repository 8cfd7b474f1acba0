"""Runs resolve_group.jsonl: the nested stacks of groups, chains and template resources."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from heat_core.errors import InvalidTemplateAttribute, NotFound, TemplateOutputError
from heat_core.properties import select_from_attribute
from heat_core.resources import ResourceView
from heat_core.resources.heat.auto_scaling_group import AutoScalingResourceGroup
from heat_core.resources.heat.resource_group import ResourceGroup
from heat_core.resources.nested import (
    Batch,
    Member,
    Members,
    StackType,
    Surroundings,
    child_definition,
    new_capacity,
    resource_group_batches,
    resource_of,
    scaling_group_batches,
    surroundings_of,
)
from heat_core.resources.nested.removal import STORED_KEY, stored_names
from heat_core.stack import StackDefinition
from tests.conformance.vectors_codec import attempt, fault
from tests.conformance.vectors_surroundings import PROJECT, template_of

_NAME = "grp-stack"
_GROUP = "g"


def _definition(given: Mapping[str, Any]) -> StackDefinition:
    return StackDefinition.build(template_of(given), stack_name=_NAME, project_id=PROJECT)


def _members(given: Mapping[str, Any]) -> Members:
    """The members that the nested stack reports, in the order of their age."""
    return Members.of(
        (
            Member(
                name,
                state.get("status", "COMPLETE"),
                created_at=age,
                reference_id=state.get("reference_id"),
                physical_id=state.get("reference_id"),
            )
            for age, (name, state) in enumerate((given.get("members") or {}).items())
        ),
        given.get("current_nested_template"),
    )


def _resource(at: Surroundings, given: Mapping[str, Any], *, exists: bool) -> Any:
    """The group; it exists when the vector knows members of it."""
    stored = given.get("stored_removed_names")
    return resource_of(
        at,
        ResourceView(
            name=at.name,
            stack_name=_NAME,
            project_id=PROJECT,
            physical_id="nested" if exists else None,
            data={} if stored is None else {STORED_KEY: stored},
        ),
    )


def _group(given: Mapping[str, Any]) -> tuple[Any, Surroundings]:
    at = surroundings_of(_definition(given), _GROUP, members=_members(given))
    return _resource(at, given, exists="members" in given), at


# --- templates -----------------------------------------------------------------------------------


def run_resource_group(given: Mapping[str, Any]) -> dict[str, Any]:
    def make() -> dict[str, Any]:
        group, at = _group(given)
        removed = group.removed(at)
        names = group.names(at)
        kept = removed.to_store
        return {
            "names": names,
            "nested_parameters": group.child_parameters(at),
            "nested_template": group.document(
                at, names, keep_nulls=given.get("keep_null_properties", False)
            ),
            "removed_rsrc_list": sorted(
                stored_names(group.view.data) if kept is None else kept.split(",")
            ),
            "stored_removed_names": kept,
        }

    return attempt(make)


def run_resource_group_rolling(given: Mapping[str, Any]) -> dict[str, Any]:
    def make() -> Any:
        group, at = _group(given)
        return group.batch_template(at, Batch(given["total_capacity"], given["max_updates"]))

    return attempt(make)


def run_scaling_group(given: Mapping[str, Any]) -> dict[str, Any]:
    def make() -> Any:
        group, at = _group(given)
        if "size" in given:
            return group.resized(at, given["size"], updates=given["replace"])
        return group.child_template(at)

    return attempt(make)


def run_resource_chain(given: Mapping[str, Any]) -> dict[str, Any]:
    def make() -> Any:
        at = surroundings_of(_definition(given), _GROUP, active_engines=given["active_engines"])
        return resource_of(at).child_template(at)

    return attempt(make)


# --- arithmetic ----------------------------------------------------------------------------------


def run_batches(given: Mapping[str, Any]) -> dict[str, Any]:
    def steps(batches: Callable[..., Any]) -> dict[str, Any]:
        return attempt(
            lambda: [
                [one.capacity, one.updates]
                for one in batches(
                    given["target_capacity"],
                    given["current_capacity"],
                    given["batch_size"],
                    given["min_in_service"],
                )
            ]
        )

    return {
        "value": {
            "resource_group": steps(resource_group_batches),
            "scaling_group": steps(scaling_group_batches),
        }
    }


def run_capacity(given: Mapping[str, Any]) -> dict[str, Any]:
    return attempt(
        lambda: new_capacity(
            given["current"],
            given["adjustment"],
            given["adjustment_type"],
            minimum=given["minimum"],
            maximum=given["maximum"],
            min_step=given["min_adjustment_step"],
        )
    )


# --- attributes ----------------------------------------------------------------------------------


class _Nested:
    """A nested stack whose outputs are those that the group asks for."""

    def __init__(
        self, outputs: Mapping[str, Any], members: Members, states: Mapping[str, Any]
    ) -> None:
        self._outputs = outputs
        self._members = members
        self._states = states

    async def members(self) -> Members:
        return self._members

    async def output(self, name: str) -> Any:
        if name not in self._outputs:
            raise NotFound(f"Specified output key {name} not found.")
        try:
            return await self._value(self._outputs[name])
        except InvalidTemplateAttribute as error:
            raise TemplateOutputError(resource=_GROUP, attribute=name, message=str(error)) from None

    async def _value(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return [await self._value(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        if "get_resource" in tree:
            return await self.member_reference(tree["get_resource"])
        if "get_attr" in tree:
            name, *path = tree["get_attr"]
            return await self.member_attribute(name, tuple(path))
        return {key: await self._value(item) for key, item in tree.items()}

    async def member_reference(self, name: str) -> Any:
        return self._states[name].get("reference_id")

    async def member_attribute(self, name: str, path: tuple[Any, ...]) -> Any:
        attributes = self._states[name].get("attributes", {})
        if path[0] not in attributes:
            raise InvalidTemplateAttribute(resource=name, key=path[0])
        return select_from_attribute(attributes[path[0]], path[1:])


def run_attribute(given: Mapping[str, Any]) -> dict[str, Any]:
    key, *path = given["attribute"]
    members = _members(given)
    at = surroundings_of(
        _definition(given), _GROUP, members=members, attributes_read=[(key, *path)]
    )
    group = _resource(at, given, exists=given["created"])
    outputs = _outputs(group, at, members)
    nested = _Nested(outputs, members, given["members"]) if given["created"] else None
    return {
        "value": {
            "nested_outputs": outputs,
            "result": attempt(lambda: _run(group.read_attribute(nested, at, key, *path))),
        }
    }


def _outputs(group: StackType, at: Surroundings, members: Members) -> dict[str, Any]:
    if isinstance(group, ResourceGroup):
        return dict(group.outputs(at, group.names(at)[: members.size(failed=True)]))
    if isinstance(group, AutoScalingResourceGroup):
        return dict(group.outputs(at, members.names(failed=True)))
    document = group.child_template(at)
    return {name: output["value"] for name, output in document.get("outputs", {}).items()}


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    work.close()
    raise AssertionError("the nested stack of a vector has nothing to wait for")


# --- template resources --------------------------------------------------------------------------


def run_template_resource(given: Mapping[str, Any]) -> dict[str, Any]:
    definition = _definition(given)

    def validate() -> None:
        definition.validate(strict=True, deep=False)

    resource_class = definition.resource_class("n")
    at = surroundings_of(definition, "n")
    resource = resource_of(at)

    def parameters() -> Any:
        child = child_definition(resource, at, resource.child_template(at))
        return {one.name: one.value() for one in child.parameters.of_template()}

    return {
        "value": {
            "attributes": sorted(definition.attribute_names("n")),
            "child_params": attempt(lambda: resource.child_parameters(at)),
            "nested_parameters": attempt(parameters),
            "properties_schema": {
                name: prop.as_dict() for name, prop in resource_class.properties.items()
            },
            "validate_template": fault(validate),
        }
    }


RUNNERS = {
    "rolling_batches": run_batches,
    "scaling_capacity": run_capacity,
    "resource_group_template": run_resource_group,
    "resource_group_rolling_template": run_resource_group_rolling,
    "scaling_group_template": run_scaling_group,
    "resource_chain_template": run_resource_chain,
    "group_attribute": run_attribute,
    "template_resource": run_template_resource,
}

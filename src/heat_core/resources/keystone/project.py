"""OS::Keystone::Project: a project of the identity service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.procedure import Datum, HttpCall, ProcedureIO, ServiceError
from heat_core.properties import Attr, Custom, Kind, Prop, Properties, Rule, Support
from heat_core.properties import rules as rule
from heat_core.resources.contract import Change, ResourceType
from heat_core.resources.keystone.finders import SERVICE

_INTENT = "creating"
"""key of the row that says: no such project was there, and we are about to make it"""

_DEFAULT_GROUP = "default"


def _attribute(description: str, kind: Kind) -> Attr:
    return Attr(description=description, kind=kind, support=Support(version="10.0.0"))


class KeystoneProject(ResourceType):
    """A project: what owns everything else in a cloud."""

    name = "OS::Keystone::Project"
    support = Support(version="2015.1", message="Works with version 3 of the identity API.")
    service = SERVICE
    client_name = "keystone"
    entity = "projects"
    can_find = True

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the project; made up when absent.", update_allowed=True),
        "domain": Prop.string(
            "Name or id of the domain that the project belongs to.",
            default="default",
            update_allowed=True,
            constraints=[Custom("keystone.domain")],
        ),
        "description": Prop.string("What the project is for.", default="", update_allowed=True),
        "enabled": Prop.boolean(
            "Whether the project can be used.", default=True, update_allowed=True
        ),
        "parent": Prop.string(
            "Name or id of the project above this one.",
            support=Support(version="6.0.0"),
            constraints=[Custom("keystone.project")],
        ),
        "tags": Prop.list(
            "Tags of the project.",
            support=Support(version="10.0.0"),
            default=[],
            update_allowed=True,
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": _attribute("Name of the project.", Kind.STRING),
        "parent_id": _attribute("Id of the project above this one.", Kind.STRING),
        "domain_id": _attribute("Id of the project's domain.", Kind.STRING),
        "enabled": _attribute("Whether the project can be used.", Kind.BOOLEAN),
        "is_domain": _attribute("Whether the project acts as a domain too.", Kind.BOOLEAN),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["domain"], "keystone", "get_domain_id"),
            rule.resolve(["parent"], "keystone", "get_project_id"),
        )

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        wanted = create_request(props, self.view.physical_name)
        named_by_user = bool(props["name"])
        if named_by_user and await _find_named(io, wanted) is None:
            # A name of the user's own may be a stranger's by the time we look for what we made:
            # only a project that was not there when we began can be ours.
            await io.store(Datum(_INTENT, "True"))
        answer = await io.post(SERVICE, "/v3/projects", {"project": wanted})
        done = [Datum(_INTENT, None)] if named_by_user else []
        await io.created(answer["project"]["id"], done)

    async def finish_create(self, io: ProcedureIO) -> None:
        if _INTENT in self.view.data:
            # Left over when the project was found after a crash.
            await io.store(Datum(_INTENT, None))

    async def find(self, io: ProcedureIO, props: Mapping[str, Any]) -> str | None:
        if props["name"] and _INTENT not in self.view.data:
            return None
        wanted = create_request(props, self.view.physical_name)
        found = await _find_named(io, wanted)
        return found["id"] if found is not None and is_as_wanted(found, wanted) else None

    async def start_update(self, io: ProcedureIO, change: Change) -> None:
        if change.changed:
            body = {"project": update_request(change, self.view.physical_name)}
            await io.patch(SERVICE, f"/v3/projects/{self.view.physical_id}", body)

    async def start_delete(self, io: ProcedureIO) -> None:
        if self.view.physical_id is None:
            return
        await _delete_default_groups(io, self.view.physical_id)
        await io.delete(SERVICE, f"/v3/projects/{self.view.physical_id}")

    async def attribute(self, io: ProcedureIO, name: str) -> Any:
        if self.view.physical_id is None:
            return None
        return (await self.show(io)).get(name)

    async def show(self, io: ProcedureIO) -> Mapping[str, Any]:
        body = await io.get(SERVICE, f"/v3/projects/{self.view.physical_id}")
        project: Mapping[str, Any] = body["project"]
        return project


def create_request(props: Mapping[str, Any], physical_name: str) -> dict[str, Any]:
    """The project to ask for; absent values are left to the service."""
    return _given(
        name=props["name"] or physical_name,
        domain_id=props["domain"],
        description=props["description"],
        enabled=props["enabled"],
        parent_id=props["parent"] or None,
        tags=props["tags"],
    )


def update_request(change: Change, physical_name: str) -> dict[str, Any]:
    """What to send of a change: the domain and the tags always, the rest where it differs."""
    new = change.difference
    return _given(
        name=(new["name"] or physical_name) if "name" in new else None,
        description=new.get("description"),
        enabled=new.get("enabled"),
        domain_id=new.get("domain", change.before.get("domain")),
        tags=new.get("tags") or change.before.get("tags"),
    )


def is_as_wanted(project: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether an existing project has all that was asked for."""
    compared = {key: value for key, value in wanted.items() if key != "tags"}
    return all(project.get(key) == value for key, value in compared.items()) and sorted(
        project.get("tags") or ()
    ) == sorted(wanted.get("tags") or ())


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


async def _find_named(io: ProcedureIO, wanted: Mapping[str, Any]) -> Mapping[str, Any] | None:
    query = {key: wanted[key] for key in ("name", "domain_id") if key in wanted}
    body = await io.get(SERVICE, "/v3/projects", query)
    for project in body["projects"]:
        if project["name"] == wanted["name"]:
            found: Mapping[str, Any] = project
            return found
    return None


async def _delete_default_groups(io: ProcedureIO, project_id: str) -> None:
    """Delete the security groups that Neutron makes by itself for every project.

    They would outlive the project. A cloud without a network service has none.
    """
    query = {"project_id": project_id, "name": _DEFAULT_GROUP}
    try:
        body = await io.get("network", "/v2.0/security-groups", query)
    except ServiceError as error:
        if error.error_class == "EndpointNotFound":
            return
        raise
    for group in body["security_groups"]:
        await io.request(
            HttpCall(
                "DELETE",
                "network",
                f"/v2.0/security-groups/{group['id']}",
                expect=frozenset({404}),
            )
        )

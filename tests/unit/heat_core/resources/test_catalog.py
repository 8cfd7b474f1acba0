from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest

from heat_core.errors import EntityNotFound, Invalid, NotSupported, ResourceTypeUnavailable
from heat_core.isolation import Job, TooCostly, using
from heat_core.properties import Support, SupportStatus
from heat_core.resources import (
    ResourceType,
    catalog,
    generate_template,
    list_types,
    registry,
    resource_schema,
)
from tests.conformance.resource_types import generated_form


class Hidden(ResourceType):
    """Nobody may see this type."""

    name = "Vec::Hidden"
    support: ClassVar = Support(SupportStatus.HIDDEN)


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    found = registry.find
    monkeypatch.setattr(
        catalog.registry, "find", lambda name: Hidden if name == "Vec::Hidden" else found(name)
    )
    monkeypatch.setattr(catalog.registry, "names", lambda: ("Vec::Hidden", "OS::Heat::Value"))


@pytest.mark.parametrize("dialect", ["hot", "cfn"])
@pytest.mark.parametrize("name", registry.names())
def test_generated_templates_equal_facts(name: str, dialect: str, shared: Any) -> None:
    facts = json.loads((shared / "facts" / "generate-template.json").read_text())
    if registry.find(name).support.hidden:
        with pytest.raises(NotSupported):
            generate_template(name, dialect)
    elif name in facts["samples"]:
        assert generated_form(name, dialect) == facts["samples"][name][dialect]
    else:
        template = generate_template(name, dialect)
        resources = template["resources" if dialect == "hot" else "Resources"]
        assert list(resources) == [registry.find(name).__name__]


def test_types_that_are_not_to_be_seen(hidden: None) -> None:
    for ask in (resource_schema, generate_template):
        with pytest.raises(EntityNotFound):
            ask("OS::No::Such")
        with pytest.raises(NotSupported, match=r"^Vec::Hidden is not supported.$"):
            ask("Vec::Hidden")
    assert list_types() == ["OS::Heat::Value"]
    assert list_types(support_status="HIDDEN") == []


def test_types_without_their_service() -> None:
    name = "OS::Keystone::Project"

    assert resource_schema(name, catalog_types={"identity"})["resource_type"] == name
    with pytest.raises(ResourceTypeUnavailable) as caught:
        resource_schema(name, catalog_types=set())
    assert str(caught.value) == (
        "HEAT-E99001 Service keystone is not available for resource type OS::Keystone::Project, "
        "reason: Service endpoint not in service catalog."
    )
    assert name in list_types(catalog_types={"identity"})
    assert name not in list_types(catalog_types=set())


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"type_name": "OS::Heat::Ra"}, ["OS::Heat::RandomString"]),
        ({"type_name": ".*String$"}, ["OS::Heat::RandomString"]),
        ({"type_name": "String"}, []),
        ({"type_name": "["}, []),
        ({"version": "11.0.0", "type_name": "OS::Heat"}, ["OS::Heat::Delay"]),
        ({"support_status": "DEPRECATED"}, ["OS::Aodh::Alarm"]),
        ({"support_status": "HIDDEN"}, []),
    ],
)
def test_filters(filters: dict[str, Any], names: list[str]) -> None:
    assert list_types(**filters) == names


def test_all_types(shared: Any) -> None:
    index = json.loads((shared / "facts" / "resource-types" / "index.json").read_text())["types"]
    by_status = {
        status: {name for name, entry in index.items() if entry["support"] == status}
        for status in ("SUPPORTED", "DEPRECATED", "UNSUPPORTED", "HIDDEN")
    }

    assert list_types() == [name for name in registry.names() if name not in by_status["HIDDEN"]]
    for status in ("SUPPORTED", "DEPRECATED", "UNSUPPORTED"):
        assert set(list_types(support_status=status)) == by_status[status]


def test_unknown_status() -> None:
    with pytest.raises(Invalid) as caught:
        list_types(support_status="NICE")
    assert str(caught.value) == (
        "Data supplied was not valid: Invalid support status and should be one of "
        "('UNKNOWN', 'SUPPORTED', 'DEPRECATED', 'UNSUPPORTED', 'HIDDEN')"
    )


def test_policy_leaves_types_out() -> None:
    allowed = list_types(is_allowed=lambda name: name.startswith("OS::Keystone"))

    assert len(allowed) == 10
    assert all(name.startswith("OS::Keystone::") for name in allowed)


def test_descriptions() -> None:
    [entry] = list_types(type_name="OS::Heat::None", with_description=True)

    assert entry["resource_type"] == "OS::Heat::None"
    assert entry["description"].startswith("Takes any property")


def test_a_hostile_pattern_is_not_matched_here() -> None:
    def refuse(job: Job, arguments: tuple[Any, ...]) -> Any:
        raise TooCostly(f"{arguments[0]} takes too long.")

    with using(refuse):
        assert list_types(type_name="OS::Heat::N") == ["OS::Heat::None"]
        with pytest.raises(Invalid, match="takes too long"):
            list_types(type_name="(.+)+x")

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from heat_core.errors import InvalidTemplateAttribute
from heat_core.procedure import Datum, HttpAnswer, HttpCall, ServiceError, StoreCreated, StoreData
from heat_core.resources import Change, bind, prepare_create, read_attribute, registry
from heat_core.resources.keystone.project import create_request, is_as_wanted, update_request

TYPE = registry.find("OS::Keystone::Project")


def values(**data: Any) -> dict[str, Any]:
    return bind(TYPE, data).values_by_name()


def change(before: dict[str, Any], after: dict[str, Any]) -> Change:
    old, new = values(**before), values(**after)
    return Change(
        changed=frozenset(name for name in new if new[name] != old[name]), before=old, after=new
    )


def project(**fields: Any) -> dict[str, Any]:
    """A project as the service shows it."""
    known = {
        "id": "p1",
        "name": "st-r-abc",
        "domain_id": "default",
        "parent_id": "default",
        "description": "",
        "enabled": True,
        "is_domain": False,
        "tags": [],
    }
    return {**known, **fields}


def test_create_asks_for_the_project_and_makes_its_id_durable_at_once(
    script: Any, view: Any
) -> None:
    script.run(TYPE(view()).start_create(script.io, values()), {"project": project()})

    assert script.calls == [("POST", "/v3/projects")]
    assert script.asked[0].service == "identity"
    assert script.asked[0].body == {
        "project": {
            "name": "st-r-abc",
            "domain_id": "default",
            "description": "",
            "enabled": True,
            "tags": [],
        }
    }
    assert script.asked[1] == StoreCreated("p1")


def test_create_under_a_name_of_the_user_s_own_notes_that_the_name_was_free(
    script: Any, view: Any
) -> None:
    script.run(
        TYPE(view()).start_create(script.io, values(name="mine")),
        {"projects": []},
        {"project": project()},
    )

    assert script.calls == [
        ("GET", "/v3/projects?name=mine&domain_id=default"),
        ("POST", "/v3/projects"),
    ]
    assert script.asked[1] == StoreData((Datum("creating", "True"),))
    assert script.asked[3] == StoreCreated("p1", (Datum("creating", None),))


def test_create_under_a_taken_name_fails_as_the_service_says(
    script: Any, view: Any, refuse: Callable[..., ServiceError]
) -> None:
    with pytest.raises(ServiceError) as caught:
        script.run(
            TYPE(view()).start_create(script.io, values(name="mine")),
            {"projects": [project(name="mine")]},
            refuse(409, "Conflict"),
        )
    assert caught.value.conflict
    assert not [request for request in script.asked if isinstance(request, StoreData)]


def test_find_takes_the_project_of_the_made_up_name(script: Any, view: Any) -> None:
    found = script.run(
        TYPE(view()).find(script.io, values()), {"projects": [project(name="st-r-abc")]}
    )

    assert found == "p1"
    assert script.calls == [("GET", "/v3/projects?name=st-r-abc&domain_id=default")]


@pytest.mark.parametrize(
    "listed",
    [
        [],
        [project(name="ST-R-ABC")],
        [project(name="st-r-abc", description="another's")],
        [project(name="st-r-abc", tags=["x"])],
        [project(name="st-r-abc", enabled=False)],
    ],
)
def test_find_takes_no_project_that_is_not_what_was_asked_for(
    script: Any, view: Any, listed: list[Any]
) -> None:
    assert script.run(TYPE(view()).find(script.io, values()), {"projects": listed}) is None


def test_find_never_takes_a_stranger_s_project_of_the_same_name(script: Any, view: Any) -> None:
    assert script.run(TYPE(view()).find(script.io, values(name="mine"))) is None
    assert script.asked == []


def test_find_takes_the_named_project_when_the_name_was_free_before(script: Any, view: Any) -> None:
    resource = TYPE(view(data={"creating": "True"}))

    found = script.run(
        resource.find(script.io, values(name="mine")), {"projects": [project(name="mine")]}
    )
    assert found == "p1"


def test_the_note_of_a_create_is_taken_back_at_its_end(script: Any, view: Any) -> None:
    script.run(TYPE(view()).finish_create(script.io))
    assert script.asked == []

    script.run(TYPE(view(data={"creating": "True"})).finish_create(script.io))
    assert script.asked == [StoreData((Datum("creating", None),))]


def test_tags_are_compared_without_order() -> None:
    wanted = create_request(values(tags=["b", "a"]), "n")

    assert is_as_wanted(project(name="n", tags=["a", "b"]), wanted)


@pytest.mark.parametrize(
    ("before", "after", "body"),
    [
        (
            {},
            {"description": "d"},
            {"description": "d", "domain_id": "default", "tags": []},
        ),
        ({"name": "a"}, {"name": "b"}, {"name": "b", "domain_id": "default", "tags": []}),
        ({"name": "a"}, {}, {"name": "st-r-abc", "domain_id": "default", "tags": []}),
        ({}, {"enabled": False}, {"enabled": False, "domain_id": "default", "tags": []}),
        ({"tags": ["a"]}, {"tags": ["b"]}, {"domain_id": "default", "tags": ["b"]}),
        ({"tags": ["a"]}, {"tags": []}, {"domain_id": "default", "tags": ["a"]}),
        ({}, {"domain": "other"}, {"domain_id": "other", "tags": []}),
    ],
)
def test_update_request(
    before: dict[str, Any], after: dict[str, Any], body: dict[str, Any]
) -> None:
    assert update_request(change(before, after), "st-r-abc") == body


def test_update_sends_one_patch(script: Any, view: Any) -> None:
    resource = TYPE(view(physical_id="p1"))
    script.run(
        resource.start_update(script.io, change({}, {"description": "d"})), {"project": project()}
    )

    assert script.calls == [("PATCH", "/v3/projects/p1")]


def test_update_of_nothing_sends_nothing(script: Any, view: Any) -> None:
    script.run(TYPE(view(physical_id="p1")).start_update(script.io, change({}, {})))

    assert script.asked == []


def test_delete_in_a_cloud_without_a_network_service(
    script: Any, view: Any, refuse: Callable[..., ServiceError]
) -> None:
    script.run(
        TYPE(view(physical_id="p1")).start_delete(script.io),
        refuse(0, "EndpointNotFound", "network"),
        HttpAnswer(204),
    )

    assert script.calls == [
        ("GET", "/v2.0/security-groups?project_id=p1&name=default"),
        ("DELETE", "/v3/projects/p1"),
    ]


def test_delete_takes_the_default_security_groups_with_it(script: Any, view: Any) -> None:
    script.run(
        TYPE(view(physical_id="p1")).start_delete(script.io),
        {"security_groups": [{"id": "g1"}, {"id": "g2"}]},
        HttpAnswer(204),
        HttpAnswer(404),
        HttpAnswer(204),
    )

    assert [call for call in script.calls if call[0] == "DELETE"] == [
        ("DELETE", "/v2.0/security-groups/g1"),
        ("DELETE", "/v2.0/security-groups/g2"),
        ("DELETE", "/v3/projects/p1"),
    ]
    assert all(
        404 in request.expect
        for request in script.asked
        if isinstance(request, HttpCall) and "security-groups/" in request.path
    )


def test_delete_fails_with_the_network_service(
    script: Any, view: Any, refuse: Callable[..., ServiceError]
) -> None:
    with pytest.raises(ServiceError):
        script.run(
            TYPE(view(physical_id="p1")).start_delete(script.io),
            refuse(503, "ServiceUnavailable", "network"),
        )


def test_delete_of_what_was_never_made(script: Any, view: Any) -> None:
    script.run(TYPE(view()).start_delete(script.io))

    assert script.asked == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", "st-r-abc"),
        ("domain_id", "default"),
        ("parent_id", "default"),
        ("enabled", True),
        ("is_domain", False),
        ("show", project()),
    ],
)
def test_attributes(script: Any, view: Any, name: str, value: Any) -> None:
    resource = TYPE(view(physical_id="p1"))

    read = script.run(read_attribute(script.io, resource, name), {"project": project()})
    assert read == value
    assert script.calls == [("GET", "/v3/projects/p1")]


def test_attributes_of_a_project_that_is_gone_are_null(
    script: Any, view: Any, refuse: Callable[..., ServiceError]
) -> None:
    resource = TYPE(view(physical_id="p1"))

    assert (
        script.run(read_attribute(script.io, resource, "enabled"), refuse(404, "NotFound")) is None
    )
    assert script.run(read_attribute(script.io, TYPE(view()), "show")) is None
    assert script.run(read_attribute(script.io, TYPE(view()), "name")) is None


def test_unknown_attribute(script: Any, view: Any) -> None:
    with pytest.raises(InvalidTemplateAttribute, match=r"\(r nope\) is incorrect"):
        script.run(read_attribute(script.io, TYPE(view()), "nope"))


def test_names_become_ids_and_each_is_asked_for_once(script: Any) -> None:
    missing = HttpAnswer(404)
    props = script.run(
        prepare_create(script.io, TYPE, {"domain": "Default", "parent": "above"}),
        missing,
        {"domains": [{"id": "d1", "name": "Default"}]},
        missing,
        {"projects": [{"id": "p9", "name": "above"}]},
    )

    assert (props["domain"], props["parent"]) == ("d1", "p9")
    assert script.calls == [
        ("GET", "/v3/domains/Default"),
        ("GET", "/v3/domains?name=Default"),
        ("GET", "/v3/projects/above"),
        ("GET", "/v3/projects?name=above"),
    ]


def test_default_domain_is_not_looked_up(script: Any) -> None:
    assert script.run(prepare_create(script.io, TYPE, {}))["domain"] == "default"
    assert script.asked == []

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from heat_core.errors import ClientNotAvailable, Error
from heat_core.procedure import HttpAnswer, ServiceError
from heat_core.properties import SERVICE_CONSTRAINTS, Finder
from heat_core.resources import PluginFailure
from heat_core.resources.lookups import find_id, finder, finder_behind, judge

DOMAIN = Finder("keystone", "get_domain_id")


def test_finders_by_name(script: Any) -> None:
    assert script.run(find_id(script.io, DOMAIN, "d"), {"domain": {"id": "d"}}) == "d"
    for nobody in (Finder("swift", "x"), Finder("nova", "x"), Finder("neutron", "x", "port")):
        with pytest.raises(ClientNotAvailable, match=rf"\({nobody.client}\)"):
            finder(nobody)


def test_constraints_stand_for_finders() -> None:
    assert finder_behind("keystone.domain") == DOMAIN
    assert finder_behind("net_cidr") is None
    for name in SERVICE_CONSTRAINTS:
        behind = finder_behind(name)
        assert behind is not None, name
        assert finder(behind)


def test_a_valid_value(script: Any) -> None:
    found = {"project": {"id": "p"}}

    assert script.run(judge(script.io, "keystone.project", "p"), found) is None


def test_a_value_that_names_nothing(script: Any) -> None:
    problem = script.run(judge(script.io, "keystone.domain", "d"), HttpAnswer(404), {"domains": []})
    assert problem == "The KeystoneDomain (d) could not be found."


def test_an_empty_value_is_not_asked_for(script: Any) -> None:
    problem = script.run(judge(script.io, "keystone.project", ""))

    assert problem == "The KeystoneProject () could not be found."
    assert script.asked == []


def test_a_refusal_is_no_verdict(script: Any, refuse: Callable[..., ServiceError]) -> None:
    with pytest.raises(ServiceError):
        script.run(judge(script.io, "keystone.domain", "d"), refuse(503, "ServiceUnavailable"))


def missing(service: str) -> ServiceError:
    text = f"public endpoint for {service} service in RegionOne region not found"
    return ServiceError(service, 0, text, error_class="EndpointNotFound", text=text)


@pytest.mark.parametrize(
    ("constraint", "service", "kind", "text"),
    [
        ("nova.flavor", "compute", ServiceError, "public endpoint for compute service in "),
        ("neutron.qos_policy", "network", ServiceError, "public endpoint for network service in "),
        ("cinder.vtype", "volumev3", Error, "No volume service available."),
        ("magnum.cluster_template", "container-infra", RuntimeError, "for container service in "),
        ("neutron.segment", "network", PluginFailure, "Service 'network' is disabled because "),
    ],
)
def test_a_service_that_is_not_there(
    constraint: str, service: str, kind: type[Exception], text: str, script: Any
) -> None:
    """Texts as Heat's clients say them without such a service in the catalog."""
    with pytest.raises(kind) as caught:
        script.run(judge(script.io, constraint, "x"), missing(service))
    assert text in str(caught.value)


def test_a_key_pair_that_is_not_made_yet(script: Any) -> None:
    assert script.run(judge(script.io, "nova.keypair", "")) is None


def test_an_extension_that_the_service_does_not_have(script: Any) -> None:
    listed = {"extensions": [{"alias": "router"}]}
    problem = script.run(judge(script.io, "neutron.qos_policy", "gold"), listed)
    assert problem == "The neutron extension (qos) could not be found."

    listed = {"extensions": [{"alias": "qos"}]}
    found = {"policies": [{"id": "p"}]}
    assert script.run(judge(script.io, "neutron.qos_policy", "gold"), listed, found) is None


def test_a_service_name_that_two_share(script: Any) -> None:
    two = {"services": [{"id": "1"}, {"id": "2"}]}
    problem = script.run(judge(script.io, "keystone.service", "heat"), HttpAnswer(404), two)

    assert problem is not None
    assert "more than one service with same name heat" in problem

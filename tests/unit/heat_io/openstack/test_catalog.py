from __future__ import annotations

import pytest

from heat_io.openstack.catalog import (
    Catalog,
    EmptyCatalog,
    EndpointNotFound,
    identity_v3,
    join,
)


def catalog(*services: tuple[str, str, str, str]) -> Catalog:
    body = {
        "catalog": [
            {"type": kind, "endpoints": [{"interface": i, "region_id": region, "url": url}]}
            for kind, i, region, url in services
        ]
    }
    return Catalog.from_token(body)


def test_the_first_endpoint_that_fits_wins_and_loses_its_last_slash() -> None:
    found = catalog(
        ("network", "internal", "One", "http://a/"),
        ("network", "public", "Two", "http://b/"),
        ("network", "public", "One", "http://c/"),
    )
    assert found.url("network") == "http://b"
    assert found.url("network", region="One") == "http://c"
    assert found.url("network", region="") == "http://b"
    assert found.url("network", interface="internal") == "http://a"
    assert found.url("network", interface="internalURL") == "http://a"


def test_the_exact_type_goes_before_aliases_and_aliases_have_an_order() -> None:
    aliases = (
        ("volumev2", "public", "One", "http://v2"),
        ("volumev3", "public", "One", "http://v3"),
    )
    assert catalog(*aliases).url("block-storage") == "http://v3"
    assert catalog(*aliases).url("volumev2") == "http://v2"
    official = ("block-storage", "public", "One", "http://block")
    assert catalog(*aliases, official).url("block-storage") == "http://block"
    assert catalog(*aliases, official).url("volumev3") == "http://v3"
    assert catalog(official).url("volumev3") == "http://block"


def test_one_alias_never_stands_for_another() -> None:
    found = catalog(("volumev2", "public", "One", "http://v2"))
    with pytest.raises(EndpointNotFound):
        found.url("volumev3")


def test_an_alias_in_another_region_does_not_hide_the_right_one() -> None:
    found = catalog(
        ("alarm", "public", "Two", "http://two"), ("alarming", "public", "One", "http://one")
    )
    assert found.url("alarm", region="One") == "http://one"


def test_the_texts_are_those_of_keystoneauth() -> None:
    found = catalog(("network", "public", "One", "http://a"))
    with pytest.raises(EndpointNotFound) as failure:
        found.url("compute", region="One")
    assert str(failure.value) == "public endpoint for compute service in One region not found"
    with pytest.raises(EndpointNotFound) as failure:
        found.url("compute", interface="adminURL")
    assert str(failure.value) == "admin endpoint for compute service not found"
    with pytest.raises(EmptyCatalog) as failure:
        Catalog().url("compute")
    assert str(failure.value) == "The service catalog is empty."


def test_entries_that_say_too_little_are_left_out() -> None:
    found = Catalog.from_token(
        {
            "catalog": [
                {"endpoints": [{"interface": "public", "url": "http://no-type"}]},
                {"type": "network", "endpoints": [{"interface": "public", "url": ""}]},
                {"type": "network"},
                {
                    "type": "network",
                    "endpoints": [{"interface": "public", "region": "Old", "url": "http://a"}],
                },
            ]
        }
    )
    assert [(e.url, e.region) for e in found.endpoints] == [("http://a", "Old")]


def test_tokens_without_a_scope_have_no_catalog() -> None:
    assert Catalog.from_token({}).endpoints == ()


@pytest.mark.parametrize(
    ("base", "path", "service_type", "url"),
    [
        ("http://k:5000", "/v3/projects", "identity", "http://k:5000/v3/projects"),
        ("http://k:5000", "/projects", "identity", "http://k:5000/v3/projects"),
        ("http://k:5000/v3", "/v3/projects", "identity", "http://k:5000/v3/projects"),
        ("http://k:5000/v3/", "projects", "identity", "http://k:5000/v3/projects"),
        ("http://k/identity/v2.0", "/v3/projects", "identity", "http://k/identity/v3/projects"),
        ("http://n:9696", "/v2.0/ports", "network", "http://n:9696/v2.0/ports"),
        ("http://n:9696/v2.0", "/v2.0/ports", "network", "http://n:9696/v2.0/ports"),
        ("http://n:9696/", "/v2.0", "network", "http://n:9696/v2.0"),
        ("http://c/v2.1", "/servers?x=1", "compute", "http://c/v2.1/servers?x=1"),
        ("http://s/v1/AUTH_x", "/AUTH_x/c", "object-store", "http://s/v1/AUTH_x/AUTH_x/c"),
    ],
)
def test_join(base: str, path: str, service_type: str, url: str) -> None:
    assert join(base, path, service_type=service_type) == url


@pytest.mark.parametrize(
    "url", ["http://k:5000", "http://k:5000/", "http://k:5000/v3/", "http://k:5000/v2.0"]
)
def test_keystone_is_spoken_to_in_version_3(url: str) -> None:
    assert identity_v3(url) == "http://k:5000/v3"

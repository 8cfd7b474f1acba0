"""What clients are given."""

import shlex

import yaml

from heat_app.standalone.exports import PEOPLE, as_shell, clouds_yaml, exports

PASSWORDS = {user: f"{user}'s $ecret" for user, _ in PEOPLE.values()}


def test_exports() -> None:
    values = exports("http://k/v3", "RegionOne", PASSWORDS)
    assert values["OS_USERNAME"] == values["OS_PROJECT_NAME"] == "demo"
    assert values["HEAT_ADMIN_PASSWORD"] == "admin's $ecret"
    lines = as_shell(values).splitlines()
    assert all(line.startswith("export ") for line in lines)
    assert dict(shlex.split(line)[1].split("=", 1) for line in lines) == values


def test_clouds_yaml() -> None:
    clouds = yaml.safe_load(clouds_yaml("http://k/v3", "RegionOne", PASSWORDS))["clouds"]
    assert set(clouds) == set(PEOPLE)
    assert clouds["demo_reader"] == {
        "auth": {
            "auth_url": "http://k/v3",
            "username": "demo_reader",
            "password": "demo_reader's $ecret",
            "project_name": "demo",
            "user_domain_id": "default",
            "project_domain_id": "default",
        },
        "region_name": "RegionOne",
        "identity_api_version": 3,
    }

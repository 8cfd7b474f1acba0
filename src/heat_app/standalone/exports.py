"""How a client reaches what `heat-trio up` runs: shell exports and a clouds.yaml."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

__all__ = ["clouds_yaml", "exports"]

PEOPLE = {
    "demo": ("demo", "demo"),
    "alt_demo": ("alt_demo", "alt_demo"),
    "demo_reader": ("demo_reader", "demo"),
    "admin": ("admin", "admin"),
    "admin_in_demo": ("admin", "demo"),
}
"""Cloud name -> (user, project)."""


def exports(auth_url: str, region: str, passwords: Mapping[str, str]) -> dict[str, str]:
    """OS_* of the user demo, and HEAT_ADMIN_* of the administrator."""
    return {
        "OS_AUTH_URL": auth_url,
        "OS_AUTH_TYPE": "password",
        "OS_IDENTITY_API_VERSION": "3",
        "OS_USERNAME": "demo",
        "OS_PASSWORD": passwords["demo"],
        "OS_PROJECT_NAME": "demo",
        "OS_USER_DOMAIN_ID": "default",
        "OS_PROJECT_DOMAIN_ID": "default",
        "OS_REGION_NAME": region,
        "HEAT_ADMIN_USERNAME": "admin",
        "HEAT_ADMIN_PASSWORD": passwords["admin"],
        "HEAT_ADMIN_PROJECT_NAME": "admin",
    }


def as_shell(values: Mapping[str, str]) -> str:
    """`export NAME=value` lines."""
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in values.items())


def clouds_yaml(auth_url: str, region: str, passwords: Mapping[str, str]) -> str:
    """A clouds.yaml with a cloud for each of PEOPLE."""
    lines = ["clouds:"]
    for cloud, (user, project) in PEOPLE.items():
        lines += [
            f"  {cloud}:",
            "    auth:",
            f"      auth_url: {auth_url}",
            f"      username: {user}",
            f'      password: "{passwords[user]}"',
            f"      project_name: {project}",
            "      user_domain_id: default",
            "      project_domain_id: default",
            f"    region_name: {region}",
            "    identity_api_version: 3",
        ]
    return "\n".join(lines) + "\n"

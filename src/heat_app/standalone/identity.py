"""What a Keystone must hold for Heat, made through Keystone's own managers inside its process.

Done again on a complete database it changes nothing but addresses, so a start that was cut
short is simply repeated. Imported in the child process only: it needs a configured Keystone.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from keystone import exception
from keystone.cmd import bootstrap
from keystone.common import driver_hints, fernet_utils, provider_api
from keystone.conf import CONF
from keystone.credential.providers import fernet as credential_fernet

from heat_app.standalone.identity_names import STACK_DOMAIN, STACK_DOMAIN_ADMIN

API = provider_api.ProviderAPIs
DEFAULT = "default"

ROLES = ("heat_stack_owner", "heat_stack_user")
"""Besides admin, manager, member, reader and service, which Keystone's bootstrap makes."""

PROJECTS = ("service", "demo", "alt_demo")

GRANTS = (
    ("heat", "service", ("admin", "service")),
    ("admin", "demo", ("admin",)),
    ("admin", "alt_demo", ("admin",)),
    ("demo", "demo", ("member", "heat_stack_owner")),
    ("alt_demo", "alt_demo", ("member", "heat_stack_owner")),
    ("demo_reader", "demo", ("reader",)),
)


def make_keys() -> None:
    """Fernet keys for tokens and credentials, unless they are there."""
    for folder, most, group in (
        (CONF.fernet_tokens.key_repository, CONF.fernet_tokens.max_active_keys, "fernet_tokens"),
        (CONF.credential.key_repository, credential_fernet.MAX_ACTIVE_KEYS, "credential"),
    ):
        keys = fernet_utils.FernetUtils(folder, most, group)
        keys.create_key_directory()
        keys.initialize_key_repository()


def provision(wanted: Mapping[str, Any]) -> None:
    """Make users, projects, roles, the stack domain and the catalog.

    `wanted` has `region`, `passwords` (user name -> password), `identity_url` and
    `orchestration_url` (the latter may hold %(project_id)s).
    """
    passwords = wanted["passwords"]
    roles = _bootstrap(wanted)
    for name in ROLES:
        roles[name] = _role(name)
    projects = {name: _project(name) for name in PROJECTS}
    users = {
        name: _user(name, DEFAULT, passwords[name]) for name in dict.fromkeys(g[0] for g in GRANTS)
    }
    for user, project, names in GRANTS:
        for name in names:
            _grant(roles[name], users[user], project_id=projects[project])
    domain = _domain(STACK_DOMAIN)
    domain_admin = _user(STACK_DOMAIN_ADMIN, domain, passwords[STACK_DOMAIN_ADMIN])
    _grant(roles["admin"], domain_admin, domain_id=domain)
    _endpoint("heat", "orchestration", wanted["orchestration_url"], wanted["region"])


def _bootstrap(wanted: Mapping[str, Any]) -> dict[str, str]:
    """Keystone's own first steps; ids of the roles that it makes."""
    first = bootstrap.Bootstrapper()
    first.admin_username = "admin"
    first.admin_password = wanted["passwords"]["admin"]
    first.project_name = "admin"
    first.admin_role_name = "admin"
    first.service_name = "keystone"
    first.region_id = wanted["region"]
    first.public_url = first.internal_url = first.admin_url = wanted["identity_url"]
    first.immutable_roles = True
    first.bootstrap()
    return {
        "admin": first.admin_role_id,
        "member": first.member_role_id,
        "reader": first.reader_role_id,
        "service": first.service_role_id,
    }


def _hints(**filters: Any) -> driver_hints.Hints:
    hints = driver_hints.Hints()
    for name, value in filters.items():
        hints.add_filter(name, value)
    return hints


def _role(name: str) -> str:
    found = API.role_api.list_roles(_hints(name=name, domain_id=None))
    if found:
        return str(found[0]["id"])
    new = uuid.uuid4().hex
    API.role_api.create_role(new, {"id": new, "name": name})
    return new


def _project(name: str) -> str:
    try:
        return str(API.resource_api.get_project_by_name(name, DEFAULT)["id"])
    except exception.ProjectNotFound:
        new = uuid.uuid4().hex
        API.resource_api.create_project(
            new,
            {"id": new, "name": name, "domain_id": DEFAULT, "enabled": True, "description": ""},
        )
        return new


def _domain(name: str) -> str:
    try:
        return str(API.resource_api.get_domain_by_name(name)["id"])
    except exception.DomainNotFound:
        new = uuid.uuid4().hex
        API.resource_api.create_domain(
            new, {"id": new, "name": name, "enabled": True, "description": "Users of stacks"}
        )
        return new


def _user(name: str, domain: str, password: str) -> str:
    try:
        return str(API.identity_api.get_user_by_name(name, domain)["id"])
    except exception.UserNotFound:
        user = {"name": name, "domain_id": domain, "password": password, "enabled": True}
        return str(API.identity_api.create_user(user)["id"])


def _grant(role: str, user: str, **where: str) -> None:
    API.assignment_api.create_grant(role, user_id=user, **where)


def _endpoint(name: str, kind: str, url: str, region: str) -> None:
    services = API.catalog_api.list_services(_hints(type=kind))
    if services:
        service = services[0]["id"]
    else:
        service = uuid.uuid4().hex
        API.catalog_api.create_service(
            service, {"id": service, "name": name, "type": kind, "enabled": True}
        )
    present = {
        one["interface"]: one
        for one in API.catalog_api.list_endpoints(_hints(service_id=service, region_id=region))
    }
    for interface in ("public", "internal", "admin"):
        if interface in present:
            if present[interface]["url"] != url:
                API.catalog_api.update_endpoint(
                    present[interface]["id"], {**present[interface], "url": url}
                )
            continue
        new = uuid.uuid4().hex
        API.catalog_api.create_endpoint(
            new,
            {
                "id": new,
                "interface": interface,
                "url": url,
                "service_id": service,
                "region_id": region,
                "enabled": True,
            },
        )

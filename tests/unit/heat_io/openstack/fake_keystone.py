"""A Keystone in memory: the handful of v3 requests that heat-trio makes.

Verified: test_keystone_contract.py runs the same checks on this and on a real Keystone. It is
plain state plus `handle`, which answers at once; `transport` puts it behind httpx2. Faults are
scripted with `script`, time is `now` and moves only when a test moves it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx2
import trio

BASE = "http://keystone.fake:5000"
JSON = "application/json"
DENIED = "You are not authorized to perform the requested action"
UNAUTHENTICATED = "The request you have made requires authentication."
NOWHERE = (
    "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n"
    "<p>The requested URL was not found on the server. If you entered the URL manually please "
    "check your spelling and try again.</p>\n"
)


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Problem(Exception):
    """An error answer, raised from anywhere below `handle`."""

    def __init__(self, status: int, title: str, message: str) -> None:
        super().__init__(message)
        headers = {"www-authenticate": f'Keystone uri="{BASE}/v3"'} if status == 401 else {}
        body = {"error": {"code": status, "message": message, "title": title}}
        self.answer = Answer(status, body, headers)


def unauthenticated() -> Problem:
    return Problem(401, "Unauthorized", UNAUTHENTICATED)


def denied(rule: str | None = None) -> Problem:
    text = f"{DENIED}: identity:{rule}." if rule else f"{DENIED}."
    return Problem(403, "Forbidden", text)


def missing(kind: str, key: str, *, status: int = 404) -> Problem:
    title = "Not Found" if status == 404 else "Bad Request"
    return Problem(status, title, f"Could not find {kind}: {key}.")


@dataclass
class Token:
    user: str
    project: str | None
    roles: tuple[str, ...]
    trust: str | None
    issued_at: datetime
    expires_at: datetime
    domain: str | None = None


Step = Answer | Exception | Callable[[Asked], Awaitable[Answer | None]]


class FakeKeystone:
    """Users demo, alt_demo, admin, heat; all with the password "secret", as reference/up has."""

    def __init__(self, *, lifetime_seconds: float = 86400.0) -> None:
        self.now = datetime(2026, 11, 29, 12, tzinfo=UTC)
        self.lifetime_seconds = lifetime_seconds
        self.requests: list[Asked] = []
        self.projects: dict[str, dict[str, Any]] = {}
        self.trusts: dict[str, dict[str, Any]] = {}
        self.tokens: dict[str, Token] = {}
        self.domains: dict[str, str] = {"default": "Default"}
        self.users: dict[str, dict[str, str]] = {}
        self.roles: dict[str, str] = {}
        self.grants: dict[tuple[str, str], tuple[str, ...]] = {}
        self.catalog = catalog_of(identity=BASE)
        self._ids = count(1)
        self._script: deque[tuple[str, str, Step]] = deque()
        for name in ("reader", "member", "manager", "admin", "service"):
            self.roles[self._id()] = name
        for user, project in (
            ("demo", "demo"),
            ("alt_demo", "alt_demo"),
            ("admin", "admin"),
            ("heat", "service"),
        ):
            roles = ["member", "reader"]
            roles += ["admin", "manager"] if user in ("admin", "heat") else []
            roles += ["service"] if user == "heat" else []
            self.add_user(user, project, roles)
        self.heat_domain = self._id()
        self.domains[self.heat_domain] = "heat"
        admin = self._id()
        self.users[admin] = {
            "name": "heat_domain_admin",
            "password": "secret",
            "domain": self.heat_domain,
        }
        self.grants[admin, self.heat_domain] = ("admin", "manager", "member", "reader")

    # Set-up and faults

    def add_user(self, name: str, project: str, roles: Iterable[str]) -> str:
        user_id = self._id()
        self.users[user_id] = {"name": name, "password": "secret", "domain": "default"}
        self.grants[user_id, self._add_project(name=project)["id"]] = tuple(roles)
        return user_id

    def user_id(self, name: str) -> str:
        return next(key for key, user in self.users.items() if user["name"] == name)

    def project_id(self, name: str) -> str:
        return next(key for key, item in self.projects.items() if item["name"] == name)

    def script(self, method: str, path: str, *steps: Step) -> None:
        """The next requests of this method to a path that starts so get these answers, in turn.

        An exception is raised as if the connection failed; a function may wait, and gives an
        answer or None for the real one.
        """
        self._script.extend((method, path, step) for step in steps)

    def count(self, method: str, path: str) -> int:
        """How many such requests have arrived, paths by their start."""
        return sum(r.method == method and r.path.startswith(path) for r in self.requests)

    def transport(self) -> httpx2.AsyncBaseTransport:
        return httpx2.MockTransport(self._respond)

    async def _respond(self, request: httpx2.Request) -> httpx2.Response:
        asked = Asked(
            request.method,
            request.url.path,
            dict(parse_qsl(request.url.query.decode(), keep_blank_values=True)),
            {name.lower(): value for name, value in request.headers.items()},
            json.loads(request.content) if request.content else None,
        )
        self.requests.append(asked)
        await trio.lowlevel.checkpoint()  # no answer comes in the same moment
        answer = await self._scripted(asked) or self.handle(asked)
        headers = {"x-openstack-request-id": f"req-{next(self._ids):032x}", **answer.headers}
        if isinstance(answer.body, str):
            return httpx2.Response(
                answer.status,
                content=answer.body.encode(),
                headers={"content-type": "text/html; charset=utf-8", **headers},
            )
        if answer.body is None:
            return httpx2.Response(answer.status, headers=headers)
        return httpx2.Response(answer.status, json=answer.body, headers=headers)

    async def _scripted(self, asked: Asked) -> Answer | None:
        for position, (method, path, step) in enumerate(self._script):
            if asked.method == method and asked.path.startswith(path):
                del self._script[position]
                if isinstance(step, Exception):
                    raise step
                return step if isinstance(step, Answer) else await step(asked)
        return None

    # Requests

    def handle(self, asked: Asked) -> Answer:
        try:
            return self._route(asked)
        except Problem as problem:
            return problem.answer

    def _route(self, asked: Asked) -> Answer:
        method, parts = asked.method, asked.path.strip("/").split("/")
        if parts == [""]:
            return Answer(300, {"versions": {"values": [self._version()]}})
        if parts == ["v3"]:
            return Answer(200, {"version": self._version()})
        match (method, *parts):
            case ("POST", "v3", "auth", "tokens"):
                return self._authenticate(asked.body["auth"])
            case ("GET" | "HEAD" | "DELETE", "v3", "auth", "tokens"):
                return self._subject(asked)
            case ("GET", "v3", "auth", "catalog"):
                self._caller(asked)
                return Answer(200, {"catalog": self.catalog})
            case (_, "v3", "projects", *rest):
                return self._on_projects(asked, rest)
            case (_, "v3", "OS-TRUST", "trusts", *rest):
                return self._on_trusts(asked, rest)
            case ("GET", "v3", "domains", *rest):
                return self._on_domains(asked, rest)
            case ("GET", "v3", "roles"):
                self._caller(asked)
                rows = [{"id": key, "name": name} for key, name in self.roles.items()]
                return self._listed("roles", rows, asked)
        return Answer(404, NOWHERE)

    def _authenticate(self, auth: Mapping[str, Any]) -> Answer:
        wanted = auth["identity"]["password"]["user"]
        user = wanted.get("id")
        if user is None:
            domain = self._domain_named(wanted.get("domain", {}))
            names = {
                item["name"]: key for key, item in self.users.items() if item["domain"] == domain
            }
            user = names.get(wanted["name"])
        if user not in self.users or self.users[user]["password"] != wanted["password"]:
            raise unauthenticated()
        scope = auth.get("scope", {})
        if "OS-TRUST:trust" in scope:
            trust = self.trusts.get(scope["OS-TRUST:trust"]["id"])
            if trust is None:
                raise unauthenticated()
            if trust["trustee_user_id"] != user:
                raise denied()
            roles = tuple(role["name"] for role in trust["roles"])
            return self._issue(trust["trustor_user_id"], trust["project_id"], roles, trust["id"])
        if "project" in scope:
            named = scope["project"]
            project = named.get("id") or next(
                (key for key, item in self.projects.items() if item["name"] == named["name"]), ""
            )
            if (user, project) not in self.grants:
                raise unauthenticated()
            return self._issue(user, project, self.grants[user, project], None)
        if "domain" in scope:
            domain = self._domain_named(scope["domain"]) or ""
            if (user, domain) not in self.grants:
                raise unauthenticated()
            return self._issue(user, None, self.grants[user, domain], None, domain)
        return self._issue(user, None, (), None)

    def _domain_named(self, named: Mapping[str, str]) -> str | None:
        return next(
            (
                key
                for key, name in self.domains.items()
                if key == named.get("id") or name == named.get("name")
            ),
            None,
        )

    def _issue(
        self,
        user: str,
        project: str | None,
        roles: tuple[str, ...],
        trust: str | None,
        domain: str | None = None,
    ) -> Answer:
        secret = f"gAAAA-{next(self._ids):06d}-{user[-4:]}"
        end = self.now + timedelta(seconds=self.lifetime_seconds)
        self.tokens[secret] = Token(user, project, roles, trust, self.now, end, domain)
        body = {"token": self._token_body(self.tokens[secret])}
        return Answer(201, body, {"x-subject-token": secret})

    def _token_body(self, token: Token, *, catalog: bool = True) -> dict[str, Any]:
        home = self.users[token.user]["domain"]
        body: dict[str, Any] = {
            "methods": ["password"],
            "user": {
                "domain": {"id": home, "name": self.domains[home]},
                "id": token.user,
                "name": self.users[token.user]["name"],
                "password_expires_at": None,
            },
            "audit_ids": [self._id()[:22]],
            "expires_at": token.expires_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "issued_at": token.issued_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        }
        if token.trust:
            trust = self.trusts[token.trust]
            body["OS-TRUST:trust"] = {
                "id": token.trust,
                "trustor_user": {"id": trust["trustor_user_id"]},
                "trustee_user": {"id": trust["trustee_user_id"]},
                "impersonation": True,
            }
        if token.project:
            project = self.projects[token.project]
            home = project["domain_id"]
            body["project"] = {
                "domain": {"id": home, "name": self.domains[home]},
                "id": token.project,
                "name": project["name"],
            }
        if token.domain:
            body["domain"] = {"id": token.domain, "name": self.domains[token.domain]}
        if token.project or token.domain:
            body["roles"] = [{"id": self._role_id(role), "name": role} for role in token.roles]
            if catalog:
                body["catalog"] = self.catalog
        return body

    def _live(self, secret: str | None) -> Token | None:
        """A token that is known and not over; a deleted trust is the asker's surprise."""
        token = self.tokens.get(secret or "")
        if token is None or token.expires_at <= self.now:
            return None
        if token.trust and token.trust not in self.trusts:
            raise missing("trust", token.trust)
        return token

    def _caller(self, asked: Asked) -> Token:
        token = self._live(asked.headers.get("x-auth-token"))
        if token is None:
            raise unauthenticated()
        return token

    def _subject(self, asked: Asked) -> Answer:
        caller = self._caller(asked)
        secret = asked.headers.get("x-subject-token", "")
        mine = secret == asked.headers.get("x-auth-token")
        if not mine and not {"admin", "service"} & set(caller.roles):
            raise denied("validate_token")
        token = self.tokens.get(secret)
        if token is not None and "allow_expired" not in asked.query:
            token = self._live(secret)
        if token is None:
            raise Problem(404, "Not Found", "Could not recognize Fernet token")
        if asked.method == "DELETE":
            del self.tokens[secret]
            return Answer(204)
        body = {"token": self._token_body(token, catalog="nocatalog" not in asked.query)}
        return Answer(200, body, {"x-subject-token": secret})

    def _on_projects(self, asked: Asked, rest: list[str]) -> Answer:
        caller = self._caller(asked)
        admin = "admin" in caller.roles
        match (asked.method, *rest):
            case ("POST",):
                _need(admin, "create_project")
                project = self._add_project(**asked.body["project"])
                return Answer(201, {"project": project})
            case ("GET",):
                _need(admin, "list_projects")
                return self._listed("projects", self.projects.values(), asked)
            case ("GET", key):
                _need(admin or key == caller.project, "get_project")
                return Answer(200, {"project": self._project(key)})
            case ("PATCH", key):
                _need(admin, "update_project")
                project = self._project(key)
                if "parent_id" in asked.body["project"]:
                    raise Problem(403, "Forbidden", "Update of `parent_id` is not allowed.")
                project.update(asked.body["project"])
                return Answer(200, {"project": {**project, "extra": {}}})
            case ("DELETE", key):
                _need(admin, "delete_project")
                self._project(key)
                if any(item["parent_id"] == key for item in self.projects.values()):
                    text = (
                        f"Cannot delete the project {key} since it is not a leaf in the hierarchy."
                        " Use the cascade option if you want to delete a whole subtree."
                    )
                    raise Problem(403, "Forbidden", text)
                del self.projects[key]
                return Answer(204)
        return Answer(405, {"message": "The method is not allowed for the requested URL."})

    def _project(self, key: str) -> dict[str, Any]:
        if key not in self.projects:
            raise missing("project", key)
        return self.projects[key]

    def _add_project(self, **given: Any) -> dict[str, Any]:
        prefix = "Invalid input for field/attribute"
        name = given.get("name")
        if name is None:
            text = f"{prefix} project. Value: {given}. 'name' is a required property"
            raise Problem(400, "Bad Request", text)
        if not name or len(name) > 64:
            why = "should be non-empty" if not name else "is too long"
            raise Problem(400, "Bad Request", f"{prefix} name. Value: {name}. {name!r} {why}")
        domain = given.get("domain_id") or "default"
        if domain not in self.domains:
            raise missing("domain", domain, status=400)
        parent = given.get("parent_id") or domain
        if parent != domain and parent not in self.projects:
            raise missing("project", parent, status=400)
        key = self._id()
        taken = {(item["domain_id"], item["name"]) for item in self.projects.values()}
        if (domain, name) in taken:
            text = (
                "Conflict occurred attempting to store project - it is not permitted to have two "
                "projects with either the same name or same id in the same domain: "
                f"name is {name}, project id {key}."
            )
            raise Problem(409, "Conflict", text)
        self.projects[key] = {
            "id": key,
            "name": name,
            "domain_id": domain,
            "description": given.get("description") or "",
            "enabled": given.get("enabled", True),
            "parent_id": parent,
            "is_domain": False,
            "tags": list(given.get("tags", ())),
            "options": {},
            "links": {"self": f"{BASE}/v3/projects/{key}"},
        }
        return self.projects[key]

    def _on_trusts(self, asked: Asked, rest: list[str]) -> Answer:
        caller = self._caller(asked)
        if asked.method == "POST" and not rest:
            return Answer(201, {"trust": self._add_trust(caller, asked.body["trust"])})
        if asked.method not in ("GET", "DELETE") or len(rest) != 1:
            return Answer(405, {"message": "The method is not allowed for the requested URL."})
        trust = self.trusts.get(rest[0])
        if trust is None:
            raise missing("trust", rest[0])
        mine = caller.user == trust["trustor_user_id"] or "admin" in caller.roles
        if asked.method == "DELETE":
            _need(mine, "delete_trust")
            del self.trusts[rest[0]]
            return Answer(204)
        _need(mine or caller.user == trust["trustee_user_id"], "get_trust")
        return Answer(200, {"trust": trust})

    def _add_trust(self, caller: Token, given: Mapping[str, Any]) -> dict[str, Any]:
        if caller.trust:
            raise denied()
        _need(given["trustor_user_id"] == caller.user, "create_trust")
        if not given["roles"]:
            raise denied_text("At least one role should be specified.")
        if given["trustee_user_id"] not in self.users:
            raise missing("user", given["trustee_user_id"])
        roles = []
        for wanted in given["roles"]:
            name = self.roles.get(wanted["id"]) if "id" in wanted else wanted["name"]
            if name not in self.roles.values():
                text = f"Role {wanted.get('name')} is not defined"
                raise (
                    missing("role", wanted["id"])
                    if "id" in wanted
                    else Problem(404, "Not Found", text)
                )
            if name not in caller.roles:
                raise missing("role", self._role_id(name))
            roles.append({"id": self._role_id(name), "name": name})
        key = self._id()
        self.trusts[key] = {
            "id": key,
            "trustor_user_id": given["trustor_user_id"],
            "trustee_user_id": given["trustee_user_id"],
            "project_id": given["project_id"],
            "impersonation": given["impersonation"],
            "roles": roles,
            "expires_at": None,
            "remaining_uses": None,
            "deleted_at": None,
            "redelegated_trust_id": None,
            "redelegation_count": 0,
        }
        return self.trusts[key]

    def _on_domains(self, asked: Asked, rest: list[str]) -> Answer:
        self._caller(asked)
        rows = {
            key: {"id": key, "name": name, "enabled": True} for key, name in self.domains.items()
        }
        if not rest:
            return self._listed("domains", rows.values(), asked)
        if rest[0] not in rows:
            raise missing("domain", rest[0])
        return Answer(200, {"domain": rows[rest[0]]})

    def _listed(self, kind: str, rows: Iterable[Mapping[str, Any]], asked: Asked) -> Answer:
        shown = [
            row
            for row in rows
            if all(str(row.get(key, value)) == value for key, value in asked.query.items())
        ]
        query = f"?{urlencode(asked.query)}" if asked.query else ""
        links = {"next": None, "self": f"{BASE}/v3/{kind}{query}", "previous": None}
        return Answer(200, {kind: shown, "links": links})

    def _role_id(self, name: str) -> str:
        return next(key for key, role in self.roles.items() if role == name)

    def _version(self) -> dict[str, Any]:
        links = [{"rel": "self", "href": f"{BASE}/v3/"}]
        return {"id": "v3.14", "status": "stable", "links": links}

    def _id(self) -> str:
        return f"{next(self._ids):032x}"


def denied_text(text: str) -> Problem:
    return Problem(403, "Forbidden", f"{DENIED}: {text}")


def _need(condition: bool, rule: str) -> None:
    if not condition:
        raise denied(rule)


def catalog_of(**urls: str) -> list[dict[str, Any]]:
    """A catalog with one region; types are the keywords, with "_" for "-"."""
    return [
        {
            "id": f"service-{kind}",
            "name": kind,
            "type": kind.replace("_", "-"),
            "endpoints": [
                {
                    "id": f"{kind}-{interface}",
                    "interface": interface,
                    "region_id": "RegionOne",
                    "region": "RegionOne",
                    "url": url,
                }
                for interface in ("public", "internal", "admin")
            ],
        }
        for kind, url in urls.items()
    ]

"""The administrator's view of Heat and Keystone, through their APIs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import httpx2

from tests.crash.tree import PROJECT, Tree

END_SECONDS = 300.0
BUSY_SECONDS = 60.0
DEFAULT = {"id": "default"}


@dataclass(frozen=True, slots=True)
class Access:
    """Where the services are (Heat's without the project, Keystone's /v3), and the password."""

    heat: str
    keystone: str
    password: str


class Cloud:
    """One token for both services; make a new one after a restart of Keystone."""

    busy_answers: ClassVar[int] = 0
    """how many answers were a 503"""

    def __init__(self, access: Access, end_seconds: float = END_SECONDS) -> None:
        self._heat, self._keystone = access.heat, access.keystone
        self._end_seconds = end_seconds
        self._http = httpx2.Client(timeout=60, trust_env=False)
        user = {"name": "admin", "domain": DEFAULT, "password": access.password}
        scope = {"project": {"name": "admin", "domain": DEFAULT}}
        identity = {"methods": ["password"], "password": {"user": user}}
        answer = self._http.post(
            f"{self._keystone}/auth/tokens", json={"auth": {"identity": identity, "scope": scope}}
        )
        answer.raise_for_status()
        self._http.headers["X-Auth-Token"] = answer.headers["X-Subject-Token"]
        self.project_id = str(answer.json()["token"]["project"]["id"])
        self._stacks = f"{self._heat}/{self.project_id}/stacks"

    def create(self, name: str, tree: Tree) -> None:
        body = {"stack_name": name, "disable_rollback": True, **_of(tree)}
        self._http.post(self._stacks, json=body).raise_for_status()

    def update(self, name: str, tree: Tree) -> None:
        path = self._path(name)
        self._http.put(path, json=_of(tree)).raise_for_status()

    def delete(self, name: str) -> None:
        self._http.delete(self._path(name)).raise_for_status()

    def end(self, name: str, operation: str) -> str:
        """The state in which the operation ends, with its reason when it is FAILED."""
        deadline = time.monotonic() + self._end_seconds
        state = "?"
        while time.monotonic() < deadline:
            stack = self._show(name)
            if stack is None:
                return "DELETE_COMPLETE"
            state = str(stack["stack_status"])
            if state.endswith("_FAILED"):
                return f"{state}: {stack['stack_status_reason']}"
            if state.endswith("_COMPLETE") and not (
                operation == "delete" and state == "DELETE_COMPLETE"
            ):
                return state
            time.sleep(0.1)
        return f"{state} after {self._end_seconds:.0f} s"

    def template(self, name: str) -> dict[str, Any] | None:
        """The stack's template; None when there is no stack."""
        if self._show(name) is None:
            return None
        answer = self._get(f"{self._path(name)}/template")
        answer.raise_for_status()
        template: dict[str, Any] = answer.json()
        return template

    def projects_of(self, name: str) -> dict[str, str]:
        """The projects of the whole tree: the way to the resource -> id of the project."""
        if self._show(name) is None:
            return {}
        answer = self._get(f"{self._path(name)}/resources", nested_depth=5)
        answer.raise_for_status()
        found = answer.json()["resources"]
        ways: dict[str, str] = {}
        """the way to each nested stack, by its URL"""
        for one in found:
            links = {link["rel"]: link["href"] for link in one["links"]}
            if "nested" in links:
                ways[links["nested"]] = links["self"]

        def way(url: str) -> str:
            stack, _, resource = url.partition("/resources/")
            return f"{way(ways[stack])}/{resource}" if stack in ways else resource

        return {
            way(link["href"]): one["physical_resource_id"]
            for one in found
            for link in one["links"]
            if one["resource_type"] == PROJECT and link["rel"] == "self"
        }

    def marked(self, mark: str) -> list[dict[str, Any]]:
        """The projects in Keystone with a description that begins with the mark."""
        return [one for one in self._projects() if (one["description"] or "").startswith(mark)]

    def stack_domain_projects(self) -> list[dict[str, Any]]:
        """The projects that Heat keeps for stacks' own users."""
        return [one for one in self._projects() if one["domain_id"] != "default"]

    def _projects(self) -> list[dict[str, Any]]:
        answer = self._get(f"{self._keystone}/projects")
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()["projects"]
        return found

    def _show(self, name: str) -> dict[str, Any] | None:
        answer = self._get(f"{self._stacks}/{name}")
        if answer.status_code == 404:
            return None
        answer.raise_for_status()
        stack: dict[str, Any] = answer.json()["stack"]
        return stack

    def _get(self, url: str, **query: Any) -> httpx2.Response:
        """The answer; a service that says that it is busy is asked again, and counted."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            answer = self._http.get(url, params=query, follow_redirects=True)
            if answer.status_code != 503 or time.monotonic() > deadline:
                return answer
            Cloud.busy_answers += 1
            time.sleep(0.5)

    def _path(self, name: str) -> str:
        stack = self._show(name)
        if stack is None:
            raise SystemExit(f"there is no stack {name}")
        return f"{self._stacks}/{name}/{stack['id']}"


def _of(tree: Tree) -> dict[str, Any]:
    return {"template": tree.template, "files": tree.files}

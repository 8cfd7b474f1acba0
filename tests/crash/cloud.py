"""The administrator's view of Heat and Keystone, through their APIs."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx2

from tests.crash.up import Up

END_SECONDS = 180.0
DEFAULT = {"id": "default"}


class Cloud:
    """One token for both services; make a new one after a restart."""

    def __init__(self, up: Up) -> None:
        self._heat, self._keystone = up.said["Heat"], up.said["Keystone"]
        self._http = httpx2.Client(timeout=60, trust_env=False)
        password = json.loads((up.folder / "secrets.json").read_text())["passwords"]["admin"]
        user = {"name": "admin", "domain": DEFAULT, "password": password}
        scope = {"project": {"name": "admin", "domain": DEFAULT}}
        identity = {"methods": ["password"], "password": {"user": user}}
        answer = self._http.post(
            f"{self._keystone}/auth/tokens", json={"auth": {"identity": identity, "scope": scope}}
        )
        answer.raise_for_status()
        self._http.headers["X-Auth-Token"] = answer.headers["X-Subject-Token"]
        self.project_id = str(answer.json()["token"]["project"]["id"])
        self._stacks = f"{self._heat}/{self.project_id}/stacks"

    def create(self, name: str, template: dict[str, Any]) -> None:
        body = {"stack_name": name, "template": template, "disable_rollback": True}
        self._http.post(self._stacks, json=body).raise_for_status()

    def update(self, name: str, template: dict[str, Any]) -> None:
        path = self._path(name)
        self._http.put(path, json={"template": template}).raise_for_status()

    def delete(self, name: str) -> None:
        self._http.delete(self._path(name)).raise_for_status()

    def end(self, name: str, operation: str) -> str:
        """The state in which the operation ends, with its reason when it is FAILED."""
        deadline = time.monotonic() + END_SECONDS
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
        return f"{state} after {END_SECONDS:.0f} s"

    def template(self, name: str) -> dict[str, Any] | None:
        """The stack's template; None when there is no stack."""
        if self._show(name) is None:
            return None
        answer = self._http.get(f"{self._path(name)}/template")
        answer.raise_for_status()
        template: dict[str, Any] = answer.json()
        return template

    def projects_of(self, name: str) -> dict[str, str]:
        """The stack's projects: name of the resource -> id of the project."""
        if self._show(name) is None:
            return {}
        answer = self._http.get(
            f"{self._path(name)}/resources", params={"type": "OS::Keystone::Project"}
        )
        answer.raise_for_status()
        return {
            one["resource_name"]: one["physical_resource_id"] for one in answer.json()["resources"]
        }

    def marked(self, mark: str) -> list[dict[str, Any]]:
        """The projects in Keystone with a description that begins with the mark."""
        return [one for one in self._projects() if (one["description"] or "").startswith(mark)]

    def stack_domain_projects(self) -> list[dict[str, Any]]:
        """The projects that Heat keeps for stacks' own users."""
        return [one for one in self._projects() if one["domain_id"] != "default"]

    def _projects(self) -> list[dict[str, Any]]:
        answer = self._http.get(f"{self._keystone}/projects")
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()["projects"]
        return found

    def _show(self, name: str) -> dict[str, Any] | None:
        answer = self._http.get(f"{self._stacks}/{name}", follow_redirects=True)
        if answer.status_code == 404:
            return None
        answer.raise_for_status()
        stack: dict[str, Any] = answer.json()["stack"]
        return stack

    def _path(self, name: str) -> str:
        stack = self._show(name)
        if stack is None:
            raise SystemExit(f"there is no stack {name}")
        return f"{self._stacks}/{name}/{stack['id']}"

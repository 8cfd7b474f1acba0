"""A cloud of projects, as far as OS::Keystone::Project asks for it, that fails on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import trio

from heat_core.procedure import HttpAnswer, HttpCall, ServiceError

DOMAIN = {"id": "default", "name": "Default"}


@dataclass
class FakeCloud:
    """Projects by id. `fault(when, call)` may raise before or after a request takes effect."""

    new_id: Callable[[], str]
    latency: Callable[[], float]
    fault: Callable[[str, HttpCall], None] = lambda when, call: None
    projects: dict[str, dict[str, Any]] = field(default_factory=dict)
    created: list[str] = field(default_factory=list)

    async def send(
        self, credentials: Any, call: HttpCall, on_the_wire: Callable[[], None] = lambda: None
    ) -> HttpAnswer:
        """Answer a request. `on_the_wire` may raise: then the sender died before it was sent."""
        await trio.sleep(self.latency())
        on_the_wire()
        self.fault("before", call)
        answer = self._answer(call)
        self.fault("after", call)
        await trio.sleep(self.latency())
        if answer.status >= 400 and answer.status not in call.expect:
            raise _refusal(call, answer)
        return answer

    def poll_delay(self, service: str | None, attempt: int, hint_seconds: float | None) -> float:
        return hint_seconds or 1.0

    def _answer(self, call: HttpCall) -> HttpAnswer:
        path = unquote(call.path)
        if call.service != "identity":
            raise _refusal(call, HttpAnswer(404, "no endpoint"), "EndpointNotFound")
        if path == "/v3/projects" and call.method == "POST":
            return self._create(call.body["project"])
        if path == "/v3/projects" and call.method == "GET":
            query = dict(call.query)
            found = [p for p in self.projects.values() if p["name"] == query.get("name")]
            return HttpAnswer(200, {"projects": found})
        if path.startswith("/v3/projects/"):
            return self._one(call, path.removeprefix("/v3/projects/"))
        if path.startswith("/v3/domains"):
            return HttpAnswer(200, {"domain": DOMAIN, "domains": [DOMAIN]})
        return HttpAnswer(404, {"error": {"message": f"no such path {path}"}})

    def _create(self, wanted: Mapping[str, Any]) -> HttpAnswer:
        name = wanted["name"]
        if any(p["name"] == name for p in self.projects.values()):
            return HttpAnswer(409, {"error": {"message": "Duplicate entry"}})
        project = {"id": self.new_id(), "tags": [], "is_domain": False, **wanted}
        self.projects[project["id"]] = project
        self.created.append(name)
        return HttpAnswer(201, {"project": dict(project)})

    def _one(self, call: HttpCall, project_id: str) -> HttpAnswer:
        project = self.projects.get(project_id)
        if project is None:
            return HttpAnswer(404, {"error": {"message": "Could not find project"}})
        if call.method == "DELETE":
            del self.projects[project_id]
            return HttpAnswer(204)
        if call.method == "PATCH":
            project.update(call.body["project"])
        return HttpAnswer(200, {"project": dict(project)})


def _refusal(call: HttpCall, answer: HttpAnswer, error_class: str = "") -> ServiceError:
    names = {404: "NotFound", 409: "Conflict"}
    return ServiceError(
        call.service,
        answer.status,
        str(answer.body),
        error_class=error_class or names.get(answer.status, "HttpError"),
        text=f"{answer.body} (HTTP {answer.status})",
        body=answer.body,
    )

"""Clients that create, update and delete stacks all the time, and remember every answer."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.conformance.drain_site import PATIENCE_SECONDS, Site

PROJECTS = 3


def template(name: str, edition: int, moments: random.Random) -> dict[str, Any]:
    """Projects, something that takes its time beside them, and one that waits for all.

    From an edition to the next one project stays, one is changed, one is replaced.
    """
    resources: dict[str, Any] = {
        f"project_{n}": {
            "type": "OS::Keystone::Project",
            "properties": {"description": f"{name} {n}", "tags": [f"e{edition}"] if n == 1 else []},
        }
        for n in range(PROJECTS - 1)
    }
    resources[f"project_{PROJECTS}_{edition}"] = {
        "type": "OS::Keystone::Project",
        "properties": {"description": f"{name} {edition}"},
    }
    resources["slow"] = {
        "type": "OS::Heat::TestResource",
        "properties": {
            "value": f"edition {edition}",
            "action_wait_secs": {
                "create": moments.choice((0, 2, 6)),
                "update": moments.choice((0, 2, 6)),
            },
        },
    }
    resources["last"] = {"type": "OS::Heat::RandomString", "depends_on": list(resources)}
    return {
        "heat_template_version": "2021-04-16",
        "description": f"edition {edition}",
        "resources": resources,
    }


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request: `status` 0 for one that was sent and never answered."""

    method: str
    stack: str
    status: int
    why: str = ""


@dataclass(slots=True)
class Expected:
    """What the answers that a stack's requests got promise."""

    stack_id: str
    edition: int
    deleted: bool = False


@dataclass(slots=True)
class Load:
    """All clients together."""

    site: Site
    seed: int
    answers: list[Answer] = field(default_factory=list)
    expected: dict[str, Expected] = field(default_factory=dict)
    refused: int = 0
    """connections that one API did not take, and another one did"""
    problems: list[str] = field(default_factory=list)
    ending: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, clients: int) -> list[threading.Thread]:
        """The clients' threads, which end at the end of what they are at once `ending` is set."""
        token, project = self.site.token()
        threads = [
            threading.Thread(target=self._client, args=(number, token, project), daemon=True)
            for number in range(clients)
        ]
        for thread in threads:
            thread.start()
        return threads

    def _client(self, number: int, token: str, project: str) -> None:
        client = Client(self, number, token, project)
        count = 0
        while not self.ending.is_set():
            count += 1
            try:
                client.life_of(f"client{number}-{count}")
            except Exception as error:
                with self.lock:
                    self.problems.append(f"client{number}-{count}: {type(error).__name__}: {error}")


class Client:
    """One of them; every other one keeps its connections."""

    def __init__(self, load: Load, number: int, token: str, project: str) -> None:
        self._load = load
        self._moments = random.Random(f"{load.seed} {number}")
        limits = httpx2.Limits(max_keepalive_connections=8 if number % 2 else 0)
        self._http = httpx2.Client(
            timeout=90, headers={"X-Auth-Token": token}, trust_env=False, limits=limits
        )
        self._project = project

    def life_of(self, name: str) -> None:
        """Create a stack, update it, and delete it, but for the last one at the end."""
        created = self._send("POST", name, "stacks", self._body(name, 1))
        if created is None or created.status_code != 201:
            return
        stack_id = created.json()["stack"]["id"]
        expected = self._load.expected[name] = Expected(stack_id, 1)
        self._settle(name, stack_id, "CREATE_COMPLETE")
        path = f"stacks/{name}/{stack_id}"
        updated = self._send("PUT", name, path, self._body(name, 2))
        if updated is not None and updated.status_code == 202:
            expected.edition = 2
        self._settle(name, stack_id, "UPDATE_COMPLETE")
        if self._load.ending.is_set():
            return
        deleted = self._send("DELETE", name, path, None)
        if deleted is not None and deleted.status_code == 204:
            expected.deleted = True
            self._settle(name, stack_id, "DELETE_COMPLETE")

    def _body(self, name: str, edition: int) -> dict[str, Any]:
        wanted = template(name, edition, self._moments)
        return {"stack_name": name, "template": wanted, "disable_rollback": True}

    def _settle(self, name: str, stack_id: str, wanted: str) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        state = "?"
        while time.monotonic() < until:
            answer = self._send("GET", name, f"stacks/{name}/{stack_id}", None)
            if answer is not None and answer.status_code == 200:
                stack = answer.json()["stack"]
                state = stack["stack_status"]
                if not state.endswith("IN_PROGRESS") and state == wanted:
                    return
                if state.endswith("FAILED"):
                    raise AssertionError(f"{state}: {stack['stack_status_reason']}")
            elif answer is not None and answer.status_code == 404 and "DELETE" in wanted:
                return
            time.sleep(self._moments.uniform(0.1, 0.5))
        raise AssertionError(f"{state} after {PATIENCE_SECONDS:.0f} s, wanted {wanted}")

    def _send(
        self, method: str, name: str, path: str, body: dict[str, Any] | None
    ) -> httpx2.Response | None:
        """The answer, from whichever API takes the connection, as a load balancer would do it."""
        urls = self._load.site.api_urls[:]
        self._moments.shuffle(urls)
        for url in urls * 50:
            try:
                answer = self._http.request(method, f"{url}/{self._project}/{path}", json=body)
            except httpx2.ConnectError:
                with self._load.lock:
                    self._load.refused += 1
                time.sleep(0.05)
                continue
            except httpx2.TransportError as error:
                self._note(Answer(method, name, 0, f"{type(error).__name__}: {error}"))
                return None
            self._note(Answer(method, name, answer.status_code, answer.text[:200]))
            return answer
        self._note(Answer(method, name, 0, "nobody takes a connection"))
        return None

    def _note(self, answer: Answer) -> None:
        with self._load.lock:
            self._load.answers.append(answer)

"""The demonstration speaks the API as a client does, and says how it went."""

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
import yaml
from trio.testing import MockClock

from heat_app.standalone.client import RequestFailed
from heat_app.standalone.demo import demonstrate, template_text
from heat_core.stack import StackDefinition
from heat_core.template import Template, parse_text

HEAT = "http://heat/v1/p1"


class FakeCloud:
    """A Keystone and a Heat of canned answers; `ends` are the statuses a new stack goes through."""

    def __init__(self, *ends: str, present: str | None = None) -> None:
        self.stacks: dict[str, list[str]] = {}
        if present is not None:
            self.stacks["old"] = [present]
        self.ends = ends
        self.requests: list[tuple[str, str]] = []
        self.template = ""

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        path = str(request.url).removeprefix(HEAT)
        self.requests.append((request.method, path))
        if path.endswith("/auth/tokens"):
            endpoint = {"interface": "public", "url": HEAT}
            catalog = [{"type": "orchestration", "endpoints": [endpoint]}]
            return httpx2.Response(
                201, json={"token": {"catalog": catalog}}, headers={"X-Subject-Token": "t"}
            )
        assert request.headers["X-Auth-Token"] == "t"
        return self._heat(request, path)

    def _heat(self, request: httpx2.Request, path: str) -> httpx2.Response:
        if request.method == "POST":
            self.template = json.loads(request.content)["template"]
            self.stacks["new"] = list(self.ends)
            return httpx2.Response(201, json={"stack": {"id": "new"}})
        if path == "/stacks/hello":
            if not self.stacks:
                return httpx2.Response(404, json={"error": {"message": "no such stack"}})
            stack_id = next(iter(self.stacks))
            return httpx2.Response(302, headers={"Location": f"{HEAT}/stacks/hello/{stack_id}"})
        stack_id = path.split("/")[3]
        if request.method == "DELETE":
            self.stacks[stack_id] = ["DELETE_IN_PROGRESS", "DELETE_COMPLETE"]
            return httpx2.Response(204)
        if path.endswith("/resources"):
            return httpx2.Response(200, json={"resources": []})
        statuses = self.stacks[stack_id]
        status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
        if status == "DELETE_COMPLETE":
            del self.stacks[stack_id]
        stack = {
            "id": stack_id,
            "stack_name": "hello",
            "stack_status": status,
            "stack_status_reason": "a reason",
            "outputs": [
                {"output_key": "greeting", "output_value": "Hello"},
                {"output_key": "servers", "output_value": ["a", "b"]},
            ],
        }
        return httpx2.Response(200, json={"stack": stack})


async def _run(answer: Callable[[httpx2.Request], Any]) -> bool:
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as http:
        return await demonstrate(http, "http://k/v3", "secret")


async def test_a_new_stack(autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]) -> None:
    cloud = FakeCloud("CREATE_IN_PROGRESS", "CREATE_COMPLETE")
    assert await _run(cloud.answer)
    assert yaml.safe_load(cloud.template)["parameters"]
    said = capsys.readouterr().out
    assert "The stack hello is CREATE_COMPLETE." in said
    assert "  greeting        Hello\n" in said
    assert '  servers         ["a", "b"]\n' in said


async def test_a_failure_with_its_reason(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not await _run(FakeCloud("CREATE_IN_PROGRESS", "CREATE_FAILED").answer)
    assert "The stack hello is CREATE_FAILED.\n  a reason\n" in capsys.readouterr().out


@pytest.mark.parametrize("status", ["CREATE_COMPLETE", "UPDATE_COMPLETE"])
async def test_a_stack_of_an_earlier_start(
    status: str, autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud = FakeCloud(present=status)
    assert await _run(cloud.answer)
    assert "POST" not in [method for method, path in cloud.requests if path.startswith("/")]
    assert "is there already" in capsys.readouterr().out


@pytest.mark.parametrize("status", ["CREATE_FAILED", "DELETE_IN_PROGRESS"])
async def test_what_an_earlier_start_left_unfinished_is_made_anew(
    status: str, autojump_clock: MockClock
) -> None:
    cloud = FakeCloud("CREATE_COMPLETE", present=status)
    if status == "DELETE_IN_PROGRESS":
        cloud.stacks["old"].append("DELETE_COMPLETE")
    assert await _run(cloud.answer)
    assert list(cloud.stacks) == ["new"]


async def test_a_refusal(autojump_clock: MockClock) -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(401, json={"error": {"message": "who are you?"}})

    with pytest.raises(RequestFailed, match=r"Keystone refused demo: .*who are you\?"):
        await _run(refuse)


async def test_the_apis_own_reason_is_shown(autojump_clock: MockClock) -> None:
    cloud = FakeCloud()

    def refuse(request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST" and str(request.url).startswith(HEAT):
            return httpx2.Response(400, json={"error": {"message": "too many stacks"}})
        return cloud.answer(request)

    with pytest.raises(RequestFailed, match=r"^too many stacks$"):
        await _run(refuse)


async def test_a_stack_that_comes_to_no_end(autojump_clock: MockClock) -> None:
    with pytest.raises(RequestFailed, match="not at rest after 600 seconds"):
        await _run(FakeCloud("CREATE_IN_PROGRESS").answer)


def test_the_template_is_what_it_promises() -> None:
    template = Template(parse_text(template_text()))
    stack = StackDefinition.build(template, stack_name="hello", stack_id="1")
    stack.validate()
    assert len(stack.resources) == 12
    assert len({resource.type for resource in stack.resources.values()}) == 5
    assert stack.template.document["parameters"]
    assert stack.template.document["conditions"]
    assert sum(bool(needed) for needed in stack.requires.values()) >= 8
    assert len(stack.outputs) == 4

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from heat_app.engine import DefinitionValidator
from heat_core import errors
from heat_core.procedure import HttpAnswer, HttpCall, ServiceError
from heat_core.rpc import RequestContext
from heat_core.stack import StackDefinition, StackLimits
from heat_core.template import Template
from heat_io.drivers.procedure_driver import ProcedureDriver
from heat_io.openstack import credentials_of


class Cloud:
    """Knows the domain "known" and refuses to say anything about "forbidden"."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, HttpCall]] = []

    async def send(self, credentials: Any, call: HttpCall) -> HttpAnswer:
        self.calls.append((credentials, call))
        if call.path.endswith("/forbidden"):
            raise ServiceError("identity", 403, "no", error_class="Forbidden", text="no (HTTP 403)")
        if call.path.endswith("/known"):
            return HttpAnswer(200, {"domain": {"id": "known"}})
        if call.path == "/v3/domains":
            return HttpAnswer(200, {"domains": []})
        return HttpAnswer(404)

    def poll_delay(self, service: str | None, attempt: int, hint: float | None) -> float:
        raise AssertionError("nothing is polled")


@pytest.fixture
def cloud() -> Cloud:
    return Cloud()


@pytest.fixture
def validator(cloud: Cloud) -> DefinitionValidator:
    return DefinitionValidator(ProcedureDriver(cloud, lambda size: bytes(size)))


def _definition(document: dict[str, Any]) -> StackDefinition:
    document = {"heat_template_version": "2018-08-31", **document}
    return StackDefinition.build(
        Template(document), stack_name="s", stack_id="sid", project_id="PID"
    )


def _project(domain: str) -> StackDefinition:
    properties = {"domain": domain}
    resource = {"type": "OS::Keystone::Project", "properties": properties}
    return _definition({"resources": {"p": resource}})


async def test_nothing_is_asked_without_need(
    validator: DefinitionValidator, cloud: Cloud, user: RequestContext
) -> None:
    resource = {"type": "OS::Heat::RandomString", "properties": {"length": 8}}
    await validator.validate(user, _definition({"resources": {"r": resource}}))
    assert cloud.calls == []


async def test_services_are_asked_as_the_caller(
    validator: DefinitionValidator, cloud: Cloud, user: RequestContext
) -> None:
    caller = replace(user, auth_token="token", auth_url="http://keystone/v3")
    await validator.validate(caller, _project("known"))
    assert [call.path for _, call in cloud.calls] == ["/v3/domains/known"]
    assert cloud.calls[0][0] == credentials_of(caller)


async def test_what_services_do_not_know_is_a_mistake(
    validator: DefinitionValidator, user: RequestContext
) -> None:
    with pytest.raises(errors.StackValidationFailed) as caught:
        await validator.validate(user, _project("unknown"))
    assert str(caught.value) == (
        "Property error: resources.p.properties.domain: Error validating value 'unknown': "
        "The KeystoneDomain (unknown) could not be found."
    )


async def test_a_service_that_is_away_gets_time_to_come_back(
    validator: DefinitionValidator,
    cloud: Cloud,
    user: RequestContext,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send = cloud.send

    async def away(credentials: Any, call: HttpCall) -> HttpAnswer:
        if trio.current_time() < 20:
            raise ServiceError(
                "identity", 0, "refused", error_class="ConnectFailure", text="refused", away=True
            )
        return await send(credentials, call)

    monkeypatch.setattr(cloud, "send", away)
    with pytest.raises(errors.StackValidationFailed, match="refused"):
        await validator.validate(user, _project("known"))
    assert trio.current_time() < 1
    await validator.validate(user, _project("known"), patience_seconds=60)
    assert 20 <= trio.current_time() < 30


async def test_values_do_not_count_unless_strict(
    validator: DefinitionValidator, cloud: Cloud, user: RequestContext
) -> None:
    await validator.validate(user, _project("unknown"), strict=False)
    assert cloud.calls == []


async def test_a_service_that_the_caller_cannot_reach(
    validator: DefinitionValidator, user: RequestContext
) -> None:
    compute_only = replace(user, auth_token_info={"token": {"catalog": [{"type": "compute"}]}})
    with pytest.raises(errors.ResourceTypeUnavailable) as caught:
        await validator.validate(compute_only, _project("known"))
    assert str(caught.value) == (
        "HEAT-E99001 Service keystone is not available for resource type OS::Keystone::Project, "
        "reason: keystone identity endpoint is not in service catalog."
    )
    await validator.validate(
        compute_only, _project("known"), strict=False, ignorable_errors={"99001"}
    )


@pytest.mark.parametrize(
    ("document", "kind", "text"),
    [
        (
            {"parameters": {"p": {"type": "string"}}},
            errors.UserParameterMissing,
            "The Parameter (p) was not provided.",
        ),
        (
            {"resources": {"a/b": {"type": "OS::Heat::None"}}},
            errors.StackValidationFailed,
            'Resource name may not contain "/"',
        ),
        (
            {"resources": {"a": {"type": "OS::No::Such"}}},
            errors.StackValidationFailed,
            "The Resource Type (OS::No::Such) could not be found.",
        ),
        (
            {
                "resources": {
                    "a": {"type": "OS::Heat::TestResource", "depends_on": "b"},
                    "b": {"type": "OS::Heat::TestResource", "depends_on": "a"},
                }
            },
            errors.CircularDependencyException,
            None,
        ),
    ],
)
async def test_mistakes_of_the_definition(
    validator: DefinitionValidator,
    user: RequestContext,
    document: dict[str, Any],
    kind: type[Exception],
    text: str | None,
) -> None:
    with pytest.raises(kind) as caught:
        await validator.validate(user, _definition(document))
    if text is not None:
        assert str(caught.value) == text


async def test_a_big_definition_does_not_hold_up_the_loop(
    validator: DefinitionValidator, user: RequestContext
) -> None:
    resource = {"type": "OS::Heat::RandomString", "properties": {"length": 8}}
    resources: dict[str, Any] = {f"r{n}": dict(resource) for n in range(300)}
    await validator.validate(user, _definition({"resources": resources}))
    resources["bad"] = {"type": "OS::Heat::RandomString", "properties": {"length": 0}}
    with pytest.raises(errors.StackValidationFailed, match="out of range"):
        await validator.validate(user, _definition({"resources": resources}))
    resources["bad"] = {"type": "OS::Keystone::Project", "properties": {"domain": "unknown"}}
    with pytest.raises(errors.StackValidationFailed, match="KeystoneDomain"):
        await validator.validate(user, _definition({"resources": resources}))


async def test_templates_by_address_are_fetched_and_kept(user: RequestContext) -> None:
    asked: list[str] = []
    inner = b"heat_template_version: 2018-08-31\nresources: {n: {type: 'http://h/b.yaml'}}\n"
    last = b"heat_template_version: 2018-08-31\nparameters: {p: {type: string, default: x}}\n"

    async def fetch(url: str) -> bytes:
        asked.append(url)
        return inner if url.endswith("a.yaml") else last

    procedures = ProcedureDriver(Cloud(), lambda size: bytes(size))
    validator = DefinitionValidator(procedures, fetch=fetch)
    definition = _definition({"resources": {"n": {"type": "http://h/a.yaml"}}})
    await validator.validate(user, definition)
    assert asked == ["http://h/a.yaml", "http://h/b.yaml"]
    assert definition.template.all_files == {
        "http://h/a.yaml": inner.decode(),
        "http://h/b.yaml": last.decode(),
    }


async def test_a_template_that_cannot_be_fetched(user: RequestContext) -> None:
    async def fetch(url: str) -> bytes:
        raise errors.URLFetchError("no route")

    procedures = ProcedureDriver(Cloud(), lambda size: bytes(size))
    validator = DefinitionValidator(procedures, fetch=fetch)
    definition = _definition({"resources": {"n": {"type": "http://h/a.yaml"}}})
    with pytest.raises(errors.StackValidationFailed, match="no route"):
        await validator.validate(user, definition)


async def test_limits_of_nested_stacks(user: RequestContext) -> None:
    procedures = ProcedureDriver(Cloud(), lambda size: bytes(size))
    validator = DefinitionValidator(procedures, limits=StackLimits(max_nested_stack_depth=0))
    group = {"count": 1, "resource_def": {"type": "OS::Heat::None"}}
    resource = {"type": "OS::Heat::ResourceGroup", "properties": group}
    with pytest.raises(errors.StackValidationFailed, match="Recursion depth exceeds 0"):
        await validator.validate(user, _definition({"resources": {"g": resource}}))

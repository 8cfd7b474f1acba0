"""What a resource asks of the engines about its nested stack."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import trio
from site_of_tests import AMBIENT, NOW, Faults, Site, a_test_resource
from sqlalchemy import Engine, select
from trio.testing import MockClock

from heat_core.convergence.evaluation import Plan, class_of
from heat_core.errors import EntityNotFound, StackExists, StackValidationFailed
from heat_core.procedure import (
    CancelChild,
    CheckChild,
    ChildState,
    CreateChild,
    DeleteChild,
    FindChild,
    LookAtChild,
    SurveyChild,
    UpdateChild,
)
from heat_core.rpc import RequestContext
from heat_core.stack import HeatIdentifier, StackDefinition
from heat_core.stack.ids import EngineId, StackId, TemplateId
from heat_core.stack.naming import physical_resource_name
from heat_core.stack.records import ServiceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_core.template import Template
from heat_io.database import (
    Cipher,
    Database,
    Fault,
    InlineExecutor,
    resources,
    services,
    stacks,
    templates,
)
from heat_io.database.ambient import OPTION
from heat_io.database.schema import raw_template
from heat_io.drivers import NoStoredCredentials
from heat_io.drivers.children import CALL_ATTEMPTS, CALL_SECONDS, ChildParts, Children, OnlyLooks
from heat_io.drivers.procedure_driver import UNIT_SECONDS
from heat_io.messaging import CallTimeout, Delivery, InProcessBus

GROUP = {
    "type": "OS::Heat::ResourceGroup",
    "properties": {"count": 2, "resource_def": a_test_resource()},
}
SCALING = {
    "type": "OS::Heat::AutoScalingGroup",
    "properties": {"min_size": 2, "max_size": 2, "resource": a_test_resource()},
}


class Engines:
    """Answer as other engines do; `answer` decides, None is a call that nobody answers."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.contexts: list[RequestContext] = []
        self.answer: Callable[[str, dict[str, Any]], Any] = lambda method, arguments: {
            "stack_id": "made"
        }

    def handlers(self) -> dict[str, Any]:
        async def handle(delivery: Delivery) -> Any:
            arguments = dict(delivery.arguments)
            self.calls.append((delivery.method, arguments))
            self.contexts.append(delivery.context)
            answer = self.answer(delivery.method, arguments)
            if isinstance(answer, Exception):
                raise answer
            if answer is None:
                await trio.sleep_forever()
            return answer

        methods = ("create_stack", "update_stack", "delete_stack", "stack_check")
        return dict.fromkeys(methods, handle)

    @property
    def methods(self) -> list[str]:
        return [method for method, _ in self.calls]


class Trusted(NoStoredCredentials):
    """Stored credentials that can be had, and how often they were."""

    def __init__(self) -> None:
        self.asked = 0

    async def context_for(self, stack: StackRecord, context: RequestContext) -> RequestContext:
        self.asked += 1
        return replace(context, trust_id="stored", roles=("member",), project_id=stack.tenant)


class Owner:
    """A resource "g" of a stack, with what it asks."""

    def __init__(
        self,
        site: Site,
        database: Database,
        bus: InProcessBus,
        resource: Any,
        files: Mapping[str, str] | None = None,
    ) -> None:
        self.site = site
        stored = site.stack({"g": resource}, timeout=30, nested_depth=1)
        self.stack = replace(stored, user_creds_id=7)
        self.row = site.row(self.stack, "g", physical_id=None)
        document = {"heat_template_version": "2018-08-31", "resources": {"g": resource}}
        definition = StackDefinition.build(
            Template(document, files=files or {}),
            stack_name="st",
            stack_id=self.stack.id,
            project_id="tenant",
        )
        plan = Plan(
            type_name=resource["type"],
            resource_class=class_of(resource["type"], definition, "g"),
            template_id=self.stack.raw_template_id,
            stored_properties={},
            metadata={},
            definition=definition,
        )
        self.credentials = Trusted()
        self.stopped: list[StackRecord] = []
        parts = ChildParts(database, bus, self.credentials, lambda size: bytes(size), self._stop)
        self.plan, self.parts = plan, parts
        self.children = self.children_in(
            RequestContext(trust_id="came with the visit", roles=("member",))
        )
        self.name = physical_resource_name("st", "g", self.row.uuid)

    async def _stop(self, stack: StackRecord, context: RequestContext) -> bool:
        await trio.lowlevel.checkpoint()
        self.stopped.append(stack)
        return True

    def children_in(self, context: RequestContext) -> Children:
        """As a visit in `context` sees them."""
        return Children(self.parts, self.stack, self.row, self.plan, context)

    def child(self, **fields: Any) -> StackRecord:
        """A nested stack that is there."""
        return self.site.stack(name=self.name, owner_id=self.stack.id, **fields)

    async def ask(self, request: Any) -> Any:
        return await self.children.ask(request)

    def templates(self) -> list[Any]:
        def unit(connection: Any) -> list[Any]:
            found = (templates.fetch(connection, TemplateId(number)) for number in range(1, 9))
            return [one.template for one in found if one is not None]

        return self.site.read(unit)


@pytest.fixture
def engines() -> Engines:
    return Engines()


@pytest.fixture
async def bus(engines: Engines) -> AsyncIterator[InProcessBus]:
    bus = InProcessBus()
    async with trio.open_nursery() as nursery:
        await nursery.start(bus.serve, "engine", "other", "1.36", engines.handlers())
        yield bus
        nursery.cancel_scope.cancel()


@pytest.fixture
def owner(site: Site, database: Database, bus: InProcessBus) -> Owner:
    return Owner(site, database, bus, GROUP)


# --- making --------------------------------------------------------------------------------------


async def test_a_nested_stack_is_made_as_heat_makes_it(owner: Owner, engines: Engines) -> None:
    assert await owner.ask(CreateChild()) == "made"
    ((method, arguments),) = engines.calls
    assert method == "create_stack"
    assert arguments["stack_name"] == owner.name
    assert arguments["owner_id"] == owner.stack.id
    assert arguments["nested_depth"] == 2
    assert arguments["user_creds_id"] == 7
    assert arguments["parent_resource_name"] == "g"
    assert arguments["args"] == {"timeout_mins": 30, "disable_rollback": True}
    assert set(owner.templates()[-1]["resources"]) == {"0", "1"}


async def test_of_a_document_and_for_a_time_that_the_type_chose(
    owner: Owner, engines: Engines
) -> None:
    document = {"heat_template_version": "2013-05-23"}
    await owner.ask(CreateChild(document, 5))
    assert engines.calls[0][1]["args"]["timeout_mins"] == 5
    assert owner.templates()[-1] == document


async def test_its_hidden_parameters_are_stored_encrypted(
    site: Site, sql: Engine, bus: InProcessBus
) -> None:
    sealing = replace(AMBIENT, cipher=Cipher("k" * 32, encrypt_properties=True))
    inner = (
        "heat_template_version: 2018-08-31\n"
        "parameters: {word: {type: string, hidden: true}, open: {type: string}}\n"
    )
    executor = InlineExecutor(sql.execution_options(**{OPTION: sealing}))
    async with Database.over(executor, surroundings=sealing) as database:
        resource = {"type": "in.yaml", "properties": {"word": "geheim", "open": "o"}}
        owner = Owner(site, database, bus, resource, files={"in.yaml": inner})
        await owner.ask(CreateChild())
    stored = site.read(
        lambda connection: connection.execute(select(raw_template.c.environment)).scalars().all()
    )[-1]
    assert stored["encrypted_param_names"] == ["word"]
    assert stored["parameters"]["open"] == "o"
    assert Cipher("k" * 32).decrypt(*stored["parameters"]["word"]) == "geheim"


async def test_one_that_is_there_is_not_made_twice(owner: Owner, engines: Engines) -> None:
    assert await owner.ask(FindChild()) is None
    child = owner.child()
    assert await owner.ask(FindChild()) == child.id
    assert await owner.ask(CreateChild()) == child.id
    assert engines.calls == []


async def test_what_is_refused_leaves_no_template(owner: Owner, engines: Engines) -> None:
    engines.answer = lambda method, arguments: StackValidationFailed(message="no")
    with pytest.raises(StackValidationFailed):
        await owner.ask(CreateChild())
    assert len(owner.templates()) == 1
    child = owner.child()
    before = len(owner.templates())
    with pytest.raises(StackValidationFailed):
        await owner.ask(UpdateChild(child.id))
    assert len(owner.templates()) == before


@pytest.mark.parametrize("made", [True, False])
async def test_an_answer_that_does_not_come(
    owner: Owner, engines: Engines, made: bool, autojump_clock: MockClock
) -> None:
    def answer(method: str, arguments: Any) -> None:
        if made:
            owner.child()

    engines.answer = answer
    began = trio.current_time()
    if made:
        assert await owner.ask(CreateChild()) == await owner.ask(FindChild())
    else:
        with pytest.raises(CallTimeout):
            await owner.ask(CreateChild())
    assert trio.current_time() - began >= CALL_SECONDS


async def test_one_who_dies_with_the_call_is_followed_by_another(
    owner: Owner, engines: Engines, autojump_clock: MockClock
) -> None:
    def answer(method: str, arguments: Any) -> Any:
        return None if len(engines.calls) == 1 else {"stack_id": "made"}

    engines.answer = answer
    assert await owner.ask(CreateChild()) == "made"
    assert engines.methods == ["create_stack"] * 2
    assert engines.calls[0] == engines.calls[1]
    assert len(owner.templates()) == 2


async def test_one_who_was_only_slow_has_made_it_meanwhile(
    owner: Owner, engines: Engines, autojump_clock: MockClock
) -> None:
    def answer(method: str, arguments: Any) -> Any:
        if len(engines.calls) == 1:
            return None
        owner.child()
        return StackExists(stack_name="st")

    engines.answer = answer
    assert await owner.ask(CreateChild()) == await owner.ask(FindChild()) is not None


# --- changing ------------------------------------------------------------------------------------


async def test_an_update_is_of_a_template_of_its_own(owner: Owner, engines: Engines) -> None:
    child = owner.child()
    await owner.ask(UpdateChild(child.id, None, 3))
    ((method, arguments),) = engines.calls
    assert method == "update_stack"
    assert arguments["stack_identity"]["stack_id"] == child.id
    assert arguments["args"] == {"timeout_mins": 3, "converge": False}
    assert arguments["template_id"] != child.raw_template_id
    with pytest.raises(EntityNotFound):
        await owner.ask(UpdateChild("gone"))


@pytest.mark.parametrize("begun", [True, False])
async def test_an_update_whose_answer_does_not_come(
    owner: Owner, engines: Engines, begun: bool, autojump_clock: MockClock
) -> None:
    child = owner.child()

    def answer(method: str, arguments: Any) -> None:
        if begun:
            values = {"raw_template_id": arguments["template_id"]}
            owner.site.write(lambda connection: stacks.update(connection, child.id, values))

    engines.answer = answer
    if begun:
        await owner.ask(UpdateChild(child.id))
    else:
        with pytest.raises(CallTimeout):
            await owner.ask(UpdateChild(child.id))
    assert len(engines.calls) == (1 if begun else CALL_ATTEMPTS)


async def test_an_update_is_asked_for_again(
    owner: Owner, engines: Engines, autojump_clock: MockClock
) -> None:
    child = owner.child()
    engines.answer = lambda method, arguments: None if len(engines.calls) == 1 else {}
    await owner.ask(UpdateChild(child.id))
    assert engines.methods == ["update_stack"] * 2
    assert engines.calls[0] == engines.calls[1]


@pytest.mark.parametrize(
    ("request_of", "method"), [(DeleteChild, "delete_stack"), (CheckChild, "stack_check")]
)
async def test_operations_without_a_template(
    owner: Owner, engines: Engines, request_of: Any, method: str
) -> None:
    child = owner.child()
    await owner.ask(request_of(child.id))
    assert engines.calls == [
        (method, {**engines.calls[0][1], "stack_identity": _identity(child).to_dict()})
    ]
    await owner.ask(request_of("gone"))
    assert len(engines.calls) == 1
    engines.answer = lambda method, arguments: EntityNotFound(entity="Stack", name="x")
    await owner.ask(request_of(child.id))


async def test_it_is_asked_for_in_the_context_of_the_visit(owner: Owner, engines: Engines) -> None:
    child = owner.child()
    came = RequestContext(request_id="req-1", roles=("member",), trust_id="t", project_id="other")
    await owner.children_in(came).ask(DeleteChild(child.id))
    assert engines.contexts == [replace(came, project_id=owner.stack.tenant)]
    assert owner.credentials.asked == 0


async def test_a_visit_that_nobody_asked_for_acts_with_stored_credentials(
    owner: Owner, engines: Engines
) -> None:
    child = owner.child()
    children = owner.children_in(RequestContext(request_id="req-1"))
    for _ in range(2):
        await children.ask(DeleteChild(child.id))
    assert {(context.request_id, context.trust_id) for context in engines.contexts} == {
        ("req-1", "stored")
    }
    assert owner.credentials.asked == 1


async def test_a_delete_that_nobody_answers_is_asked_for_again(
    owner: Owner, engines: Engines, autojump_clock: MockClock
) -> None:
    child = owner.child()
    engines.answer = lambda method, arguments: None if len(engines.calls) == 1 else {}
    await owner.ask(DeleteChild(child.id))
    assert engines.methods == ["delete_stack"] * 2
    assert CALL_ATTEMPTS * CALL_SECONDS < UNIT_SECONDS
    engines.answer = lambda method, arguments: None
    with pytest.raises(CallTimeout):
        await owner.ask(DeleteChild(child.id))


async def test_a_cancel_cuts_off_what_the_nested_stack_does(owner: Owner) -> None:
    child = owner.child(action=Action.CREATE)
    await owner.ask(CancelChild(child.id))
    assert [stack.id for stack in owner.stopped] == [child.id]
    assert owner.stopped[0].current_traversal == child.current_traversal


async def test_there_may_be_nothing_to_cancel(owner: Owner) -> None:
    await owner.ask(CancelChild("gone"))
    for fields in ({"status": Status.COMPLETE}, {"action": Action.DELETE}, {"convergence": False}):
        await owner.ask(CancelChild(owner.child(**fields).id))
    assert owner.stopped == []


async def test_what_another_holder_of_the_resource_has_begun_is_not_cancelled(
    owner: Owner,
) -> None:
    child = owner.child(action=Action.UPDATE)
    values = {"engine_id": EngineId("another"), "atomic_key": 7}
    owner.site.write(lambda connection: resources.update(connection, owner.row.id, values))
    await owner.ask(CancelChild(child.id))
    assert owner.stopped == []


# --- looking -------------------------------------------------------------------------------------


async def test_how_far_it_is(owner: Owner) -> None:
    child = owner.child(action=Action.CREATE, status=Status.FAILED, status_reason="why")
    assert await owner.ask(LookAtChild(child.id)) == ChildState("CREATE", "FAILED", "why")
    gone = owner.child(action=Action.DELETE, status=Status.COMPLETE)
    assert await owner.ask(LookAtChild(gone.id)) is None
    assert await owner.ask(LookAtChild(StackId("none"))) is None


async def test_who_only_looks_may_ask_for_no_more(site: Site, database: Database) -> None:
    child = site.stack(status=Status.FAILED, status_reason="why", action=Action.CHECK)
    looks = OnlyLooks(database)
    assert await looks.ask(LookAtChild(child.id)) == ChildState("CHECK", "FAILED", "why")
    with pytest.raises(AssertionError, match="for more"):
        await looks.ask(DeleteChild(child.id))


async def test_what_it_is_made_from(owner: Owner) -> None:
    at = await owner.ask(SurveyChild())
    assert at.members.template is None
    assert at.active_engines == 0
    child = owner.child(raw_template_id=owner.site.template({"0": a_test_resource()}))
    owner.site.row(child, "0")
    owner.site.write(
        lambda connection: services.insert(
            connection,
            ServiceRecord(
                id="s",
                engine_id="e",
                host="h",
                hostname="h",
                binary="heat-engine",
                topic="engine",
                report_interval=60,
                created_at=NOW - timedelta(seconds=100),
            ),
        )
    )
    at = await owner.ask(SurveyChild(child.id))
    assert at.members.names(failed=True) == ["0"]
    assert at.members.template["resources"] == {"0": a_test_resource()}
    assert at.active_engines == 1
    assert (await owner.ask(SurveyChild("gone"))).members.template is None


async def test_new_members_get_names_from_chance(
    site: Site, database: Database, bus: InProcessBus, engines: Engines
) -> None:
    owner = Owner(site, database, bus, SCALING)
    numbers = iter(range(1, 9))
    parts = replace(owner.children._parts, entropy=lambda size: next(numbers).to_bytes(size))
    owner.children._parts = parts
    await owner.ask(CreateChild())
    names = list(owner.templates()[-1]["resources"])
    assert len(set(names)) == 2
    assert {len(name) for name in names} == {12}


async def test_a_nested_stack_needs_its_parents_definition(owner: Owner) -> None:
    owner.children._plan = replace(owner.children._plan, definition=None)
    with pytest.raises(AssertionError, match="definition of its parent"):
        await owner.ask(CreateChild())


def _identity(stack: StackRecord) -> HeatIdentifier:
    return HeatIdentifier(stack.tenant, stack.name, stack.id)


async def test_a_commit_whose_fate_is_unknown_fails_no_resource(
    owner: Owner, engines: Engines, faults: Faults
) -> None:
    faults.at_commit(Fault.LOST_AFTER_COMMIT)
    assert await owner.ask(CreateChild()) == "made"
    stored = owner.templates()
    assert stored[-1] == stored[-2]
    assert engines.methods == ["create_stack"]

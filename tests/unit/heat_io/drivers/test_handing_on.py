"""What goes on to other engines."""

from __future__ import annotations

from datetime import datetime

import pytest

from heat_core.errors import Error
from heat_core.procedure import ServiceError
from heat_core.rpc import RequestContext
from heat_core.stack.ids import EngineId, StackId, TemplateId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.drivers import NoStoredCredentials
from heat_io.drivers.handing_on import acting_context, cancel_cast
from heat_io.messaging import ENGINE_WORKER

STACK = StackRecord(
    id=StackId("s"),
    name="st",
    tenant="tenant",
    username="user",
    raw_template_id=TemplateId(1),
    action=Action.CREATE,
    status=Status.COMPLETE,
    created_at=datetime(2026, 3, 1),
)
CONTEXT = RequestContext(
    request_id="req-1",
    global_request_id="req-g",
    project_id="p",
    user_id="u",
    roles=("member",),
    auth_token="secret",
)


NO_ANSWER = ServiceError("identity", 0, "no", error_class="X", text="no answer")


class Trusted(NoStoredCredentials):
    """Credentials of a stack, or the error when there are none."""

    def __init__(self, lost: Exception | None = None) -> None:
        self._lost = lost

    async def context_for(self, stack: StackRecord, context: RequestContext) -> RequestContext:
        if self._lost is not None:
            raise self._lost
        return context.acting_with(RequestContext(trust_id="trust"), stack.tenant)


async def test_messages_carry_the_stored_credentials_of_their_stack() -> None:
    acting = await acting_context(Trusted(), STACK, CONTEXT)
    assert (acting.trust_id, acting.auth_token) == ("trust", None)
    assert (acting.request_id, acting.roles) == ("req-1", ("member",))


@pytest.mark.parametrize("lost", [Error("nothing stored"), NO_ANSWER])
async def test_without_credentials_messages_say_who_asked_and_carry_no_token(
    lost: Exception,
) -> None:
    bare = await acting_context(Trusted(lost), STACK, CONTEXT)
    assert bare == RequestContext(
        request_id="req-1", global_request_id="req-g", project_id="tenant", user_id="u"
    )


def test_a_cancel_goes_to_one_engine_and_carries_no_token() -> None:
    cast = cancel_cast(STACK, EngineId("e"), CONTEXT)
    assert (cast.target.topic, cast.target.server) == (ENGINE_WORKER.topic, "e")
    assert (cast.method, cast.arguments) == ("cancel_check_resource", {"stack_id": "s"})
    assert (cast.context.user_id, cast.context.auth_token) == ("u", None)

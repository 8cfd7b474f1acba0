"""In whose name an engine's messages to other engines are.

Any engine may take a message of the shared topics, one of Heat's too, and Heat's acts with nothing
but the context of the message. So it carries who asked, and the stack's stored credentials in place
of the user's token, which would end before long stacks do.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from heat_core.errors import HeatException
from heat_core.procedure import ServiceError
from heat_core.rpc import RequestContext
from heat_core.stack.ids import EngineId
from heat_core.stack.records import StackRecord
from heat_io.drivers.ports import CredentialsSource
from heat_io.messaging import ENGINE_WORKER, Cast, Target

log = logging.getLogger(__name__)

CANCEL_CHECK_RESOURCE = "cancel_check_resource"


async def acting_context(
    credentials: CredentialsSource, stack: StackRecord, context: RequestContext
) -> RequestContext:
    """The context of messages on the stack's behalf: who asked, and the stored credentials.

    Where those can't be had it says who asked and no more: what needs none goes on all the same,
    and our engines look for them again.
    """
    try:
        return await credentials.context_for(stack, context)
    except (HeatException, ServiceError) as error:
        log.warning(
            "a stack's messages carry no credentials",
            extra={"fields": {"stack_id": stack.id, "error": str(error)}},
        )
        return replace(service_context(context), project_id=stack.tenant)


def service_context(context: RequestContext) -> RequestContext:
    """The context of messages that need no credentials: under which request, and whose."""
    return RequestContext(
        request_id=context.request_id,
        global_request_id=context.global_request_id,
        project_id=context.project_id,
        user_id=context.user_id,
    )


def cancel_cast(stack: StackRecord, engine: EngineId, context: RequestContext) -> Cast:
    """The message that tells one engine to stop what it does to the stack's resources."""
    target = Target(ENGINE_WORKER.topic, server=engine, version=ENGINE_WORKER.version)
    return Cast(target, CANCEL_CHECK_RESOURCE, {"stack_id": stack.id}, service_context(context))

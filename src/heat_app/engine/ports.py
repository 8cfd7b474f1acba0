"""What the endpoints need from the rest of the engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from heat_app.engine.settings import EngineSettings
from heat_core.procedure import Request
from heat_core.rpc import RequestContext
from heat_core.stack import Action, StackDefinition, StackId, StackRecord, TemplateId
from heat_core.stack.node_data import AttributeKey, NodeData
from heat_io.database import Database
from heat_io.drivers.ports import EventListener, NobodyListens


class StackOperations(Protocol):
    """Starts traversals."""

    async def begin(
        self,
        context: RequestContext,
        stack_id: StackId,
        action: Action,
        *,
        template_id: TemplateId | None = None,
        changes: Mapping[str, Any] = {},
    ) -> None:
        """Store that `action` has begun and start it; returns once the store is durable.

        `changes` are columns of the stack stored in the same statement. A newer traversal that
        wins the store is no error (rules/i-convergence.md#6).
        """
        ...

    async def stop(self, context: RequestContext, stack_id: StackId) -> bool:
        """Cut off what the stack is doing: FAILED, "Stack <ACTION> cancelled".

        False when nothing was running any more.
        """
        ...

    async def migrate(self, stack_id: StackId) -> None:
        """Turn a tree of stacks of the legacy engine into stacks that converge."""
        ...


class Definitions(Protocol):
    """Parsed stacks, cached."""

    async def for_stack(self, stack: StackRecord) -> StackDefinition:
        """The definition of the stack's template. EntityNotFound when the template is gone."""
        ...

    async def for_template(
        self, stack: StackRecord, template_id: TemplateId
    ) -> StackDefinition | None:
        """The definition of one of the stack's templates, past or present; None if it is gone."""
        ...


class Attributes(Protocol):
    """Attributes of resources, live."""

    async def read(
        self, stack: StackRecord, wanted: Mapping[str, Iterable[AttributeKey]]
    ) -> Mapping[str, NodeData]:
        """The node data of the named resources that exist, with the wanted attributes.

        An attribute that cannot be read is absent or None.
        """
        ...


class StackCredentials(Protocol):
    """What a stack acts with after the request that made it is over."""

    async def create(self, context: RequestContext) -> int | None:
        """Store credentials for a new root stack; their user_creds id, None without any."""
        ...

    async def discard(self, context: RequestContext, user_creds_id: int) -> None:
        """Take back what `create` made: the stack could not be stored."""
        ...

    async def create_project(self, context: RequestContext, stack_id: StackId) -> str | None:
        """Make the Keystone project for users that the stack will make; its id, None for none."""
        ...

    async def refresh(self, context: RequestContext, stack: StackRecord) -> int | None:
        """Before another user's action: new credentials if the stored ones are not the caller's.

        The id to store, None when the stored ones may stay (rules/k-locks-services.md#19).
        """
        ...


class StackValidator(Protocol):
    """Checks definitions."""

    async def validate(
        self,
        context: RequestContext,
        definition: StackDefinition,
        *,
        strict: bool = True,
        ignorable_errors: Collection[str] = (),
        patience_seconds: float = 0.0,
    ) -> None:
        """Raise Heat's error for the first mistake (rules/d-properties.md#1-3).

        `strict` false leaves values alone, as the validate call does; errors whose code is among
        `ignorable_errors` don't count. A service that is away gets so long to come back.
        """
        ...


class Procedures(Protocol):
    """Runs procedures that only look."""

    async def run(self, context: RequestContext, procedure: Coroutine[Request, Any, Any]) -> Any:
        """What the procedure returns, with the caller's rights at every service."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an endpoint works with. `new_id` gives UUID texts, `now` naive UTC.

    `allows_type` answers the resource type policy.
    """

    database: Database
    operations: StackOperations
    definitions: Definitions
    attributes: Attributes
    credentials: StackCredentials
    validator: StackValidator
    procedures: Procedures
    settings: EngineSettings
    allows_type: Callable[[str, RequestContext], bool]
    new_id: Callable[[], str]
    now: Callable[[], datetime]
    listener: EventListener = field(default_factory=NobodyListens)


class Endpoint:
    """Base of the endpoints of one noun; the methods are named as on the wire."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

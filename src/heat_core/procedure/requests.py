"""What a procedure may ask of its driver, as frozen values.

A procedure is an `async def` that awaits nothing but these. No event loop: `await io.x()`
yields the request to whoever steps the coroutine and gets the answer back.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class HttpCall:
    """A request to a service of the catalog. Answer: HttpAnswer.

    An answer of 400 and above is thrown into the procedure as ServiceError, unless its status is
    in `expect`. `physical_name` lets the driver tell a repeat from a first try in its logs.
    """

    method: str
    service: str
    path: str
    body: Any = None
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    expect: frozenset[int] = frozenset()

    @property
    def mutating(self) -> bool:
        """Whether the request changes something: it is then never cut off in the middle."""
        return self.method not in ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A service's answer, the body decoded when it is JSON."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoreCreated:
    """Make the physical id, and what data belongs to it, durable in one step. Answer: None."""

    physical_id: str
    data: tuple[Datum, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreData:
    """Write (value given) or remove (value None) rows of resource_data. Answer: None."""

    data: tuple[Datum, ...]


@dataclass(frozen=True, slots=True)
class Datum:
    """One row of resource_data; `redact` values are encrypted at rest."""

    key: str
    value: str | None
    redact: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait before the next look at a service; the driver chooses how long. Answer: None.

    `attempt` counts from 0 within one poll; `hint_seconds` is the type's wish, if it has one.
    """

    service: str | None
    attempt: int
    hint_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait that long: a delay that is part of the resource's meaning. Answer: None."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Entropy:
    """Random bytes. Answer: bytes of that length."""

    size: int


@dataclass(frozen=True, slots=True)
class Evaluate:
    """Call this where waiting for hostile work to be done does no harm. Answer: what it returns.

    What it raises is thrown into the procedure. It may be called more than once.
    """

    work: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class All:
    """Run these procedures side by side. Answer: tuple of their results, in order.

    The first failure is thrown once the others have ended.
    """

    branches: tuple[Coroutine[Any, Any, Any], ...]


@dataclass(frozen=True, slots=True)
class CreateChild:
    """Make the resource's nested stack. Answer: its id.

    Without a document it is made of what the type says by the plan; without a timeout it may take
    as long as its type or else its parent says.
    """

    document: Mapping[str, Any] | None = None
    timeout_minutes: int | None = None


@dataclass(frozen=True, slots=True)
class FindChild:
    """Look for a nested stack of the resource that nobody knows the id of. Answer: id or None."""


@dataclass(frozen=True, slots=True)
class UpdateChild:
    """Start to update the nested stack; what to, and for how long, as above. Answer: None."""

    child_id: str
    document: Mapping[str, Any] | None = None
    timeout_minutes: int | None = None


@dataclass(frozen=True, slots=True)
class DeleteChild:
    """Start to delete the nested stack; it may be gone already. Answer: None."""

    child_id: str


@dataclass(frozen=True, slots=True)
class CheckChild:
    """Start to check the nested stack. Answer: None."""

    child_id: str


@dataclass(frozen=True, slots=True)
class CancelChild:
    """Cut off a create or an update of the nested stack, and of those below it. Answer: None.

    Resources that are in the middle of something end it. When nothing can be cut off, nothing is.
    """

    child_id: str


@dataclass(frozen=True, slots=True)
class SurveyChild:
    """See what the nested stack is to be made from, and the members that it has.

    Without an id it has none. Answer: heat_core.resources.nested.Surroundings.
    """

    child_id: str | None = None


@dataclass(frozen=True, slots=True)
class LookAtChild:
    """See how far the nested stack is. Answer: ChildState, None when it is gone."""

    child_id: str


@dataclass(frozen=True, slots=True)
class ChildState:
    """A nested stack's action, how far it is, and why."""

    action: str
    status: str
    reason: str


type Request = (
    HttpCall
    | StoreCreated
    | StoreData
    | Pause
    | Sleep
    | Entropy
    | Evaluate
    | All
    | CreateChild
    | FindChild
    | UpdateChild
    | DeleteChild
    | CheckChild
    | CancelChild
    | SurveyChild
    | LookAtChild
)

type ChildRequest = (
    CreateChild
    | FindChild
    | UpdateChild
    | DeleteChild
    | CheckChild
    | CancelChild
    | SurveyChild
    | LookAtChild
)

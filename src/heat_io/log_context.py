"""Fields that every log record made below a point of the code carries.

    with bound(request_id="req-1", stack_id=stack.id):
        log.info("stack stored", extra={"fields": {"resources": 3}})

The fields live in a context variable: tasks started inside the block inherit them, tasks of
other requests never see them. Three names have a meaning for the whole service: `request_id`
goes from the API over RPC to the engine (with who asked, see `caller_fields`), `step_id` through
one node's whole life, `stack_id` is the stack's uuid. heat_app.logging writes them; nothing here
does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from heat_core.rpc import RequestContext

__all__ = ["CALLER", "bind", "bound", "caller_fields", "current_fields"]

_NOTHING: Mapping[str, object] = MappingProxyType({})
_fields: ContextVar[Mapping[str, object]] = ContextVar("heat_trio_log_fields", default=_NOTHING)


CALLER: Final = (
    "request_id",
    "global_request_id",
    "user_id",
    "project_id",
    "domain_id",
    "user_domain_id",
    "project_domain_id",
    "system_scope",
)
"""fields that say on whose behalf something is done"""


def caller_fields(context: RequestContext) -> dict[str, object]:
    """The fields of CALLER for `bound`; None for what the context doesn't say."""
    return {name: getattr(context, name) for name in CALLER}


def current_fields() -> Mapping[str, object]:
    """The fields bound here, outermost first; read only."""
    return _fields.get()


@contextmanager
def bound(**fields: object) -> Iterator[None]:
    """Add fields to every record made inside the block; inner values win over outer ones.

    None removes a field for the block. Use it around synchronous code and awaits of one task; a
    generator that yields inside the block would leak the fields to its caller.
    """
    token = _fields.set(_merged(fields))
    try:
        yield
    finally:
        _fields.reset(token)


def bind(**fields: object) -> None:
    """Add fields for the rest of the current task (and of the tasks it starts)."""
    _fields.set(_merged(fields))


def _merged(fields: Mapping[str, object]) -> Mapping[str, object]:
    merged = {**_fields.get(), **fields}
    return MappingProxyType({name: value for name, value in merged.items() if value is not None})

"""Procedures that ask a service about a value: finders (name -> id) and custom constraints.

The tables name modules, which are imported when a value first needs them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any

from heat_core.errors import ClientNotAvailable, EntityNotFound
from heat_core.procedure import ProcedureIO
from heat_core.properties import Finder

type FinderProcedure = Callable[[ProcedureIO, str], Awaitable[str]]
"""(io, name or id) -> id; raises EntityNotFound, or ServiceError"""

_FINDER_MODULES: Mapping[str, str] = {
    "keystone": "heat_core.resources.keystone.finders",
}

_CONSTRAINT_FINDERS: Mapping[str, tuple[Finder, str]] = {
    f"keystone.{noun}": (Finder("keystone", f"get_{noun}_id"), f"Keystone{noun.title()}")
    for noun in ("domain", "project")
}
"""constraint -> (the finder that must succeed, the entity's name in texts)"""


def finder(name: Finder) -> FinderProcedure:
    """The procedure of a finder. ClientNotAvailable when nothing here speaks to that service."""
    module = _FINDER_MODULES.get(name.client)
    if module is None:
        raise ClientNotAvailable(client_name=name.client)
    procedures: Mapping[str, FinderProcedure] = import_module(module).FINDERS
    return procedures[name.finder]


def finder_behind(constraint: str) -> Finder | None:
    """The finder whose success means that a custom constraint holds; None when there is none."""
    known = _CONSTRAINT_FINDERS.get(constraint)
    return None if known is None else known[0]


async def find_id(io: ProcedureIO, name: Finder, value: str) -> str:
    """The id of what `value` names."""
    return await finder(name)(io, value)


async def judge(io: ProcedureIO, constraint: str, value: Any) -> str | None:
    """What is wrong with a value under a custom constraint that takes I/O; None when it is valid.

    Raises what the service answers beyond "not found" (facts/constraints.json,
    expected_exceptions). ClientNotAvailable for a service that nothing here speaks to.
    """
    if constraint == "test_constr":
        if value < 0:
            raise ValueError("sleep length must be non-negative")
        if value:
            await io.sleep(value)
        return None
    if constraint not in _CONSTRAINT_FINDERS:
        raise ClientNotAvailable(client_name=constraint.partition(".")[0])
    name, entity = _CONSTRAINT_FINDERS[constraint]
    try:
        if value == "":
            raise EntityNotFound(entity=entity, name=value)
        await find_id(io, name, value)
    except EntityNotFound as error:
        return str(error)
    return None

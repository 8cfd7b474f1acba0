"""Checking a definition, with what only services can say asked of them as the caller."""

from __future__ import annotations

from collections.abc import Collection, Coroutine, Mapping
from typing import Any

from heat_core.errors import AuthorizationFailure
from heat_core.procedure import ProcedureIO, Request
from heat_core.properties import Answers
from heat_core.resources import with_answers
from heat_core.rpc import RequestContext
from heat_core.stack import StackDefinition
from heat_io.drivers.procedure_driver import NoRow, ProcedureDriver, Session
from heat_io.openstack import credentials_of
from heat_io.sandbox.evaluation import evaluate, evaluate_in_thread

IO = ProcedureIO()

INLINE_RESOURCES = 100
"""A definition with more would hold up the event loop; it is checked in a thread."""


class DefinitionValidator:
    """The StackValidator of a running engine.

    A validation runs again each time that services have answered what it needs to know: names
    behind custom constraints, for the most part.
    """

    def __init__(self, procedures: ProcedureDriver) -> None:
        self._procedures = procedures

    async def validate(
        self,
        context: RequestContext,
        definition: StackDefinition,
        *,
        strict: bool = True,
        ignorable_errors: Collection[str] = (),
    ) -> None:
        """Raise Heat's error for the first mistake; see StackValidator."""
        services = catalog_types(context)

        def run(answers: Answers) -> None:
            definition.validate(
                strict,
                ignorable_errors=ignorable_errors,
                answers=answers,
                catalog_types=services,
            )

        answers = Answers()
        try:
            if len(definition.template.resources) > INLINE_RESOURCES:
                await evaluate_in_thread(run, answers)
            else:
                await evaluate(run, answers)
        except Exception:
            # A failure may come from a value that no service was asked about yet.
            if not answers.missing:
                raise
        if answers.missing:
            session = Session(NoRow(), _credentials(context))
            await self._procedures.run(with_answers(IO, run, answers), session)


class CallersProcedures:
    """The Procedures of a running engine: they ask services as the caller."""

    def __init__(self, procedures: ProcedureDriver) -> None:
        self._procedures = procedures

    async def run(self, context: RequestContext, procedure: Coroutine[Request, Any, Any]) -> Any:
        """What the procedure returns; see Procedures."""
        return await self._procedures.run(procedure, Session(NoRow(), _credentials(context)))


def catalog_types(context: RequestContext) -> Collection[str] | None:
    """The services that the caller's token came with; None when there is no telling."""
    info: Mapping[str, Any] = context.auth_token_info or {}
    entries = (info.get("token") or {}).get("catalog")
    return None if entries is None else {entry.get("type") for entry in entries}


def _credentials(context: RequestContext) -> Any:
    """The caller's; None without any: then a question to a service fails, and only that."""
    try:
        return credentials_of(context)
    except AuthorizationFailure:
        return None

"""Checking a definition, with what only services can say asked of them as the caller."""

from __future__ import annotations

from collections.abc import Collection, Coroutine, Mapping
from typing import Any

from heat_core.errors import AuthorizationFailure
from heat_core.procedure import ProcedureIO, Request
from heat_core.properties import Answers
from heat_core.resources import with_answers
from heat_core.rpc import RequestContext
from heat_core.stack import DEFAULT_LIMITS, StackDefinition, StackLimits
from heat_core.template import DEFAULT_MAX_TEMPLATE_SIZE
from heat_io.database import Database
from heat_io.drivers.children import OnlyLooks
from heat_io.drivers.procedure_driver import NoRow, ProcedureDriver, Session
from heat_io.fetching import Fetch, TemplateFetcher, fetch_missing
from heat_io.openstack import credentials_of
from heat_io.sandbox.evaluation import evaluate, evaluate_in_thread

IO = ProcedureIO()

INLINE_RESOURCES = 100
"""A definition with more would hold up the event loop; it is checked in a thread."""
INLINE_FILE_CHARACTERS = 32 * 1024
"""The same for its files, which may be templates of nested stacks."""


class DefinitionValidator:
    """The StackValidator of a running engine.

    A validation runs again each time that services have answered what it needs to know: names
    behind custom constraints, for the most part.
    """

    def __init__(
        self,
        procedures: ProcedureDriver,
        *,
        limits: StackLimits = DEFAULT_LIMITS,
        fetch: Fetch | None = None,
        max_template_size: int = DEFAULT_MAX_TEMPLATE_SIZE,
    ) -> None:
        self._procedures = procedures
        self._limits = limits
        self._fetch = TemplateFetcher().fetch if fetch is None else fetch
        self._max_template_size = max_template_size

    async def validate(
        self,
        context: RequestContext,
        definition: StackDefinition,
        *,
        strict: bool = True,
        ignorable_errors: Collection[str] = (),
        patience_seconds: float = 0.0,
    ) -> None:
        """Raise Heat's error for the first mistake; see StackValidator.

        Templates that the definition names by address are fetched into its `downloads`.
        """
        downloads = definition.template.downloads
        while True:
            try:
                await self._validate(
                    context, definition, strict, ignorable_errors, patience_seconds
                )
            except Exception:
                # A failure may come from a template that was not fetched yet.
                if not downloads.missing:
                    raise
            if not downloads.missing:
                return
            await fetch_missing(downloads, self._fetch, limit_bytes=self._max_template_size)
            definition.forget_classes()

    async def _validate(
        self,
        context: RequestContext,
        definition: StackDefinition,
        strict: bool,
        ignorable_errors: Collection[str],
        patience_seconds: float,
    ) -> None:
        services = catalog_types(context)

        def run(answers: Answers) -> None:
            definition.validate(
                strict,
                ignorable_errors=ignorable_errors,
                answers=answers,
                catalog_types=services,
                limits=self._limits,
            )

        answers = Answers()
        try:
            if _is_large(definition):
                await evaluate_in_thread(run, answers)
            else:
                await evaluate(run, answers)
        except Exception:
            # A failure may come from a value that no service was asked about yet.
            if not answers.missing:
                raise
        if answers.missing:
            session = Session(NoRow(), _credentials(context), patience_seconds=patience_seconds)
            await self._procedures.run(with_answers(IO, run, answers), session)


def _is_large(definition: StackDefinition) -> bool:
    template = definition.template
    return (
        len(template.resources) > INLINE_RESOURCES
        or sum(map(len, template.files.values())) > INLINE_FILE_CHARACTERS
    )


class CallersProcedures:
    """The Procedures of a running engine: they ask services as the caller."""

    def __init__(self, procedures: ProcedureDriver, database: Database) -> None:
        self._procedures = procedures
        self._nested = OnlyLooks(database)

    async def run(self, context: RequestContext, procedure: Coroutine[Request, Any, Any]) -> Any:
        """What the procedure returns; see Procedures."""
        session = Session(NoRow(), _credentials(context), children=self._nested)
        return await self._procedures.run(procedure, session)


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

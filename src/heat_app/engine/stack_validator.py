"""Checks a definition before it is stored, asking services what only they know."""

from __future__ import annotations

from collections.abc import Collection

from heat_app.engine.types import services_of
from heat_core.procedure import ProcedureIO
from heat_core.resources import with_answers
from heat_core.rpc import RequestContext
from heat_core.stack import StackDefinition
from heat_io.drivers.procedure_driver import NoRow, ProcedureDriver, Session
from heat_io.openstack import credentials_of


class DefinitionValidator:
    """A StackValidator that acts for the user who asks."""

    def __init__(self, procedures: ProcedureDriver) -> None:
        self._procedures = procedures
        self._io = ProcedureIO()

    async def validate(
        self,
        context: RequestContext,
        definition: StackDefinition,
        *,
        strict: bool = True,
        ignorable_errors: Collection[str] = (),
    ) -> None:
        """Raise Heat's error for the first mistake; see StackValidator."""
        catalog_types = services_of(context)
        checked = with_answers(
            self._io,
            lambda answers: definition.validate(
                strict,
                ignorable_errors=ignorable_errors,
                answers=answers,
                catalog_types=catalog_types,
            ),
        )
        await self._procedures.run(checked, Session(NoRow(), credentials_of(context)))

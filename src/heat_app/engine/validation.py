"""The validate call: a template's mistakes, its parameters and its environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from heat_app.engine.drafts import Sources, check_template, new_template
from heat_app.engine.ports import Endpoint
from heat_core.errors import StackValidationFailed
from heat_core.rpc import RequestContext
from heat_core.stack import StackDefinition
from heat_core.stack.validate_answer import STACK_NAME, describe_definition, error_answer
from heat_io.sandbox.evaluation import evaluate

type Json = dict[str, Any]

_ERROR_CODES = frozenset({"99001"})
_UNKNOWN_CODES = "<HTTPBadRequest at 0x0 400 Bad Request>"


class Validation(Endpoint):
    """What can be asked of a template that is no stack yet."""

    async def validate_template(
        self,
        context: RequestContext,
        template: Mapping[str, Any] | None,
        params: Mapping[str, Any] | None = None,
        files: Mapping[str, str] | None = None,
        environment_files: Sequence[str] | None = None,
        files_container: str | None = None,
        show_nested: bool = False,
        ignorable_errors: Sequence[str] | None = None,
    ) -> Json | str:
        """The template's description, parameters and environment, or {"Error": text}.

        Codes that no error has are answered with a text, as a result (facts/README.md, note 7).
        Source: rules/a-template-versions.md#14-15, facts/formats.json (validate_template).
        """
        if set(ignorable_errors or ()) - _ERROR_CODES:
            return _UNKNOWN_CODES
        wanted = await evaluate(
            new_template,
            Sources.of_request(template, params, files, environment_files, files_container),
        )
        try:
            check_template(wanted, self._parts.settings)
        except AssertionError:
            raise
        except Exception as error:
            return error_answer(error)
        definition = await evaluate(
            partial(
                StackDefinition.build,
                wanted,
                stack_name=STACK_NAME,
                project_id=context.project_id,
            )
        )
        try:
            await self._parts.validator.validate(
                context,
                definition,
                strict=False,
                ignorable_errors=frozenset(ignorable_errors or ()),
            )
        except StackValidationFailed as error:
            return error_answer(error)
        limits = self._parts.settings.stack_limits
        return await evaluate(
            partial(describe_definition, definition, show_nested=show_nested, limits=limits)
        )

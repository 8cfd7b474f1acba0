"""Runs the kinds of validate.jsonl through the engine's own validate call."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import SimpleNamespace
from typing import Any, cast

import trio

from heat_app.engine.drafts import Sources, check_template, new_template
from heat_app.engine.ports import Parts
from heat_app.engine.settings import EngineSettings
from heat_app.engine.validation import Validation
from heat_core.rpc import RequestContext
from heat_core.stack import StackDefinition
from heat_core.template import parse_text
from tests.conformance.vectors_codec import attempt
from tests.conformance.vectors_surroundings import PROJECT


class Validator:
    """Validates without asking any service: every one counts as available."""

    async def validate(
        self,
        context: RequestContext,
        definition: StackDefinition,
        *,
        strict: bool = True,
        ignorable_errors: Collection[str] = (),
        patience_seconds: float = 0.0,
    ) -> None:
        definition.validate(strict, ignorable_errors=ignorable_errors)


SETTINGS = EngineSettings()
CONTEXT = RequestContext(project_id=PROJECT)


def run_validate(given: Mapping[str, Any]) -> dict[str, Any]:
    parts = cast(Parts, SimpleNamespace(validator=Validator(), settings=SETTINGS))
    endpoint = Validation(parts)

    def document() -> Any:
        if "template_text" in given:
            return parse_text(given["template_text"])
        return given.get("template")

    def call() -> Any:
        async def main() -> Any:
            return await endpoint.validate_template(
                CONTEXT,
                document(),
                given.get("environment", {}),
                given.get("files", {}),
                given.get("environment_files"),
                show_nested=given.get("show_nested", False),
                ignorable_errors=given.get("ignore_errors"),
            )

        return trio.run(main)

    def create() -> list[str]:
        template = new_template(
            Sources.of_request(
                document(),
                given.get("environment", {}),
                given.get("files", {}),
                given.get("environment_files"),
                None,
            )
        )
        check_template(template, SETTINGS)
        definition = StackDefinition.build(template, stack_name="a", project_id=PROJECT)
        definition.validate()
        return sorted(definition.resources)

    return {**attempt(call), "create": attempt(create)}


def run_generated(given: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(given["template_from"])
    repeated = made["resources"]
    made["resources"] = {f"r{number}": repeated["each"] for number in range(repeated["count"])}
    outcome = run_validate({"template": made})
    del outcome["create"]
    return outcome


RUNNERS = {"validate_template": run_validate, "validate_template_generated": run_generated}

"""The body of a create, update or validate request: what it must hold, in which order it is looked
at, and what becomes of it on the bus.

Source: facts/messages-api.json (InstantiationData, environment_format), rules/b-environment.md#1-5.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from heat_app.native.faults import HTTPBadRequest
from heat_app.native.parameters import extract_int, extract_tags
from heat_core.environment import check_sections, parse_environment, with_all_sections
from heat_core.template import check_size, parse_text
from heat_core.template.loader import parse_any
from heat_io.fetching import as_text

_OWN_KEYS = frozenset(
    {
        "stack_name",
        "template",
        "template_url",
        "parameters",
        "environment",
        "files",
        "environment_files",
        "files_container",
    }
)


class StackData:
    """What a client says about a stack. `patch` marks an update of an existing stack's inputs."""

    def __init__(
        self, body: dict[str, Any], *, patch: bool = False, max_template_size: int
    ) -> None:
        self._body = {**body, "existing": True} if patch else body
        self._patch = patch
        self._max_template_size = max_template_size

    def stack_name(self) -> Any:
        """The name, not yet checked."""
        if "stack_name" not in self._body:
            raise HTTPBadRequest("No stack name specified")
        return self._body["stack_name"]

    def template_url(self) -> Any:
        """Where the template is to be fetched from; None when it is given otherwise, or not."""
        if "adopt_stack_data" in self._body or "template" in self._body:
            return None
        return self._body.get("template_url")

    def template(self, fetched: bytes | None = None) -> dict[str, Any] | None:
        """The template's document; None only for a patch without one.

        `fetched` is what `template_url` names.
        """
        body = self._body
        if "adopt_stack_data" in body:
            return self._adopted_template(body["adopt_stack_data"])
        given: Any = None
        if "template" in body:
            given = body["template"]
            if isinstance(given, dict):
                check_size(given, self._max_template_size)
                return given
        elif fetched is not None:
            with _bad_request_for("Template"):
                given = _text_of(fetched)
        if given is None:
            if self._patch:
                return None
            raise HTTPBadRequest("No template specified")
        with _bad_request_for("Template"):
            document: dict[str, Any] = parse_text(given, limit=self._max_template_size)
        return document

    def _adopted_template(self, adopt_data: Any) -> dict[str, Any]:
        try:
            document = parse_any(adopt_data)
            template: dict[str, Any] = document["template"]
            check_size(template, self._max_template_size)
        except (ValueError, KeyError) as error:
            raise HTTPBadRequest(f"Invalid adopt data: {error}") from None
        return template

    def environment(self) -> dict[str, Any]:
        """The environment with all its sections; `parameters` of the body win over its own.

        The environment is ignored when there are environment files, which hold it already.
        """
        environment: dict[str, Any] = {}
        if "environment" in self._body and not self._body.get("environment_files"):
            with _bad_request_for("Environment"):
                environment = _environment_from(self._body["environment"])
        environment = with_all_sections(environment)
        # When either is no mapping, Python's own error decides the answer.
        environment["parameters"].update(self._body.get("parameters", {}))
        return environment

    def files(self) -> Any:
        """The files by name."""
        return self._body.get("files", {})

    def environment_files(self) -> Any:
        """The names of the files that are environments, in order."""
        return self._body.get("environment_files")

    def files_container(self) -> Any:
        """The Swift container that holds more files."""
        return self._body.get("files_container")

    def arguments(self, *, is_update: bool = False) -> dict[str, Any]:
        """All other keys, those that the API knows checked and converted."""
        arguments = {key: value for key, value in self._body.items() if key not in _OWN_KEYS}
        if "timeout_mins" in arguments:
            arguments["timeout_mins"] = extract_int("timeout_mins", arguments["timeout_mins"])
        if arguments.get("tags") is not None:
            arguments["tags"] = extract_tags(arguments["tags"])
        if not is_update and "converge" in arguments:
            raise HTTPBadRequest(
                "converge flag only supported in stack update (or update preview) request."
            )
        return arguments


@contextmanager
def _bad_request_for(what: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise HTTPBadRequest(f"{what} not in valid format: {error}") from None


def _environment_from(given: Any) -> dict[str, Any]:
    if isinstance(given, dict):
        check_sections(given)
        return given
    if given is not None and not isinstance(given, str):
        raise TypeError("a string or stream input is required")
    return parse_environment(given)


def _text_of(fetched: bytes) -> str:
    try:
        return as_text(fetched)
    except ValueError as error:
        raise ValueError(f"Error parsing template [root stack] {error}") from None

"""Failures of resources: the texts in status reasons and events (rules/g-events-status.md#4)."""

from __future__ import annotations

from heat_core.errors import Error, ResourceFailure, StackValidationFailed
from heat_core.stack.states import Action

HOT_SECTION = "resources"


class PluginFailure(Exception):
    """A type's own failure under a class name that differs from the class raised here."""

    def __init__(self, error_class: str, text: str) -> None:
        super().__init__(text)
        self.error_class = error_class


def error_class(error: BaseException) -> str:
    """The class name that users see for an exception."""
    shown = getattr(error, "error_class", None)
    return shown if isinstance(shown, str) else type(error).__name__


def resource_failure(
    error: BaseException, resource_name: str, *, section: str = HOT_SECTION
) -> ResourceFailure:
    """ "<ExcClass>: resources.<name>: <text>"; a ResourceFailure is passed on as it is.

    `section` is the template's name of the resources section ("Resources" in CFN templates).
    """
    if isinstance(error, ResourceFailure):
        return error
    return ResourceFailure(error_class(error), [section, resource_name], str(error))


def create_failure(
    error: BaseException, resource_name: str, *, section: str = HOT_SECTION
) -> ResourceFailure:
    """The failure of a create as the stack shows it.

    Invalid properties name the resource once more there, in front of their own path; the resource
    itself shows `resource_failure`. Source: rules/g-events-status.md#4, convergence-state.json.
    """
    if isinstance(error, StackValidationFailed):
        error = StackValidationFailed(
            error=error.error, path=[resource_name, *error.path], message=error.error_message
        )
    return resource_failure(error, resource_name, section=section)


def aborted_reason(action: Action, reason: str = "") -> str:
    """The status reason of an action that was cancelled or ran out of time."""
    return f"{action} aborted ({reason})" if reason else f"{action} aborted"


def invalid_state(state: tuple[str, str], action: Action) -> Error:
    """The error of an action that this state does not allow (rules/g-events-status.md#5)."""
    return Error(f"State {tuple(str(part) for part in state)} invalid for {action.lower()}")

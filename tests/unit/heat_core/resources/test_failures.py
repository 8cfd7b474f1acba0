from __future__ import annotations

from collections.abc import Callable

import pytest

from heat_core.errors import (
    EntityNotFound,
    ResourceFailure,
    ResourceInError,
    StackValidationFailed,
)
from heat_core.procedure import ServiceError
from heat_core.resources import (
    PluginFailure,
    aborted_reason,
    create_failure,
    invalid_state,
    resource_failure,
)
from heat_core.stack.states import Action


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("bad"), "ValueError: resources.r: bad"),
        (
            ResourceInError(resource_status="ERROR", status_reason="no host"),
            'ResourceInError: resources.r: Went to status ERROR due to "no host"',
        ),
        (
            PluginFailure("Exception", "Resource not created"),
            "Exception: resources.r: Resource not created",
        ),
        (
            EntityNotFound(entity="Net", name="n"),
            "EntityNotFound: resources.r: The Net (n) could not be found.",
        ),
        (
            StackValidationFailed("Property error", ["Properties", "a"], "bad"),
            "StackValidationFailed: resources.r: Property error: Properties.a: bad",
        ),
    ],
)
def test_text(error: Exception, text: str) -> None:
    assert str(resource_failure(error, "r")) == text


def test_a_service_s_refusal_keeps_its_client_library_s_class(
    refuse: Callable[..., ServiceError],
) -> None:
    assert str(resource_failure(refuse(409, "Conflict"), "r")) == (
        "Conflict: resources.r: text (HTTP 409)"
    )


def test_cfn_templates_name_their_own_section() -> None:
    assert str(resource_failure(ValueError("bad"), "r", section="Resources")) == (
        "ValueError: Resources.r: bad"
    )


def test_a_failure_is_passed_on() -> None:
    failure = ResourceFailure("Boom", ["resources", "inner"], "text")

    assert resource_failure(failure, "outer") is failure


def test_the_stack_names_the_resource_once_more_for_invalid_properties() -> None:
    error = StackValidationFailed("Property error", ["Properties", "a", 0], "bad")

    assert str(create_failure(error, "r")) == (
        "StackValidationFailed: resources.r: Property error: r.Properties.a[0]: bad"
    )
    assert str(create_failure(ValueError("x"), "r")) == "ValueError: resources.r: x"


def test_reasons() -> None:
    assert aborted_reason(Action.CREATE, "Timed out") == "CREATE aborted (Timed out)"
    assert aborted_reason(Action.UPDATE) == "UPDATE aborted"
    assert str(invalid_state((Action.CREATE, "FAILED"), Action.SUSPEND)) == (
        "State ('CREATE', 'FAILED') invalid for suspend"
    )
    assert type(invalid_state(("A", "B"), Action.RESUME)).__name__ == "Error"

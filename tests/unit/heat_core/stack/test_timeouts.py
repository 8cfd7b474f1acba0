"""How long an operation may take."""

from heat_core.stack import Action, StackId, StackRecord, Status, TemplateId
from heat_core.stack.timeouts import (
    DEFAULT_ACTION_TIMEOUT_SECONDS,
    action_timeout,
    timeout_seconds,
)


def _stack(timeout: int | None) -> StackRecord:
    return StackRecord(
        id=StackId("s"),
        name="s",
        tenant="p",
        raw_template_id=TemplateId(1),
        action=Action.CREATE,
        status=Status.IN_PROGRESS,
        timeout=timeout,
    )


def test_a_stacks_own_timeout_goes_first() -> None:
    with action_timeout(10):
        assert timeout_seconds(_stack(3)) == 180
        assert timeout_seconds(_stack(None)) == 10
        with action_timeout(20):
            assert timeout_seconds(_stack(None)) == 20
    assert timeout_seconds(_stack(None)) == DEFAULT_ACTION_TIMEOUT_SECONDS

from heat_core.convergence.legacy import converted_requires
from heat_core.stack.ids import ResourceId, StackId
from heat_core.stack.records import ResourceRecord


def _row(number: int, name: str) -> ResourceRecord:
    return ResourceRecord(id=ResourceId(number), uuid="u", name=name, stack_id=StackId("s"))


def test_rows_require_what_their_template_says_highest_first() -> None:
    rows = [_row(3, "a"), _row(5, "b"), _row(4, "c"), _row(9, "stranger")]
    requires = {"a": set(), "b": {"a", "c"}, "c": {"a", "never made"}}
    assert converted_requires(rows, requires) == {3: (), 5: (4, 3), 4: (3,), 9: ()}
    assert converted_requires([], requires) == {}

from __future__ import annotations

from typing import Any

import pytest

from heat_core.errors import InvalidSchemaError
from heat_core.properties import (
    AllowedPattern,
    AllowedValues,
    Checks,
    Constraint,
    ConstraintSet,
    Custom,
    Kind,
    Length,
    Modulo,
    Range,
)

FINE: list[tuple[Constraint, Any]] = [
    (Range(1, 3), 1),
    (Range(1, 3), "3"),
    (Range(min=1.5), 1e9),
    (Length(1, 2), "ab"),
    (Length(max=0), []),
    (Length(min=1), {"a": 1}),
    (Modulo(3, 1), 7),
    (Modulo(-3, -1), -4),
    (AllowedValues(["a", 1]), "a"),
    (AllowedValues(["a", "b"]), ["b", "a"]),
    (AllowedValues(["a"]), []),
    (AllowedPattern("[a-z]+"), "abc"),
    (Custom("ip_addr"), "10.0.0.1"),
]

BAD: list[tuple[Constraint, Any, str]] = [
    (Range(1, 3), 0, "0 is out of range (min: 1, max: 3)"),
    (Range(max=3), 4, "4 is out of range (min: None, max: 3)"),
    (Length(1, 2), "abc", "length (3) is out of range (min: 1, max: 2)"),
    (Modulo(3, 1), 8, "8 is not a multiple of 3 with an offset of 1"),
    (AllowedValues(["a", 1]), "b", '"b" is not an allowed value ["a", 1]'),
    (AllowedValues(["a"]), ["a", "z"], '["a", "z"] is not an allowed value ["a"]'),
    (AllowedPattern("[a-z]+"), "a1", '"a1" does not match pattern "[a-z]+"'),
    (AllowedPattern("a|ab"), "ab", '"ab" does not match pattern "a|ab"'),
    (Custom("ip_addr"), "x", "Error validating value 'x': Invalid IP address"),
    (Custom("no.such"), "x", '"x" does not validate no.such (constraint not found)'),
    (Range(1, 3, "one to three"), 0, "one to three"),
    (Length(1, 2, "short"), "abc", "short"),
    (Modulo(2, 0, "even"), 1, "even"),
    (AllowedValues(["a"], "only a"), "b", "only a"),
    (AllowedPattern("a", "an a"), "b", "an a"),
    (Custom("ip_addr", "an address"), "x", "an address"),
]


@pytest.mark.parametrize(("constraint", "value"), FINE)
def test_accepts(constraint: Constraint, value: Any) -> None:
    constraint.check(value)


@pytest.mark.parametrize(("constraint", "value", "text"), BAD)
def test_refuses(constraint: Constraint, value: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        constraint.check(value)
    assert str(caught.value) == text


def test_allowed_values_are_compared_in_the_value_s_kind() -> None:
    AllowedValues(["1", "2"]).check(2, Kind.INTEGER)
    AllowedValues([1, 2]).check("2", Kind.STRING)
    with pytest.raises(ValueError, match="is not an allowed value"):
        AllowedValues(["1", "2"]).check(2)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Range(), "A range constraint must have a min value and/or a max value specified."),
        (lambda: Range("1"), "min/max must be numeric"),
        (
            lambda: Length(),
            "A length constraint must have a min value and/or a max value specified.",
        ),
        (lambda: Length(1.5), "min/max length must be integral"),
        (lambda: Length("1"), "min/max must be numeric"),
        (
            lambda: Modulo(1),
            "A modulo constraint must have a step value and an offset value specified.",
        ),
        (lambda: Modulo("1", 0), "step/offset must be numeric"),
        (lambda: Modulo(1.5, 0), "step/offset must be integer"),
        (lambda: Modulo(0, 0), "step cannot be 0."),
        (lambda: Modulo(2, 2), "offset must be smaller (by absolute value) than step."),
        (lambda: Modulo(3, -1), "step and offset must be both positive or both negative."),
        (lambda: AllowedValues("abc"), "AllowedValues must be a list"),
        (lambda: AllowedPattern(5), "AllowedPattern must be a string"),
    ],
)
def test_impossible_constraints(make: Any, text: str) -> None:
    with pytest.raises(InvalidSchemaError) as caught:
        make()
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("constraint", "form"),
    [
        (Range(1), {"range": {"min": 1}}),
        (Length(max=2, description="d"), {"length": {"max": 2}, "description": "d"}),
        (Modulo(2, 0), {"modulo": {"step": 2, "offset": 0}}),
        (AllowedValues(("a",)), {"allowed_values": ["a"]}),
        (AllowedPattern("x"), {"allowed_pattern": "x"}),
        (Custom("ip_addr"), {"custom_constraint": "ip_addr"}),
    ],
)
def test_form(constraint: Constraint, form: dict[str, Any]) -> None:
    assert constraint.as_dict() == form


def test_the_first_failing_constraint_of_a_set_speaks() -> None:
    constraints = ConstraintSet((Length(max=3), AllowedPattern("[a-z]*"), Custom("ip_addr")))

    with pytest.raises(ValueError, match="length"):
        constraints.check("ABCD", Kind.STRING)
    with pytest.raises(ValueError, match="pattern"):
        constraints.check("ABC", Kind.STRING)
    constraints.check("abc", Kind.STRING, skip_custom=True)


def test_ports_judge_custom_constraints_and_run_patterns() -> None:
    asked: list[Any] = []

    def judge(name: str, value: Any) -> str | None:
        asked.append((name, value))
        return None if value == "good" else f"{value} is bad"

    def match(pattern: str, text: str) -> bool:
        asked.append((pattern, text))
        return True

    checks = Checks(custom=judge, matcher=match)
    Custom("nova.flavor").check("good", checks=checks)
    AllowedPattern("(a+)+$").check("aaaa!", checks=checks)
    with pytest.raises(ValueError, match=r"^worse is bad$"):
        Custom("nova.flavor").check("worse", checks=checks)
    assert asked == [("nova.flavor", "good"), ("(a+)+$", "aaaa!"), ("nova.flavor", "worse")]

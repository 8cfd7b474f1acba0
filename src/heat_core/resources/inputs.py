"""From what the user gave to the values that a type works with: one call for the driver.

The pure part is `bind`: schema and data make a Properties object. Names that only a service can
resolve and custom constraints need I/O; `with_answers` runs such an evaluation as a procedure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast
from weakref import WeakKeyDictionary

from heat_core.procedure import ProcedureIO
from heat_core.properties import OMITTED, Answers, Judgement, Properties, Question
from heat_core.properties.rules import RuleTable
from heat_core.resources.contract import ResourceType
from heat_core.resources.lookups import find_id, finder_behind, judge

SECTION = "Properties"


def bind(
    resource_class: type[ResourceType],
    data: Mapping[str, Any] | None,
    *,
    answers: Answers | None = None,
    resolve: Callable[[Any], Any] | None = None,
    pending: Callable[[Any], bool] | None = None,
    description: str | None = None,
    find: bool = True,
    ignore_errors: bool = False,
    refine: bool = True,
    predecessor: Properties | None = None,
) -> Properties:
    """The properties of a resource of this type.

    `find` false leaves names unresolved; `ignore_errors` keeps a name that cannot be resolved
    (rules/d-properties.md#30). `resolve` may give heat_core.properties.OMITTED. Without `answers`
    no service is asked: every name stays and every value passes. `predecessor` are the properties
    of the definition that an update replaces: the rules that they ask for hold unless the new ones
    ask for rules themselves. TypeError for data that is one call instead of a map: no schema can
    tell then which property is which (updates.jsonl, function/properties-from-param).
    """
    if data is not None and not isinstance(data, Mapping):
        raise TypeError(f"'{type(data).__name__}' object is not iterable")
    props = Properties(
        {} if resource_class.accepts_anything else resource_class.properties,
        {} if resource_class.accepts_anything or data is None else data,
        resolve=resolve or _as_it_is,
        pending=pending or _never,
        answers=answers,
        section=SECTION,
        description=description,
    )
    for asking in (props,) if predecessor is None else (predecessor, props):
        table = _fixed_rules(resource_class, find)
        if table is None:
            rules = resource_class.translation_rules(asking)
            props.translation.set_rules(rules, resolve=find, ignore_errors=ignore_errors)
        elif table is not _NO_RULES:
            props.translation.use(table, resolve=find, ignore_errors=ignore_errors)
    if refine:
        changes = resource_class.refined_schema(props)
        if changes:
            return props.with_schema(changes)
    return props


_NO_RULES = RuleTable()


class _DependsOnValues(BaseException):
    """Rules look at values. No Exception: a type may expect those of a value."""


class _Unread:
    """Stands for properties that are not there yet."""

    def _refuse(self, *given: Any) -> Any:
        raise _DependsOnValues

    __getattr__ = __getitem__ = __contains__ = __iter__ = __len__ = __bool__ = _refuse


_FIXED: WeakKeyDictionary[type[ResourceType], dict[bool, RuleTable | None]] = WeakKeyDictionary()


def _fixed_rules(resource_class: type[ResourceType], resolve: bool) -> RuleTable | None:
    """The rules of a type that has the same for all values; None for any other type."""
    known = _FIXED.setdefault(resource_class, {})
    if resolve not in known:
        try:
            rules = tuple(resource_class.translation_rules(cast(Properties, _Unread())))
        except _DependsOnValues:
            known[resolve] = None
        else:
            known[resolve] = RuleTable.of(rules, resolve=resolve) if rules else _NO_RULES
    return known[resolve]


def _as_it_is(tree: Any) -> Any:
    return OMITTED if tree is ... else tree


def _never(tree: Any) -> bool:
    return False


def stored_values(resource: ResourceType) -> Mapping[str, Any]:
    """The values of the stored properties, names unresolved: for finish_* and attributes."""
    return bind(type(resource), resource.view.properties, find=False)


async def with_answers[T](
    io: ProcedureIO, evaluate: Callable[[Answers], T], answers: Answers | None = None
) -> T:
    """Evaluate, ask services what was missing, and evaluate again until nothing is.

    Returns or raises what the last evaluation did. `evaluate` must be pure but for its Answers.
    """
    answers = answers if answers is not None else Answers()
    while True:
        try:
            result = await io.evaluate(partial(evaluate, answers))
        except Exception:
            # A failure may come from a value that has no answer yet.
            if not answers.missing:
                raise
        else:
            if not answers.missing:
                return result
        await _ask_missing(io, answers)


async def _ask_missing(io: ProcedureIO, answers: Answers) -> None:
    branches = [_ask(io, answers, question) for question in answers.next_questions()]
    if len(branches) == 1:
        await branches[0]
    else:
        await io.all(branches)


async def _ask(io: ProcedureIO, answers: Answers, question: Question | Judgement) -> None:
    if isinstance(question, Judgement):
        name = finder_behind(question.name)
        if name is not None and answers.has_found(name, question.value):
            answers.put_judgement(question, None)
            return
        try:
            problem: Any = await judge(io, question.name, question.value)
        except Exception as error:  # becomes the value's own error when it is read
            problem = error
        answers.put_judgement(question, problem)
        return
    try:
        found: Any = await find_id(io, question.finder, question.value)
    except Exception as error:  # becomes the value's own error when it is read
        found = error
    answers.put_id(question, found)


async def resolve_translations(
    io: ProcedureIO,
    resource_class: type[ResourceType],
    data: Mapping[str, Any],
    *,
    description: str | None = None,
    ignore_errors: bool = False,
) -> Mapping[str, Any]:
    """The values of resolved user data, names turned into ids; constraints are not checked."""

    def evaluate(answers: Answers) -> Mapping[str, Any]:
        return bind(
            resource_class,
            data,
            answers=answers,
            description=description,
            ignore_errors=ignore_errors,
        ).values_by_name()

    return await with_answers(io, evaluate)


async def prepare_create(
    io: ProcedureIO,
    resource_class: type[ResourceType],
    data: Mapping[str, Any],
    *,
    description: str | None = None,
) -> Mapping[str, Any]:
    """The valid values for start_create: translated, checked and coerced.

    `data` is what the definition resolves to. Raises StackValidationFailed with a path that starts
    at "Properties", as Heat does inside the create step (rules/d-properties.md#12).
    """

    def evaluate(answers: Answers) -> Mapping[str, Any]:
        props = bind(resource_class, data, answers=answers, description=description)
        props.validate()
        return props.values_by_name()

    if not resource_class.is_built:
        # It refuses to be created, whatever services would say about its values.
        return evaluate(Answers(offline=True))
    return await with_answers(io, evaluate)

"""What services have said about a resource's properties, so that evaluation stays pure.

Two things about properties only a service knows: the id behind a name (Resolve rules) and whether a
value satisfies a custom constraint. The core does not wait for a service in the middle of an
evaluation. It evaluates with the answers at hand; a question without an answer is noted and passes
for now; whoever may do I/O asks what was noted and evaluates again, until nothing is missing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from heat_core.properties.constraints import Checks
from heat_core.properties.local_checks import SERVICE_CONSTRAINTS, check_locally, error_text
from heat_core.properties.patterns import Matcher, match_isolated
from heat_core.properties.rules import Finder


@dataclass(frozen=True, slots=True)
class Question:
    """Ask `finder` for the id of what `value` names."""

    finder: Finder
    value: Any

    @property
    def key(self) -> tuple[Finder, str]:
        return self.finder, json.dumps(self.value, sort_keys=True, default=repr)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Ask whether `value` satisfies the custom constraint `name`."""

    name: str
    value: Any

    @property
    def key(self) -> tuple[str, str]:
        return self.name, json.dumps(self.value, sort_keys=True, default=repr)


class Answers:
    """Answers by question. `offline`: nothing will be asked, so nothing is noted as missing."""

    __slots__ = ("_checks", "_ids", "_judgements", "matcher", "missing", "offline")

    def __init__(self, *, offline: bool = False, matcher: Matcher = match_isolated) -> None:
        self.offline = offline
        self.matcher = matcher
        self.missing: dict[Any, Question | Judgement] = {}
        self._ids: dict[Any, Any] = {}
        self._checks: Checks | None = None
        self._judgements: dict[Any, str | Exception | None] = {}

    def put_id(self, question: Question, answer: Any) -> None:
        """Note the id found, or the exception that the finder raised."""
        self._ids[question.key] = answer

    def put_judgement(self, judgement: Judgement, problem: str | Exception | None) -> None:
        """Note None for a valid value, the text of what is wrong, or the exception raised."""
        self._judgements[judgement.key] = problem

    def has_found(self, finder: Finder, value: Any) -> bool:
        """Whether the finder gave this very id for some name."""
        return any(key[0] == finder and answer == value for key, answer in self._ids.items())

    def next_questions(self) -> list[Question | Judgement]:
        """What to ask now. Names first: what is judged may stand in for an id not known yet."""
        missing = list(self.missing.values())
        questions: list[Question | Judgement] = [
            question for question in missing if isinstance(question, Question)
        ]
        self.missing.clear()
        return questions or missing

    def find(self, finder: Finder, value: Any) -> Any:
        """The id; `value` itself while there is no answer. Raises what the finder raised."""
        question = Question(finder, value)
        try:
            answer = self._ids[question.key]
        except KeyError:
            if not self.offline:
                self.missing[question.key] = question
            return value
        if isinstance(answer, Exception):
            raise answer
        return answer

    def judge(self, name: str, value: Any) -> str | None:
        """The user's text when the value is refused; None when valid or not known yet."""
        judgement = Judgement(name, value)
        if judgement.key in self._judgements:
            problem = self._judgements[judgement.key]
            if isinstance(problem, Exception):
                raise problem
            return None if problem is None else error_text(value, problem)
        if not self.offline and name in SERVICE_CONSTRAINTS | _SLOW_CONSTRAINTS:
            self.missing[judgement.key] = judgement
            return None
        return check_locally(name, value)

    def checks(self) -> Checks:
        """The ports for an evaluation that uses these answers."""
        if self._checks is None:
            self._checks = Checks(custom=self.judge, matcher=self.matcher)
        return self._checks


_SLOW_CONSTRAINTS = frozenset({"test_constr"})
"""decided without a service, but taking time, which only a procedure may spend"""

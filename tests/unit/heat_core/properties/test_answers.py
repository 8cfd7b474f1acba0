from __future__ import annotations

import pytest

from heat_core.errors import EntityNotFound
from heat_core.properties import Answers, Finder, Judgement, Question

FINDER = Finder("client", "find")


def test_an_unknown_id_is_noted_and_stands_in_for_itself() -> None:
    answers = Answers()

    assert answers.find(FINDER, "n") == "n"
    assert answers.next_questions() == [Question(FINDER, "n")]
    assert not answers.missing
    answers.put_id(Question(FINDER, "n"), "id")
    assert answers.find(FINDER, "n") == "id"
    assert not answers.missing
    assert answers.has_found(FINDER, "id")
    assert not answers.has_found(FINDER, "n")


def test_a_finder_s_exception_is_raised_again() -> None:
    answers = Answers()
    answers.put_id(Question(FINDER, "n"), EntityNotFound(entity="E", name="n"))

    with pytest.raises(EntityNotFound):
        answers.find(FINDER, "n")


def test_names_are_asked_before_anything_is_judged() -> None:
    answers = Answers()
    answers.judge("keystone.domain", "n")
    answers.find(FINDER, "n")
    answers.find(FINDER, "n")

    assert answers.next_questions() == [Question(FINDER, "n")]
    answers.judge("keystone.domain", "id")
    assert answers.next_questions() == [Judgement("keystone.domain", "id")]


def test_judgements() -> None:
    answers = Answers()

    assert answers.judge("nova.flavor", "f") is None
    [question] = answers.next_questions()
    assert isinstance(question, Judgement)
    answers.put_judgement(question, "gone")
    assert answers.judge("nova.flavor", "f") == "Error validating value 'f': gone"
    answers.put_judgement(question, None)
    assert answers.judge("nova.flavor", "f") is None
    answers.put_judgement(question, RuntimeError("down"))
    with pytest.raises(RuntimeError, match="down"):
        answers.judge("nova.flavor", "f")


def test_local_constraints_are_decided_at_once() -> None:
    answers = Answers()

    assert answers.judge("ip_addr", "x") == "Error validating value 'x': Invalid IP address"
    assert not answers.missing


def test_offline_nothing_is_missing() -> None:
    answers = Answers(offline=True)

    assert answers.find(FINDER, "n") == "n"
    assert answers.judge("nova.flavor", "f") is None
    assert answers.judge("test_constr", 5) is None
    assert not answers.missing

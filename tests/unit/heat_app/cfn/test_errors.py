"""The errors are those of Heat's table."""

from __future__ import annotations

import json
from pathlib import Path

from heat_app.cfn import errors
from heat_app.cfn.errors import CfnError, error_answer


def test_every_error_is_in_the_table(shared: Path) -> None:
    known = json.loads((shared / "facts" / "errors.json").read_text())["cfn_errors"].values()
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    ours = [kind for kind in kinds if issubclass(kind, CfnError) and kind is not CfnError]
    assert len(ours) >= 7
    for kind in ours:
        fields = {
            "code": kind.code,
            "explanation": kind.explanation,
            "status": kind.status,
            "type": kind.whose,
        }
        assert fields in known, kind


def test_texts_are_escaped() -> None:
    answer = error_answer(errors.InvalidAction("<a> & b"))
    assert b"requested is invalid:&lt;a&gt; &amp; b</Message>" in answer.body
